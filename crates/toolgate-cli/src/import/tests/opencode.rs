//! opencode: the last rule that matches counts.

use std::fmt::Write;

use toolgate::Effect;

use super::kit::{
    Act, LINES, Numbers, commands, effect, imported, never_wider, of_line, policy, wild,
    wild_command,
};
use crate::{import::System, style::word};

/// A key, and a decision or patterns with one each, in their order.
type Permission = Vec<(&'static str, Vec<(&'static str, Effect)>)>;

struct Config {
    everybody: Permission,
    /// Those of one agent.
    agent: Permission,
    /// Tools that are switched off.
    off: Vec<&'static str>,
}

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

const KEYS: [&str; 13] = [
    "*",
    "bash",
    "bash",
    "edit",
    "read",
    "list",
    "write",
    "webfetch",
    "todowrite",
    "a_b",
    "a_*",
    "ba*",
    "external_directory",
];

fn config(numbers: &mut Numbers) -> Config {
    let mut some = |most: usize| match numbers.below(most) {
        0 => permission(numbers),
        _ => Permission::new(),
    };
    let (everybody, agent) = (some(1), some(4));
    let off = match numbers.below(6) {
        0 => numbers.some(&["bash", "write", "edit", "read", "a_*", "todowrite"], 2),
        _ => Vec::new(),
    };
    Config {
        everybody,
        agent,
        off,
    }
}

fn permission(numbers: &mut Numbers) -> Permission {
    let effects = [
        Effect::Allow,
        Effect::Allow,
        Effect::Allow,
        Effect::Ask,
        Effect::Deny,
    ];
    let mut keys = KEYS.to_vec();
    let mut config = Permission::new();
    for _ in 0..=numbers.below(5) {
        let key = keys.remove(numbers.below(keys.len()));
        keys.retain(|other| *other != key);
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
    let off: Vec<_> = config
        .off
        .iter()
        .map(|tool| format!("\"{tool}\": false"))
        .collect();
    format!(
        "{{\"permission\": {}, \"tools\": {{{}}}, \"agent\": {{\"build\": {{\"permission\": {}}}}}}}",
        permission_text(&config.everybody),
        unique(off).join(", "),
        permission_text(&config.agent)
    )
}

fn unique(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list.dedup();
    list
}

fn permission_text(config: &Permission) -> String {
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
    format!("{{{}}}", keys.join(", "))
}

/// The stricter of what is decided for everybody and for the one agent.
fn decides(config: &Config, act: Act) -> Effect {
    let acts: Vec<_> = match act {
        Act::Run(line) => commands(line).into_iter().map(Act::Run).collect(),
        act => vec![act],
    };
    let of_agent = [&*config.everybody, &*config.agent].concat();
    let both = [&config.everybody, &of_agent].map(|permission| {
        let parts = acts.iter();
        of_line(parts.map(|act| of_part(permission, &config.off, *act)))
    });
    both.into_iter().max().unwrap()
}

fn of_part(permission: &Permission, off: &[&str], act: Act) -> Effect {
    let relative = |path: &'static str| path.strip_prefix("/w/").unwrap_or(path);
    let joined;
    let (key, value) = match act {
        Act::Run(line) => ("bash", line),
        Act::Read(path) => ("read", relative(path)),
        Act::List(path) => ("list", relative(path)),
        Act::Write(path) => ("edit", relative(path)),
        Act::Fetch(host) => ("webfetch", host),
        Act::Tool(None, name) => (name, "*"),
        Act::Tool(Some(server), name) => {
            joined = format!("{server}_{name}");
            (&*joined, "*")
        }
    };
    let decided = |key: &str, value: &str| {
        let rules = permission.iter().filter(|(of, _)| wild(of, key));
        let rules = rules.flat_map(|(_, rules)| rules);
        let mut met = rules.filter(|(pattern, _)| match act {
            Act::Run(_) => wild_command(pattern, value),
            _ => wild(pattern, value),
        });
        met.next_back().map_or(Effect::Ask, |(_, effect)| *effect)
    };
    let is_off = off
        .iter()
        .any(|off| wild(off, key) || (*off, key) == ("write", "edit"));
    let is_outside =
        matches!(act, Act::Read(_) | Act::List(_) | Act::Write(_)) && value.starts_with('/');
    let mut effect = decided(key, value);
    if is_outside {
        effect = effect.max(decided("external_directory", value));
    }
    if is_off { Effect::Deny } else { effect }
}

#[test]
fn nothing_is_decided_more_loosely() {
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
    acts.extend(paths.iter().map(|path| Act::List(path)));
    acts.extend(paths.iter().map(|path| Act::Write(path)));
    acts.extend([
        Act::Fetch("docs.rs"),
        Act::Tool(None, "todowrite"),
        Act::Tool(None, "a_b"),
    ]);
    acts.push(Act::Tool(Some("a"), "b"));
    acts.push(Act::Tool(Some("a_x"), "b"));
    let config = |numbers: &mut Numbers| {
        let config = config(numbers);
        let text = text(&config);
        (config, text)
    };
    never_wider(System::Opencode, &acts, config, decides);
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
