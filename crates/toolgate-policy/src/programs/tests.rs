//! Tests over all tables.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::table::{Arity, Opt};
use super::*;

fn program(name: &str) -> Arc<Program> {
    Programs::builtin().get(name).expect(name)
}

/// The words of a line, with those in single quotes kept together.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut glued = false;
    for (nth, part) in line.split('\'').enumerate() {
        if nth % 2 == 1 {
            glue(&mut words, part, glued);
            glued = true;
            continue;
        }
        for (at, word) in part.split(' ').enumerate() {
            if word.is_empty() {
                glued &= at == 0;
            } else {
                glue(&mut words, word, glued && at == 0);
            }
        }
        glued = !part.ends_with(' ') && !part.is_empty();
    }
    words
}

fn glue(words: &mut Vec<String>, part: &str, glued: bool) {
    match words.last_mut().filter(|_| glued) {
        Some(last) => last.push_str(part),
        None => words.push(part.to_owned()),
    }
}

fn judge(words: &[String], literal: usize) -> Result<(), NotCovered> {
    let glob = |text: &str| text.starts_with("src/*") || text.contains("=*.") || text == "a*";
    let list: Vec<Word<'_>> = words
        .iter()
        .map(|text| Word {
            text,
            glob: glob(text),
        })
        .collect();
    program(&words[0]).covers(&list, literal)
}

/// The cases of a file: all words, and how many of them the rule spells out.
fn cases(text: &'static str) -> Vec<(Vec<String>, usize)> {
    let mut cases: Vec<String> = Vec::new();
    for line in text.lines() {
        match cases.last_mut().filter(|_| line.starts_with('}')) {
            Some(last) => *last = format!("{last}\n{line}"),
            None => cases.push(line.to_owned()),
        }
    }
    cases
        .iter()
        .filter(|line| !line.starts_with('#'))
        .map(|line| {
            let (rule, rest) = line.split_once(" * => ").expect(line);
            let rule = words(rule);
            let literal = rule.len();
            ([rule, words(rest)].concat(), literal)
        })
        .collect()
}

