//! Where a path leads when links are followed.

use super::{
    files::{Files, Look},
    lexical,
};

/// How many links are followed. Linux follows as many.
const MOST_LINKS: u32 = 40;

/// Where a path leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Resolved {
    /// The path, normalised, with no link in it.
    pub(super) path: String,
    /// What is there.
    pub(super) end: Look,
    /// Whether a link was followed.
    pub(super) linked: bool,
}

/// Why nobody knows where a path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unresolved {
    /// Links lead to each other, or too many follow on each other.
    TooManyLinks,
    /// The file system gave an error.
    Error,
}

/// Follows `path` as the system would: `..` leads to the parent of where a link led to.
///
/// The workspace itself is where the policy says that it is, whatever it is a link to. A path that
/// leads to it on another way is given as if it had not.
pub(super) fn resolve(
    path: &str,
    workspace: Option<&str>,
    files: &dyn Files,
) -> Result<Resolved, Unresolved> {
    let Some(workspace) = workspace else {
        return follow("", path, files).map(|found| found.resolved);
    };
    if let Some(rest) = lexical::below(path, workspace) {
        let found = follow(workspace, rest, files)?;
        if !found.left {
            return Ok(found.resolved);
        }
    }
    let mut resolved = follow("", path, files)?.resolved;
    let real = follow("", workspace, files)?.resolved.path;
    if let Some(rest) = lexical::below(&resolved.path, &real) {
        resolved.path = format!("{workspace}{rest}");
    }
    Ok(resolved)
}

struct Found {
    resolved: Resolved,
    /// Whether the way led out of where it started.
    left: bool,
}

fn follow(start: &str, path: &str, files: &dyn Files) -> Result<Found, Unresolved> {
    let mut walk = Walk {
        files,
        at: String::with_capacity(start.len() + path.len()),
        floor: start.len(),
        missing: None,
        end: Look::Directory,
        links: 0,
        left: false,
    };
    walk.at.push_str(start);
    walk.run(path)?;
    Ok(Found {
        left: walk.left,
        resolved: Resolved {
            path: walk.at,
            end: walk.end,
            linked: walk.links > 0,
        },
    })
}

struct Walk<'a> {
    files: &'a dyn Files,
    at: String,
    /// How long the part is that is not looked at.
    floor: usize,
    /// How long `at` was when nothing was there for the first time.
    missing: Option<usize>,
    end: Look,
    links: u32,
    left: bool,
}

impl Walk<'_> {
    fn run(&mut self, path: &str) -> Result<(), Unresolved> {
        let Some((mut target, mut rest)) = self.names(path)? else {
            return Ok(());
        };
        loop {
            if target.starts_with('/') {
                self.restart();
            }
            target.push('/');
            target.push_str(&rest);
            match self.names(&target)? {
                Some((next, left)) => (target, rest) = (next, left),
                None => return Ok(()),
            }
        }
    }

    /// Goes along `path`, up to the first link: what is written in it, and what was left to go.
    fn names(&mut self, path: &str) -> Result<Option<(String, String)>, Unresolved> {
        let mut rest = path;
        while !rest.is_empty() {
            let end = rest.bytes().position(|byte| byte == b'/');
            let (name, after) = rest.split_at(end.unwrap_or(rest.len()));
            rest = after.get(1..).unwrap_or("");
            match name {
                "" | "." => {}
                ".." => self.up(),
                name => {
                    if let Some(target) = self.down(name)? {
                        return Ok(Some((target, rest.to_owned())));
                    }
                }
            }
        }
        Ok(None)
    }

    fn up(&mut self) {
        if self.at.len() <= self.floor {
            self.left = self.floor > 0;
        }
        lexical::pop(&mut self.at);
        self.missing = self.missing.filter(|from| *from <= self.at.len());
        if self.missing.is_none() {
            self.end = Look::Directory;
        }
    }

    fn down(&mut self, name: &str) -> Result<Option<String>, Unresolved> {
        // Whatever it is, it is not known what is below.
        if self.end == Look::Special {
            return Err(Unresolved::Error);
        }
        lexical::push_name(&mut self.at, name);
        if self.missing.is_some() {
            return Ok(None);
        }
        self.end = self.files.look(&self.at);
        match &mut self.end {
            Look::Missing => self.missing = Some(self.at.len()),
            Look::Error => return Err(Unresolved::Error),
            Look::Link(target) => {
                let target = std::mem::take(target);
                lexical::pop(&mut self.at);
                self.links += 1;
                return match self.links > MOST_LINKS {
                    true => Err(Unresolved::TooManyLinks),
                    false => Ok(Some(target)),
                };
            }
            Look::File { .. } | Look::Directory | Look::Special => {}
        }
        Ok(None)
    }

    /// Continues at the root, because a link says so.
    fn restart(&mut self) {
        self.left = self.floor > 0;
        self.at.clear();
    }
}

#[cfg(test)]
mod tests;
