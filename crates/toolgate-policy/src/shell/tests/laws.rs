//! What holds for every line.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::kit::{Policy, Verdict, findings, verdict, worst};
use crate::{
    finding::Outcome,
    shell::{
        ShellRules,
        line::{Dialect, Line},
        parse::parse,
    },
};

static RULES: LazyLock<ShellRules> = LazyLock::new(|| {
    let allow = [
        "ls *",
        "echo *",
        "cat *",
        "git status",
        "git log *",
        "a",
        "b *",
    ];
    let policy = Policy::allow(&allow).and(Outcome::Deny, &["rm *", "git push --force *"]);
    policy
        .env_allow(&["CI"])
        .transparent(&["timeout", "time", "env"])
        .compile()
        .unwrap()
});

/// Text with everything in it that means something to a shell.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => prop::sample::select(vec!["ls", "echo", "cat", "git log", "git status", "a", "b", "rm x", "x", "-n", "src/*", "CI=1 "]),
        4 => Just(" "),
        4 => prop::sample::select(vec![
            ";", "&", "|", "&&", "||", "\n", "$", "`", "(", ")", "<", ">", "'", "\"", "\\", "{", "}", "~", "*", "[", "]", "!", "#",
            "=", "$(", "<(", "<<", "2>&1", ">/dev/null", "time ", "if ", "then ", "fi", "\\\n", "\r", "\u{a0}", "é", "\0",
        ]),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

/// A line that is mostly allowed.
fn allowed() -> impl Strategy<Value = String> {
    let front = prop::sample::select(vec![
        "",
        "",
        "CI=1 ",
        "time ",
        "timeout 5 ",
        "env CI=1 ",
        "2>&1 ",
    ]);
    let program = prop::sample::select(vec![
        "ls",
        "echo",
        "cat",
        "git log",
        "git 'status'",
        "\\a",
        "b",
    ]);
    let words = prop::sample::select(vec![
        "", " x", " 'a; b'", " \"$\"", " src/*", " -n 1", " a\\;b", " 2>&1", " '' é", " \\\n x",
        " a#b", " '`'",
    ]);
    let join = prop::sample::select(vec!["; ", " && ", "||", " | ", "&", "\n", " |& ", " &&\n"]);
    let command = (front, program, words, join).prop_map(|(a, b, c, d)| format!("{a}{b}{c}{d}"));
    prop::collection::vec(command, 0..4).prop_map(|commands| commands.concat() + "ls")
}

/// One of the commands of a line, written out again.
fn written(line: &Line<'_>, number: usize) -> String {
    let command = &line.commands[number];
    let quote = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let assignments = line
        .assignments(command)
        .iter()
        .map(|a| format!("{}={}", a.name, quote(&a.value.text)));
    let words = line
        .words(command)
        .iter()
        .map(|word| match word.is_literal() {
            // `time` is a keyword only as it is.
            true if word.text == "time" => "time".to_owned(),
            true => quote(&word.text),
            false => word.text.clone().into_owned(),
        });
    assignments.chain(words).collect::<Vec<_>>().join(" ")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, max_global_rejects: 40_000, ..ProptestConfig::default() })]

    #[test]
    fn every_line_is_judged(text in any::<String>(), mixed in text()) {
        let rules = &*RULES;
        for line in [&text, &mixed] {
            let _ = worst(&findings(rules, line));
            let first = findings(rules, line).0;
            prop_assert_eq!(&first, &findings(rules, line).0);
        }
        let words: Vec<&str> = mixed.split(' ').collect();
        let mut found = crate::finding::Findings::default();
        rules.judge_argv(&words, Some(&text), &|_| true, &mut super::kit::no_files, &mut found);
        let _ = worst(&found);
    }

    #[test]
    fn an_allowed_line_has_allowed_commands(text in prop_oneof![1 => text(), 9 => allowed()]) {
        let rules = &*RULES;
        prop_assume!(verdict(rules, &text) == Verdict::Allow);
        let line = parse(&text, Dialect::Bash);
        for number in 0..line.commands.len() {
            let command = written(&line, number);
            prop_assert_eq!(verdict(rules, &command), Verdict::Allow, "{} of {}", command, text);
        }
    }

    #[test]
    fn a_sign_in_an_allowed_line_is_harmless_or_noticed(
        text in prop_oneof![1 => text(), 9 => allowed()],
        sign in prop::sample::select(vec![";", "&", "|", "$", "`", "(", ")", "<", ">", "\n"]),
        at in any::<prop::sample::Index>(),
    ) {
        let rules = &*RULES;
        prop_assume!(verdict(rules, &text) == Verdict::Allow);
        let mut changed = text.clone();
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        changed.insert_str(places[at.index(places.len())], sign);
        if verdict(rules, &changed) == Verdict::Allow {
            let line = parse(&changed, Dialect::Bash);
            prop_assert!(line.problem.is_none());
            for number in 0..line.commands.len() {
                prop_assert_eq!(verdict(rules, &written(&line, number)), Verdict::Allow, "{}", changed);
            }
        }
    }

    #[test]
    fn a_deny_holds_however_it_is_written(
        front in prop::sample::select(vec!["", "a;", "a && ", "echo $(", "(", "if a; then ", "A=1 ", "! ", "a | ", "2>&1 ", "a\n"]),
        wrap in prop::collection::vec(prop::sample::select(vec!["env ", "sudo -u x ", "timeout 5 ", "nice -n 1 ", "command ", "env A=1 "]), 0..4),
        name in prop::sample::select(vec!["rm", "r\"\"m", "'rm'", "\\rm", "/bin/rm", "\"/usr/bin/rm\"", "r'm'"]),
        back in prop::sample::select(vec!["", " x", " -rf $y", " \"a b\"", " x > y", " $(z)", " # x", ";"]),
    ) {
        let line = format!("{front}{}{name}{back}", wrap.concat());
        prop_assert_eq!(verdict(&RULES, &line), Verdict::Deny, "{}", line);
    }

    #[test]
    fn another_deny_never_lets_more_through(text in prop_oneof![text(), allowed()]) {
        let (some, more) = &*SOME_AND_MORE;
        prop_assert!(verdict(more, &text) >= verdict(some, &text), "{}", text);
    }
}

static SOME_AND_MORE: LazyLock<(ShellRules, ShellRules)> = LazyLock::new(|| {
    let some = Policy::allow(&["ls *", "echo *", "b *"]);
    let more = some
        .clone()
        .and(Outcome::Deny, &["echo x", "* -n *"])
        .and(Outcome::Ask, &["b * src/a"]);
    (some.compile().unwrap(), more.compile().unwrap())
});