#[test]
fn harmless_words_are_covered() {
    let wrong: Vec<String> = cases(include_str!("tests/covered.txt"))
        .into_iter()
        .filter_map(|(words, literal)| {
            let why = judge(&words, literal).err()?;
            Some(format!("{words:?}: {why}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn other_words_are_not_covered() {
    let wrong: Vec<Vec<String>> = cases(include_str!("tests/refused.txt"))
        .into_iter()
        .filter(|(words, literal)| judge(words, *literal).is_ok())
        .map(|(words, _)| words)
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// All commands of a table, with the words that lead to them.
fn commands(words: String, root: &Arc<Command>) -> Vec<(String, Arc<Command>)> {
    let mut found = vec![(words.clone(), Arc::clone(root))];
    for (name, sub) in &root.subs {
        found.extend(commands(format!("{words} {name}"), sub));
    }
    for (name, module) in &root.modules {
        found.extend(commands(format!("{words} -m {name}"), module));
    }
    found
}

/// All programs, each under one of its names.
fn programs() -> Vec<(&'static str, Program)> {
    let mut seen = BTreeSet::new();
    let tables = builtin::TABLES.iter();
    tables
        .filter(|(_, source)| seen.insert(*source))
        .map(|(name, source)| match format::program(name, source) {
            Ok(program) => (*name, program),
            Err(error) => panic!("{name}: {error}"),
        })
        .collect()
}

fn all_commands() -> Vec<(String, Arc<Command>)> {
    let of = |(name, program): &(&str, Program)| commands((*name).to_owned(), &program.root);
    programs().iter().flat_map(of).collect()
}

fn options(command: &Command) -> impl Iterator<Item = &Opt> {
    command.sets.iter().flat_map(|set| &set.opts)
}

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
        for name in options(&command).flat_map(|opt| opt.names.split(',')) {
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
        assert!(!(command.wild && command.inner.is_some()), "{path}");
        for opt in options(&command).filter(|opt| opt.harmless) {
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
        for opt in options(&command).filter(|opt| opt.harmless) {
            for name in opt.names.split(',').filter(|name| !known.contains(name)) {
                if words.iter().any(|word| name.contains(word)) {
                    found.insert(format!("{path}: {name}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_wildcard_that_covers_nothing_is_a_mistake() {
    let has_use = |rule: &str| {
        let words: Vec<&str> = rule.split(' ').collect();
        program(words[0]).has_use_for_wildcard(&words)
    };
    for rule in [
        "git",
        "git log",
        "git stash list",
        "cargo",
        "cargo nextest run",
        "npx tsc --noEmit",
        "python3 -m pytest",
        "python3 scripts/lint.py",
        "command -v",
        "uv run pytest",
        "find",
        "docker compose ps",
        "tar cf",
        "black --check",
        "echo",
        "[",
        "npm run",
        "make -C x",
    ] {
        assert!(has_use(rule), "{rule}");
    }
    for rule in [
        "env",
        "sudo",
        "xargs",
        "bash",
        "bash -c",
        "python3",
        "python3 -c",
        "node",
        "npx",
        "ssh",
        "git frobnicate",
        "git --frob log",
        "git gc",
        "source",
        "export",
        "perl -e",
        "eval",
        "docker run",
    ] {
        assert!(!has_use(rule), "{rule}");
    }
}

#[test]
fn a_table_is_read_quickly() {
    let (_, largest) = builtin::TABLES
        .iter()
        .max_by_key(|(_, source)| source.len())
        .unwrap();
    let start = std::time::Instant::now();
    for _ in 0..20 {
        format::program("largest", largest).unwrap();
    }
    println!("{:?} for {} bytes", start.elapsed() / 20, largest.len());
}

/// The words of an option, with a value if it needs one.
fn spelled<'t>(opt: &'t Opt, name: &'t str) -> Vec<&'t str> {
    match (opt.arity, opt.kind) {
        (Arity::Flag | Arity::Optional, _) => vec![name],
        (_, kind::Kind::Choice(choices)) => vec![name, choices.split(['|', '*']).next().unwrap()],
        (_, kind::Kind::Url) => vec![name, "https://a"],
        (_, kind::Kind::Sed) => vec![name, "p"],
        (_, kind::Kind::Slug) => vec![name, "a/b"],
        (Arity::Pair, _) => vec![name, "1", "1"],
        _ => vec![name, "1"],
    }
}

/// Hands every command, with a function that judges words behind those that lead to it.
fn every_command(mut see: impl FnMut(&str, &Command, &dyn Fn(&[&str]) -> Result<(), NotCovered>)) {
    for (name, program) in programs() {
        for (path, command) in commands(name.to_owned(), &program.root) {
            let judge = |words: &[&str]| {
                let mut all: Vec<&str> = path.split(' ').collect();
                let literal = all.len();
                all.extend(words);
                let word = |text| Word { text, glob: false };
                let all: Vec<Word<'_>> = all.into_iter().map(word).collect();
                program.covers(&all, literal)
            };
            if !command.syntax.text {
                see(&path, &command, &judge);
            }
        }
    }
}

#[test]
fn harmless_options_are_covered_and_others_are_not() {
    every_command(|path, command, judge| {
        for opt in options(command).filter(|_| command.mode.is_empty()) {
            for name in opt.names.split(',') {
                let judged = judge(&spelled(opt, name));
                assert_eq!(judged.is_ok(), opt.harmless, "{path} {name}: {judged:?}");
            }
        }
    });
}

#[test]
fn unknown_options_are_never_covered() {
    every_command(|path, command, judge| {
        assert!(judge(&["--zz-unknown"]).is_err(), "{path}");
        for opt in options(command) {
            let mut words = spelled(opt, opt.canonical());
            words.push("--zz-unknown");
            assert!(judge(&words).is_err(), "{path} {words:?}");
        }
    });
}

#[test]
fn abbreviations_are_never_covered() {
    every_command(|path, command, judge| {
        let long = |name: &&str| name.starts_with("--") && name.len() > 3;
        for opt in options(command) {
            for name in opt.names.split(',').filter(long) {
                let short = &name[..name.len() - 1];
                if command.option(short).is_none() {
                    assert!(judge(&spelled(opt, short)).is_err(), "{path} {short}");
                }
            }
        }
    });
}

/// A program and words that are likely to mean something to it.
fn command_line() -> impl Strategy<Value = Vec<String>> {
    let tables = 0..builtin::TABLES.len();
    (
        tables,
        prop::collection::vec((any::<prop::sample::Index>(), 0..6_u8), 0..8),
    )
        .prop_map(|(table, picks)| {
            let (name, source) = builtin::TABLES[table];
            let program = format::program(name, source).unwrap();
            let mut command = Arc::clone(&program.root);
            let mut words = vec![name.to_owned()];
            for (pick, what) in picks {
                words.extend(pick_word(&mut command, pick, what));
            }
            words
        })
}

fn pick_word(command: &mut Arc<Command>, pick: prop::sample::Index, what: u8) -> Vec<String> {
    let opts: Vec<&Opt> = options(command).collect();
    match what {
        0 if !command.subs.is_empty() => {
            let (name, sub) = pick.get(&command.subs).clone();
            *command = sub;
            vec![name.to_owned()]
        }
        0..=3 if !opts.is_empty() => {
            let opt = pick.get(&opts);
            let name = opt.names.split(',').next_back().unwrap_or_default();
            match opt.arity {
                Arity::Flag | Arity::Optional => vec![name.to_owned()],
                Arity::Required => vec![name.to_owned(), "x".to_owned()],
                Arity::Pair => vec![name.to_owned(), "x".to_owned(), "y".to_owned()],
            }
        }
        4 => vec!["-".to_owned()],
        _ => vec![(*pick.get(&["x", "src/lib.rs", "a=b", "1", "--", "p", "."])).to_owned()],
    }
}

fn list(words: &[String]) -> Vec<Word<'_>> {
    let word = |text| Word { text, glob: false };
    words.iter().map(String::as_str).map(word).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Nothing panics, whatever the words are.
    #[test]
    fn any_words_are_judged(
        table in 0..builtin::TABLES.len(),
        words in prop::collection::vec("(-{0,2}[a-zA-Z0-9=+@]{0,4}|\\PC{0,6})", 0..8),
        literal in 0..10_usize,
    ) {
        let (name, source) = builtin::TABLES[table];
        let program = format::program(name, source).unwrap();
        let words = [vec![name.to_owned()], words].concat();
        let strs: Vec<&str> = words.iter().map(String::as_str).collect();
        let _ = program.covers(&list(&words), literal);
        program.split(&strs);
        program.paths(&strs);
        if let Inner::Command(at) = program.inner(&strs) {
            prop_assert!(at <= strs.len());
        }
    }

    /// A longer rule covers no less: what a rule spells out needs no covering.
    #[test]
    fn spelling_out_more_never_covers_less(words in command_line(), literal in 1..8_usize) {
        let program = program(&words[0]);
        let words = list(&words);
        if program.covers(&words, literal).is_err() {
            return Ok(());
        }
        for more in literal..=words.len() {
            prop_assert!(program.covers(&words, more).is_ok(), "{words:?} {literal} {more}");
        }
    }
}
