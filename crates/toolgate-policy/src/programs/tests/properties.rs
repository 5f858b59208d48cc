//! What holds for any words.

use proptest::prelude::*;

use super::*;
use crate::programs::table::Arity;

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
    let opts = options(command);
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
