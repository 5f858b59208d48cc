//! Tests over all tables.

mod every_option;
mod properties;
mod tables;

use std::collections::BTreeSet;

use super::table::Opt;
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

/// All commands of a table, with the words that lead to them.
fn commands(words: &str, root: &Arc<Command>) -> Vec<(String, Arc<Command>)> {
    let mut found = vec![(words.to_owned(), Arc::clone(root))];
    for (name, sub) in &root.subs {
        found.extend(commands(&format!("{words} {name}"), sub));
    }
    for (name, module) in &root.modules {
        found.extend(commands(&format!("{words} -m {name}"), module));
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
    let of = |(name, program): &(&str, Program)| commands(name, &program.root);
    programs().iter().flat_map(of).collect()
}

fn options(command: &Command) -> Vec<Opt> {
    let sets = command.sets.iter();
    sets.flat_map(|set| set.parse().unwrap()).collect()
}

#[test]
fn programs_that_run_others_say_so() {
    let role = |name: &str| program(name).role();
    for shell in [
        "bash", "sh", "zsh", "python3", "node", "perl", "ruby", "php",
    ] {
        assert_eq!(role(shell), Role::Interpreter, "{shell}");
    }
    for wrapper in [
        "env", "sudo", "timeout", "nice", "xargs", "ssh", "npx", "command",
    ] {
        assert_eq!(role(wrapper), Role::Wrapper, "{wrapper}");
    }
    for builtin in ["cd", "echo", "export", "source", "test"] {
        assert_eq!(role(builtin), Role::Builtin, "{builtin}");
    }
    assert_eq!(role("git"), Role::Ordinary);
    assert!(Programs::builtin().get("frobnicate").is_none());
}

/// A script once took time that grew with the square of its length.
#[test]
fn long_words_take_linear_time() {
    for (name, unit) in [
        ("awk", "x[1]/"),
        ("sed", "s/a/b/;"),
        ("jq", ".a"),
        ("ls", "-a"),
    ] {
        let word = unit.repeat(1_000_000 / unit.len());
        let start = std::time::Instant::now();
        let _ = judge(&[name.to_owned(), word], 1);
        assert!(start.elapsed().as_secs() < 4, "{name}");
    }
}
