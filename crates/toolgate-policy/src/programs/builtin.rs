//! The tables that come with the crate, by the names that the programs are called by.

use super::Program;
use super::format::{self, Problem};

/// Reads the table of a program, if there is one.
pub(super) fn get(program: &str) -> Option<Result<Program, Problem>> {
    let at = TABLES
        .binary_search_by_key(&program, |(name, _)| name)
        .ok()?;
    let (name, source) = TABLES.get(at)?;
    Some(format::program(name, source))
}

/// Sorted by name.
pub(super) const TABLES: &[(&str, &str)] = &[
    ("ash", include_str!("../../programs/bash.toml")),
    ("awk", include_str!("../../programs/awk.toml")),
    ("bash", include_str!("../../programs/bash.toml")),
    ("cat", include_str!("../../programs/cat.toml")),
    ("cd", include_str!("../../programs/cd.toml")),
    ("dash", include_str!("../../programs/bash.toml")),
    ("echo", include_str!("../../programs/echo.toml")),
    ("egrep", include_str!("../../programs/grep.toml")),
    ("env", include_str!("../../programs/env.toml")),
    ("fgrep", include_str!("../../programs/grep.toml")),
    ("find", include_str!("../../programs/find.toml")),
    ("gawk", include_str!("../../programs/awk.toml")),
    ("gfind", include_str!("../../programs/find.toml")),
    ("git", include_str!("../../programs/git.toml")),
    ("grep", include_str!("../../programs/grep.toml")),
    ("gsed", include_str!("../../programs/sed.toml")),
    ("head", include_str!("../../programs/head.toml")),
    ("jq", include_str!("../../programs/jq.toml")),
    ("ksh", include_str!("../../programs/bash.toml")),
    ("ls", include_str!("../../programs/ls.toml")),
    ("mawk", include_str!("../../programs/awk.toml")),
    ("nawk", include_str!("../../programs/awk.toml")),
    ("rg", include_str!("../../programs/rg.toml")),
    ("sed", include_str!("../../programs/sed.toml")),
    ("sh", include_str!("../../programs/bash.toml")),
    ("sort", include_str!("../../programs/sort.toml")),
    ("sudo", include_str!("../../programs/sudo.toml")),
    ("tail", include_str!("../../programs/tail.toml")),
    ("wc", include_str!("../../programs/wc.toml")),
    ("zsh", include_str!("../../programs/bash.toml")),
];
