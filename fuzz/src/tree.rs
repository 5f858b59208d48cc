//! A small file system with every kind of thing in it, and where paths lead in it.
//!
//! The reading here is written from POSIX and uses nothing of the library.

use toolgate_policy::{FakeFiles, Files, Look};

/// What there is. Everything else is missing.
fn things() -> Vec<(&'static str, Look)> {
    let link = |to: &str| Look::Link(to.to_owned());
    vec![
        ("/w/src/lib.rs", Look::File { links: 1 }),
        ("/w/src/twice", Look::File { links: 2 }),
        ("/w/src/pipe", Look::Special),
        ("/w/src/broken", Look::Error),
        ("/w/src/sub/a", Look::File { links: 1 }),
        ("/w/src/out", link("/etc")),
        ("/w/src/key", link("../secrets/key")),
        ("/w/src/docs", link("../docs")),
        ("/w/src/up", link("..")),
        ("/w/src/loop", link("loop")),
        ("/w/src/to", link("sub/../up/secrets")),
        ("/w/docs/a.md", Look::File { links: 1 }),
        ("/w/docs/home", link("/home/ann")),
        ("/w/link", link("secrets")),
        ("/w/secrets/key", Look::File { links: 1 }),
        ("/w/.env", Look::File { links: 1 }),
        ("/w/toolgate.toml", Look::File { links: 1 }),
        ("/etc/passwd", Look::File { links: 1 }),
        ("/home/ann/work", link("/w")),
    ]
}

pub(crate) fn files() -> FakeFiles {
    let put = |files: FakeFiles, (path, look): (&str, Look)| files.with(path, look);
    things().into_iter().fold(FakeFiles::new(), put)
}

/// Where an absolute path leads, as POSIX has it; none if nobody can tell. What is missing, or is no
/// directory yet, may still be made.
pub(crate) fn leads_to(files: &FakeFiles, path: &str) -> Option<String> {
    if path.contains('\0') {
        return None;
    }
    let mut todo: Vec<String> = parts(path);
    let mut at: Vec<String> = Vec::new();
    let mut links = 0;
    while let Some(part) = todo.pop() {
        if part == ".." {
            at.pop();
            continue;
        }
        at.push(part);
        match files.look(&absolute(&at)) {
            Look::Link(to) => {
                links += 1;
                at.pop();
                if to.starts_with('/') {
                    at.clear();
                }
                todo.extend(parts(&to));
            }
            Look::Error => return None,
            _ => {}
        }
        if links > 40 {
            return None;
        }
    }
    Some(absolute(&at))
}

/// The components, the first one last.
fn parts(path: &str) -> Vec<String> {
    let real = |part: &&str| !part.is_empty() && *part != ".";
    path.split('/')
        .filter(real)
        .map(str::to_owned)
        .rev()
        .collect()
}

fn absolute(parts: &[String]) -> String {
    match parts.is_empty() {
        true => "/".to_owned(),
        false => format!("/{}", parts.join("/")),
    }
}

/// The path with `.` and `..` taken out, links or not.
pub(crate) fn lexical(path: &str) -> String {
    let mut at: Vec<String> = Vec::new();
    for part in parts(path).into_iter().rev() {
        if part == ".." {
            at.pop();
        } else {
            at.push(part);
        }
    }
    absolute(&at)
}

/// Whether a path is a directory or something in it.
pub(crate) fn is_in(path: &str, directory: &str) -> bool {
    let rest = path.strip_prefix(directory);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
