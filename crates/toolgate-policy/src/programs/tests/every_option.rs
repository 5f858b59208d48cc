//! Every option of every table: in full, cut short, and next to one that nobody knows.

use super::*;
use crate::programs::table::Arity;

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
        for (path, command) in commands(name, &program.root) {
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
        for opt in options(command).iter().filter(|_| command.mode.is_empty()) {
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
        for opt in &options(command) {
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
        for opt in &options(command) {
            for name in opt.names.split(',').filter(long) {
                let short = &name[..name.len() - 1];
                if command.option(short).is_none() {
                    assert!(judge(&spelled(opt, short)).is_err(), "{path} {short}");
                }
            }
        }
    });
}
