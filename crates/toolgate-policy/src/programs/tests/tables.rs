//! Whether the tables make sense.

use super::*;

#[test]
fn every_table_is_listed_and_every_list_is_sorted() {
    let listed: BTreeSet<&str> = builtin::TABLES.iter().map(|(name, _)| *name).collect();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/programs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let name = file.strip_suffix(".toml").expect(&file);
        assert!(listed.contains(name), "{name}");
    }
    assert!(builtin::TABLES.is_sorted_by(|one, other| one.0 < other.0));
}

#[test]
fn no_option_is_listed_twice() {
    let mut twice = Vec::new();
    for (path, command) in all_commands() {
        let mut seen = BTreeSet::new();
        for name in options(&command)
            .iter()
            .flat_map(|opt| opt.names.split(','))
        {
            if !seen.insert(name) {
                twice.push(format!("{path}: {name}"));
            }
        }
        let subs: BTreeSet<&str> = command.subs.iter().map(|(name, _)| *name).collect();
        assert_eq!(subs.len(), command.subs.len(), "{path}");
    }
    assert!(twice.is_empty(), "{twice:#?}");
}

#[test]
fn options_that_a_table_refers_to_are_in_it() {
    let mut missing = Vec::new();
    for (path, command) in all_commands() {
        for name in command.mode.iter().chain(&command.instead) {
            if command.option(name).is_none() {
                missing.push(format!("{path}: {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn no_wildcard_reaches_what_runs_or_loads() {
    for (path, command) in all_commands() {
        for opt in options(&command).iter().filter(|opt| opt.harmless) {
            let runs = [kind::Kind::Line, kind::Kind::Inner, kind::Kind::Module];
            assert!(!runs.contains(&opt.kind), "{path}: {}", opt.names);
        }
    }
}

/// Names that mean nothing good, wherever they stand.
#[test]
fn no_harmless_option_sounds_dangerous() {
    let words = [
        "exec",
        "eval",
        "output-file",
        "outfile",
        "config-file",
        "upload",
        "plugin",
        "command",
        "rcfile",
        "script",
        "pager",
        "editor",
        "in-place",
        "files-from",
        "files0-from",
        "preload",
        "require",
        "engine",
        "checkpoint",
        "rsh",
        "proxy",
        "post",
        "init-file",
        "password",
    ];
    let known = [
        "--exec-path",
        "--require-git",
        "--no-require-git",
        "--require-pragma",
        "--required-version",
        "--required",
        "--require-virtualenv",
        "--no-pager",
        "--digest-commands",
        "--no-post-rewrite",
        "-digest-commands",
        "-cipher-commands",
        "-commands",
        "--no-config",
        "--engine",
        "-postscript",
        "--executability",
        "-executable",
        "--no-plugins",
        "--executable",
        "--list-extensions",
        "--scripts-are-modules",
        "--command",
        "--description",
        "--no-editorconfig",
        "--not-required",
        "--dereference-command-line",
        "--dereference-command-line-symlink-to-dir",
        "--no-description",
    ];
    let mut found = BTreeSet::new();
    for (path, command) in all_commands() {
        for opt in options(&command).iter().filter(|opt| opt.harmless) {
            for name in opt.names.split(',').filter(|name| !known.contains(name)) {
                if words.iter().any(|word| name.contains(word)) {
                    found.insert(format!("{path}: {name}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}
