//! Files that a line opens by redirection.

use crate::finding::Findings;

use super::{
    dirs::{Dir, normal},
    glob::Glob,
    line::{Operator, Redirect},
};

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// The rules over paths, as redirections need them.
pub(crate) trait Files {
    /// Judges one access. Reports rules that deny or ask and everything odd, as for any other
    /// access, but neither what allows nor that nothing does: that is what it returns.
    ///
    /// A relative path is seen from `dir`; without one nobody knows from where, and nothing covers it.
    fn covers(
        &mut self,
        access: Access,
        path: &str,
        dir: Option<&str>,
        findings: &mut Findings,
    ) -> bool;

    /// Whether a path in the workspace stays there when links are followed, seen from `dir`.
    fn stays(&self, path: &str, dir: Option<&str>) -> bool;
}

impl<F: FnMut(Access, &str, Option<&str>, &mut Findings) -> bool> Files for F {
    fn covers(
        &mut self,
        access: Access,
        path: &str,
        dir: Option<&str>,
        findings: &mut Findings,
    ) -> bool {
        self(access, path, dir, findings)
    }

    fn stays(&self, _: &str, _: Option<&str>) -> bool {
        true
    }
}

/// Whether a redirection opens no file that matters.
pub(super) fn is_free(redirect: &Redirect<'_>) -> bool {
    match redirect.operator {
        Operator::Duplicate => true,
        Operator::Read | Operator::Write => {
            redirect.target.is_literal() && redirect.target.text == "/dev/null"
        }
        Operator::ReadWrite | Operator::Here => false,
    }
}

/// The accesses that a redirection makes.
pub(super) fn accesses(operator: Operator) -> &'static [Access] {
    match operator {
        Operator::Read => &[Access::Read],
        Operator::Write => &[Access::Write],
        Operator::ReadWrite => &[Access::Read, Access::Write],
        Operator::Duplicate | Operator::Here => &[],
    }
}

/// Whether bash opens a connection in place of a file.
pub(super) fn is_network(path: &str) -> bool {
    path.contains("/dev/tcp/") || path.contains("/dev/udp/")
}

/// Paths that output may be redirected to.
#[derive(Clone, Debug, Default)]
pub(super) struct RedirectAllow(Vec<Vec<Part>>);

#[derive(Clone, Debug)]
enum Part {
    Name(Glob),
    Exact(String),
    /// `**`.
    Deep,
}

impl RedirectAllow {
    /// Adds a pattern, relative to `root`.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub(super) fn insert(&mut self, pattern: &str, root: &str) -> Result<(), &'static str> {
        if pattern.is_empty() || pattern.chars().any(char::is_control) {
            return Err("a path is empty or has control characters");
        }
        if pattern.contains(['?', '[', ']', '{', '}', '\\', '~', '$'])
            || pattern.split('/').any(|p| p == "..")
        {
            return Err("a path has plain names, `*` and `**`, and no `..`");
        }
        let path = normal(root, pattern);
        self.0.push(path.split('/').map(part).collect());
        Ok(())
    }

    /// Whether a path is meant, seen from a directory.
    pub(super) fn covers(&self, dir: Option<&str>, path: &str) -> bool {
        let Some(dir) = dir.or(path.starts_with('/').then_some("")) else {
            return false;
        };
        let path = normal(dir, path);
        let odd = path.split('/').any(|part| part == "..") || path.chars().any(char::is_control);
        let names: Vec<&str> = path.split('/').collect();
        !odd && self.0.iter().any(|parts| matches(parts, &names))
    }

    pub(super) fn covers_all(&self, dirs: &[Dir], path: &str) -> bool {
        !dirs.is_empty() && dirs.iter().all(|dir| self.covers(dir.as_deref(), path))
    }
}

fn part(name: &str) -> Part {
    match name {
        "**" => Part::Deep,
        name if name.contains('*') => Part::Name(Glob::new(name)),
        name => Part::Exact(name.to_owned()),
    }
}

/// Follows all ways to read the names at once, as marks of how many parts were matched.
fn matches(parts: &[Part], names: &[&str]) -> bool {
    let mut now = vec![false; parts.len() + 1];
    mark(parts, &mut now, 0);
    for name in names {
        let mut next = vec![false; parts.len() + 1];
        for (at, part) in parts
            .iter()
            .enumerate()
            .filter(|(at, _)| now.get(*at) == Some(&true))
        {
            match part {
                Part::Deep => mark(parts, &mut next, at),
                Part::Name(glob) if glob.matches(name) => mark(parts, &mut next, at + 1),
                Part::Exact(text) if text == name => mark(parts, &mut next, at + 1),
                _ => {}
            }
        }
        now = next;
    }
    now.last() == Some(&true)
}

/// Marks a place, and those behind it as far as `**` stands for nothing.
fn mark(parts: &[Part], marks: &mut [bool], mut at: usize) {
    loop {
        if let Some(mark) = marks.get_mut(at) {
            *mark = true;
        }
        if !matches!(parts.get(at), Some(Part::Deep)) {
            return;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::RedirectAllow;

    #[test]
    fn redirects_are_covered_by_where_they_lead() {
        let mut allow = RedirectAllow::default();
        allow.insert("build/**", "/w").unwrap();
        allow.insert("/tmp/*.log", "/w").unwrap();
        for path in [
            "build/x",
            "build/a/b",
            "/w/build/x",
            "./build/../build/x",
            "/tmp/a.log",
        ] {
            assert!(allow.covers(Some("/w"), path), "{path}");
        }
        for path in [
            "x",
            "build/../x",
            "/tmp/a/b.log",
            "/tmp/a.txt",
            "../build/x",
        ] {
            assert!(!allow.covers(Some("/w"), path), "{path}");
        }
        assert!(!allow.covers(None, "build/x"), "nobody knows where that is");
        assert!(allow.insert("a/../b", "/w").is_err());
    }
}
