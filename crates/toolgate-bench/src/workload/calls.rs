//! Calls that rules are about.

use serde_json::{Map, Value, json};

use super::{Call, Kind, Rule};
use crate::random::Random;

const WORDS: [&str; 16] = [
    "the", "agent", "reads", "a", "file", "then", "edits", "one", "function", "and", "runs",
    "tests", "before", "it", "opens", "naïve",
];

/// A call that a rule matches, and no other one.
pub(super) fn about(rule: &Rule, random: &mut Random) -> Call {
    let number = random.below(1_000);
    let mut capabilities = Vec::new();
    let (tool, mut args) = match rule.kind {
        Kind::Tool => (rule.pattern.clone(), other(random)),
        Kind::ToolGlob => (
            rule.pattern.replace('*', &format!("x{number}")),
            other(random),
        ),
        Kind::Capability => {
            capabilities.push(rule.pattern.clone());
            (format!("free{number}_tool"), other(random))
        }
        Kind::Path => {
            let path = rule.pattern.replace("**/*", &format!("deep/f{number}"));
            let path = path.replace("**", &format!("deep/f{number}.txt"));
            ("write_file".to_owned(), object(json!({"path": path})))
        }
        Kind::Shell => ("shell".to_owned(), object(json!({"command": rule.pattern}))),
        Kind::Host => {
            let host = rule.pattern.replace('*', "www");
            let url = format!("https://{host}/docs/page-{number}");
            ("fetch".to_owned(), object(json!({"url": url})))
        }
    };
    // A tool of a known kind has no arguments beside those that are judged.
    let key = match rule.kind {
        Kind::Shell | Kind::Host => None,
        _ => Some("content"),
    };
    args.extend(key.map(|key| (key.to_owned(), Value::from(text(350, random)))));
    Call {
        kind: rule.kind,
        tool,
        capabilities,
        args,
        expected: rule.effect,
    }
}

/// Arguments that no rule is about.
fn other(random: &mut Random) -> Map<String, Value> {
    let edits: Vec<_> = (0..random.below(5))
        .map(|line| json!({"line": line * 40, "text": text(30, random)}))
        .collect();
    object(json!({
        "description": text(40, random),
        "timeout_ms": 30_000,
        "dry_run": random.below(3) == 0,
        "options": {"depth": random.below(9), "tags": ["table", "queue"], "ratio": 0.25, "cursor": null},
        "edits": edits,
    }))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Words of so many bytes, about.
pub(crate) fn text(length: usize, random: &mut Random) -> String {
    let mut text = String::new();
    while text.len() < length {
        text.push_str(random.pick::<&str>(&WORDS));
        text.push(' ');
    }
    text
}
