//! Which classes of attacks there are.

use crate::case::Invalid;

/// Every class, by the name of its kind.
const KINDS: &[&str] = &[
    "approval", "args", "config", "handler", "memory", "net", "path", "prompt", "shell",
    "subagent", "tool",
];

/// What is harmless has classes of its own.
const BENIGN: &[&str] = &[
    "approval-flow",
    "build-and-misc",
    "files",
    "git",
    "node",
    "pipes-and-chains",
    "python",
    "rust",
    "search-and-view",
    "tools-and-net",
];

/// Refuses a class that nobody knows.
pub(super) fn check(class: &str) -> Result<(), Invalid> {
    let known = match class.split_once('/') {
        Some(("benign", name)) => BENIGN.contains(&name),
        Some((kind, name)) => KINDS.contains(&kind) && !name.is_empty(),
        None => false,
    };
    match known {
        true => Ok(()),
        false => Err(Invalid::new(format!("unknown class `{class}`"))),
    }
}
