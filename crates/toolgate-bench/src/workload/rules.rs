//! Rules of every kind.

use std::collections::HashSet;

use toolgate::Effect;

use super::{Kind, Mix, Rule};
use crate::random::Random;

const VERBS: [&str; 12] = [
    "get", "list", "create", "update", "delete", "search", "fetch", "merge", "close", "export",
    "run", "cancel",
];
const NOUNS: [&str; 12] = [
    "issue", "branch", "file", "commit", "user", "ticket", "page", "table", "bucket", "queue",
    "event", "secret",
];
const AREAS: [&str; 6] = [
    "fs.read",
    "net.fetch",
    "db.write",
    "mail.send",
    "pay.charge",
    "git.push",
];
const ENDINGS: [&str; 6] = ["rs", "ts", "py", "md", "json", "sql"];
const COMMANDS: [&str; 5] = [
    "make build-",
    "npm run task-",
    "kubectl get pods-",
    "cargo run --bin tool-",
    "terraform plan -target=m",
];

/// Makes rules of a mix, no two alike. Of each kind some allow; six of ten do, two ask, two deny.
pub(super) fn make(mix: Mix, size: usize, random: &mut Random) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut seen = HashSet::new();
    for &(kind, percent) in mix {
        for number in 0..(size * percent).div_ceil(100) {
            let pattern = loop {
                let pattern = pattern(kind, size, random);
                if seen.insert(pattern.clone()) {
                    break pattern;
                }
            };
            let effect = match number % 10 {
                1 | 6 => Effect::Ask,
                3 | 8 => Effect::Deny,
                _ => Effect::Allow,
            };
            rules.push(Rule {
                kind,
                pattern,
                effect,
            });
        }
    }
    while rules.len() > size {
        // Of few rules, those of the first kind are the most.
        rules.remove(0);
    }
    rules
}

fn pattern(kind: Kind, size: usize, random: &mut Random) -> String {
    let number = random.below(10 * size);
    let (verb, noun) = (*random.pick(&VERBS), *random.pick(&NOUNS));
    let shape = random.below(10);
    match kind {
        Kind::Tool => format!("srv{number:05}_{verb}_{noun}"),
        Kind::ToolGlob if shape < 7 => format!("group{number:05}_*"),
        Kind::ToolGlob if shape < 9 => format!("*_{verb}_g{number:05}"),
        Kind::ToolGlob => format!("half{number:05}_*_{verb}"),
        Kind::Capability => format!("{}.c{number}", random.pick(&AREAS)),
        Kind::Path if shape < 6 => format!("/workspace/proj{number}/src/**"),
        Kind::Path if shape < 8 => format!("/workspace/**/*.{}{number}", random.pick(&ENDINGS)),
        Kind::Path => format!("/workspace/lib{number}/**/*.{}", random.pick(&ENDINGS)),
        Kind::Shell => format!("{}{number}", random.pick(&COMMANDS)),
        Kind::Host if shape < 6 => format!("h{number}.example.com"),
        Kind::Host => format!("*.d{number}.example.org"),
    }
}
