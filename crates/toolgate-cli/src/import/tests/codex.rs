//! Codex: words from the front, the strictest rule counts.

use toolgate::Effect;

use super::kit::{Act, LINES, Numbers, commands, effect, imported, never_wider, policy};
use crate::import::System;

type Rules = Vec<(Effect, Vec<Vec<&'static str>>)>;

const WORDS: [&[&str]; 12] = [
    &["git"],
    &["npm"],
    &["ls"],
    &["status"],
    &["push", "log"],
    &["log"],
    &["run"],
    &["test"],
    &["--force"],
    &["-rf"],
    &["main", "src"],
    &["a b"],
];

fn decision(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "prompt",
        Effect::Deny => "forbidden",
    }
}

fn text(rules: &Rules) -> String {
    let rule = |(effect, pattern): &(Effect, Vec<Vec<&str>>)| {
        format!(
            "prefix_rule(pattern = {pattern:?}, decision = \"{}\")\n",
            decision(*effect)
        )
    };
    rules.iter().map(rule).collect()
}

fn decides(rules: &Rules, act: Act) -> Effect {
    let Act::Run(line) = act else {
        return Effect::Ask;
    };
    let of_command = |command: &&str| {
        let words: Vec<_> = command.split(' ').collect();
        let met = rules.iter().filter(|(_, pattern)| {
            let mut both = pattern.iter().zip(&words);
            pattern.len() <= words.len() && both.all(|(choice, word)| choice.contains(word))
        });
        // Without a rule there is no decision, and somebody is asked.
        met.map(|(effect, _)| *effect).max().unwrap_or(Effect::Ask)
    };
    commands(line).iter().map(of_command).max().unwrap()
}

#[test]
fn nothing_is_decided_more_loosely() {
    let acts: Vec<_> = LINES.iter().map(|line| Act::Run(line)).collect();
    let effects = [
        Effect::Allow,
        Effect::Allow,
        Effect::Allow,
        Effect::Ask,
        Effect::Deny,
    ];
    let config = |numbers: &mut Numbers| {
        let rules: Rules = (0..=numbers.below(6))
            .map(|_| {
                let first = numbers.one(&WORDS[..3]);
                let rest = numbers.some(&WORDS[3..], 2);
                let pattern = [first].into_iter().chain(rest).map(<[_]>::to_vec);
                (numbers.one(&effects), pattern.collect())
            })
            .collect();
        let text = text(&rules);
        (rules, text)
    };
    never_wider(System::Codex, &acts, config, decides);
}

#[test]
fn rules_are_carried_over_with_their_reasons() {
    let rules = "prefix_rule(pattern=[\"git\", [\"status\", \"log\"]])\n\
                 prefix_rule(pattern=[\"git\", \"push\"], decision=\"forbidden\", justification=\"Use `jj`.\")\n\
                 network_rule(host=\"docs.rs\", protocol=\"https\", decision=\"allow\")\n\
                 network_rule(host=\"evil.com\", protocol=\"http\", decision=\"deny\")\n";
    let imported = imported(System::Codex, rules);
    assert_eq!(imported.losses, []);
    let policy = policy(&imported);
    assert_eq!(
        effect(&policy, Act::Run("git log --oneline")),
        Effect::Allow
    );
    assert_eq!(effect(&policy, Act::Run("git push")), Effect::Deny);
    assert_eq!(effect(&policy, Act::Fetch("docs.rs")), Effect::Allow);
    assert_eq!(effect(&policy, Act::Fetch("a.evil.com")), Effect::Deny);
    assert!(imported.toml.contains("reason = \"Use `jj`.\""));
}
