//! opencode: the last rule that matches counts.

use std::fmt::Write;

use toolgate::Effect;

use super::kit::{
    Act, LINES, Numbers, commands, effect, imported, never_wider, policy, wild, wild_command,
};
use crate::{import::System, style::word};

/// A key, and a decision or patterns with one each, in their order.
type Config = Vec<(&'static str, Vec<(&'static str, Effect)>)>;

const GLOBS: [&str; 12] = [
    "*",
    "git *",
    "git status",
    "git status *",
    "git push*",
    "git push *",
    "npm *",
    "npm run test*",
    "ls ?",
    "ls *",
    "* main",
    "rm *",
];
const PATHS: [&str; 7] = [
    "*",
    "src/*",
    "docs/*.md",
    "*.md",
    "src/a.rs",
    "~/x/*",
    "**/secret",
];

fn config(numbers: &mut Numbers) -> Config {
    let effects = [
        Effect::Allow,
        Effect::Allow,
        Effect::Allow,
        Effect::Ask,
        Effect::Deny,
    ];
    let mut keys = ["*", "bash", "edit", "read", "webfetch", "todowrite", "a_b"].to_vec();
    let mut config = Config::new();
    for _ in 0..=numbers.below(5) {
        let key = keys.remove(numbers.below(keys.len()));
        let pool: &[&str] = match key {
            "bash" => &GLOBS,
            "edit" | "read" => &PATHS,
            _ => &["*"],
        };
        let mut rules: Vec<(&str, Effect)> = Vec::new();
        for pattern in numbers.some(pool, 5) {
            if !rules.iter().any(|(known, _)| *known == pattern) {
                rules.push((pattern, numbers.one(&effects)));
            }
        }
        config.push((key, rules));
    }
    config
}

fn text(config: &Config) -> String {
    let mut keys = Vec::new();
    for (key, rules) in config {
        let value = match &**rules {
            [("*", effect)] => format!("\"{}\"", word(*effect)),
            rules => {
                let rule = |(pattern, effect): &(&str, Effect)| {
                    format!("\"{pattern}\": \"{}\"", word(*effect))
                };
                format!(
                    "{{{}}}",
                    rules.iter().map(rule).collect::<Vec<_>>().join(", ")
                )
            }
        };
        let mut pair = String::new();
        let _ = write!(pair, "\"{key}\": {value}");
        keys.push(pair);
    }
    format!("{{\"permission\": {{{}}}}}", keys.join(", "))
}

fn allows(config: &Config, act: Act) -> bool {
    let acts: Vec<_> = match act {
        Act::Run(line) => commands(line).into_iter().map(Act::Run).collect(),
        act => vec![act],
    };
    acts.iter().all(|act| {
        let (key, value) = match *act {
            Act::Run(line) => ("bash", line),
            Act::Read(path) => ("read", path.strip_prefix("/w/").unwrap_or(path)),
            Act::Write(path) => ("edit", path.strip_prefix("/w/").unwrap_or(path)),
            Act::Fetch(host) => ("webfetch", host),
            Act::Tool(_, name) => (name, "*"),
        };
        let rules = config.iter().filter(|(of, _)| *of == "*" || *of == key);
        let rules = rules.flat_map(|(_, rules)| rules);
        let mut met = rules.filter(|(pattern, _)| match act {
            Act::Run(_) => wild_command(pattern, value),
            _ => wild(pattern, value),
        });
        met.next_back()
            .is_some_and(|(_, effect)| *effect == Effect::Allow)
    })
}

#[test]
fn nothing_is_allowed_that_was_not() {
    let paths = [
        "/w/src/a.rs",
        "/w/src/x/y",
        "/w/docs/a.md",
        "/w/README.md",
        "/w/x/secret",
        "/etc/x",
    ];
    let mut acts: Vec<_> = LINES.iter().map(|line| Act::Run(line)).collect();
    acts.extend(paths.iter().map(|path| Act::Read(path)));
    acts.extend(paths.iter().map(|path| Act::Write(path)));
    acts.extend([
        Act::Fetch("docs.rs"),
        Act::Tool(None, "todowrite"),
        Act::Tool(None, "a_b"),
    ]);
    acts.push(Act::Tool(Some("a"), "b"));
    let config = |numbers: &mut Numbers| {
        let config = config(numbers);
        let text = text(&config);
        (config, text)
    };
    never_wider(System::Opencode, &acts, config, allows);
}

#[test]
fn the_order_of_keys_counts() {
    let early = r#"{"permission": {"bash": {"*": "ask", "git *": "allow", "git push *": "deny"}}}"#;
    let early = policy(&imported(System::Opencode, early));
    assert_eq!(effect(&early, Act::Run("git status")), Effect::Allow);
    assert_eq!(effect(&early, Act::Run("git push")), Effect::Deny);
    let late = r#"{"permission": {"bash": {"git *": "allow", "*": "ask"}}}"#;
    let late = policy(&imported(System::Opencode, late));
    assert_eq!(effect(&late, Act::Run("git status")), Effect::Ask);
}

#[test]
fn what_is_for_one_agent_restricts_all() {
    let text = r#"{"permission": {"bash": {"git *": "allow"}},
        "agent": {"build": {"permission": {"bash": {"git log *": "ask", "npm *": "allow"}}}}}"#;
    let imported = imported(System::Opencode, text);
    assert_eq!(imported.losses.len(), 1);
    let policy = policy(&imported);
    assert_eq!(effect(&policy, Act::Run("git log")), Effect::Ask);
    assert_eq!(effect(&policy, Act::Run("npm test")), Effect::Ask);
}
