//! Lines that a shell would run.
//!
//! 1. A deny holds whatever follows it, and whatever stands before it in an allowed line.
//! 2. An allowed line has no part that was not understood, and each of its commands is covered.
//! 3. Each of these commands is allowed by itself, with every word in quotes.
//! 4. A rule that denies the program of any of its commands denies the line.
//! 5. Further rules that deny or ask never let more through.

use std::{collections::HashMap, sync::LazyLock};

use toolgate::Effect;
use toolgate_policy::{FilePolicy, Parsed, ParsedCommand, ParsedLine};

use crate::kit;

const ALLOWED: [&str; 14] = [
    "ls", "echo", "cat", "git", "cargo", "grep", "find", "head", "sort", "sed", "cd", "timeout",
    "nice", "env",
];

const POLICY: &str = r#"
workspace = "/w"
[shell]
allow = ["ls *", "echo *", "cat *", "git status *", "git log *", "git diff *", "cargo test *", "grep *", "find *", "head *", "sort *", "sed *", "cd *"]
ask = ["git push *", "git log --all *"]
deny = ["rm -rf *", "curl *", { pattern = "aws *", except = ["aws * describe-* *"] }]
env_allow = ["CI", "RUST_LOG"]
transparent_wrappers = ["timeout", "nice", "env", "time"]
redirect_allow = ["target/**"]
[read]
allow = ["src/**"]
deny = ["secrets"]
[write]
allow = ["docs/**"]
"#;

const FURTHER: &str = r#"
[shell]
deny = ["echo x *", "* --stat *", "find * -name *", "cat .env"]
ask = ["git diff *", "ls -l *", "head"]
"#;

static BASE: LazyLock<FilePolicy> = LazyLock::new(|| kit::policy(POLICY));

static STRICTER: LazyLock<FilePolicy> = LazyLock::new(|| kit::with(POLICY, FURTHER));

/// The policy with a rule that denies one program.
static WITHOUT: LazyLock<HashMap<&str, FilePolicy>> = LazyLock::new(|| {
    let without = |program: &'static str| {
        let further = format!("[shell]\ndeny = [\"{program} *\"]\n");
        (program, kit::with(POLICY, &further))
    };
    ALLOWED.into_iter().map(without).collect()
});

/// Checks a line.
pub fn check(text: &str) {
    let line = kit::line(text);
    let effect = kit::effect(&BASE, &line);
    let further = kit::effect(&STRICTER, &line);
    assert!(
        further >= effect,
        "a further rule made {effect:?} {further:?}"
    );
    let denied = kit::effect(&BASE, &kit::line(&format!("rm -rf /\n{text}")));
    assert_eq!(denied, Effect::Deny, "what follows hides a deny");
    let explained = BASE.explain(&line);
    assert_eq!(explained.effect, effect, "explained otherwise");
    if effect == Effect::Allow {
        allowed(text, &explained.parsed);
    }
}

fn allowed(text: &str, parsed: &[Parsed]) {
    let [Parsed::Line(line)] = parsed else {
        assert!(parsed.is_empty(), "a line was read as something else");
        return;
    };
    understood(line);
    for command in line.commands.iter().filter(|command| command.depth == 0) {
        by_itself(command);
    }
    for command in &line.commands {
        deniable(text, command);
    }
    followed_by_a_deny(text);
}

fn understood(line: &ParsedLine) {
    assert_eq!(line.problem, None, "allowed and not understood");
    assert!(!line.commands.is_empty(), "nothing was allowed");
    for command in &line.commands {
        assert!(command.refused_by.is_empty(), "allowed and refused");
        let covered = command.depth > 0 || command.covered_by.is_some();
        assert!(covered, "allowed and not covered: {:?}", command.why_not);
    }
}

/// `time` is a keyword only as it is; a pattern of file names is one only without quotes.
fn by_itself(command: &ParsedCommand) {
    // What stands in quotes beside a pattern cannot be told from the pattern.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "*?/._-".contains(c);
    let mut patterns = command.words.iter().filter(|word| !word.literal);
    if !patterns.all(|word| word.text.chars().all(is_plain)) {
        return;
    }
    let written = command.words.iter().map(|word| match word.literal {
        true if word.text == "time" => "time".to_owned(),
        true => kit::quote(&word.text),
        false => word.text.clone(),
    });
    let written = written.collect::<Vec<_>>().join(" ");
    if written.is_empty() {
        return;
    }
    let alone = kit::effect(&BASE, &kit::line(&written));
    assert_eq!(alone, Effect::Allow, "not allowed by itself: {written}");
}

fn deniable(text: &str, command: &ParsedCommand) {
    let program = command.words.first().map(|word| word.text.as_str());
    let Some(policy) = program.and_then(|program| WITHOUT.get(program)) else {
        let known = program.is_none_or(|program| program == "time");
        assert!(known, "a program is allowed of which no rule speaks");
        return;
    };
    let effect = kit::effect(policy, &kit::line(text));
    assert_eq!(effect, Effect::Deny, "a deny of {program:?} was passed by");
}

fn followed_by_a_deny(text: &str) {
    let with = |end: &str| kit::effect(&BASE, &kit::line(&format!("{text}{end}")));
    assert!(
        with(" ; rm -rf /") > Effect::Allow,
        "a command was not seen"
    );
    let goes_on = text.ends_with('\\');
    let next_line = with("\nrm -rf /");
    assert!(
        next_line == Effect::Deny || goes_on,
        "the next line was not seen"
    );
}
