//! Claude Code: deny before ask before allow; globs over text; patterns as in `.gitignore`.

mod said;

use serde_json::json;
use toolgate::Effect;

use super::kit::{Act, LINES, commands, never_wider, wild, wild_command};
use crate::import::System;

type Rules = Vec<(Effect, &'static str)>;

const POOL: [&str; 53] = [
    "Bash(cat *)",
    "Bash(head:*)",
    "Bash(touch *)",
    "Bash(rm -rf ~/*)",
    "Bash(git  push)",
    "Bash(FOO=1 *)",
    "Bash(git commit -m \"x\")",
    "Edit(*.lock)",
    "Foo(a:*)",
    "Bash",
    "Bash(*)",
    "Bash(git status)",
    "Bash(git status:*)",
    "Bash(git status *)",
    "Bash(git *)",
    "Bash(git push*)",
    "Bash(git push *)",
    "Bash(git * main)",
    "Bash(git log --oneline)",
    "Bash(npm run test*)",
    "Bash(npm run:*)",
    "Bash(npm*)",
    "Bash(* --version)",
    "Bash(ls ?)",
    "Bash(ls *)",
    "Bash(rm -rf *)",
    "Bash(*force*)",
    "Read",
    "Read(.env)",
    "Read(./secrets/**)",
    "Read(src)",
    "Read(/src/**)",
    "Read(//etc/**)",
    "Read(~/.zshrc)",
    "Read(*.md)",
    "Read(docs/)",
    "Read([ab].txt)",
    "Read(!x)",
    "Edit",
    "Edit(src/**)",
    "Edit(*.rs)",
    "Edit(//tmp/*)",
    "Write(src/**)",
    "WebFetch",
    "WebFetch(domain:docs.rs)",
    "WebFetch(domain:*.docs.rs)",
    "WebSearch",
    "mcp__a",
    "mcp__a__*",
    "mcp__a__b",
    "mcp__a__b__c",
    "mcp__*",
    "Agent(Explore)",
];

fn acts() -> Vec<Act> {
    let paths = [
        "/w/.env",
        "/w/a/.env",
        "/w/secrets/x",
        "/w/src/a.rs",
        "/w/src",
        "/w/lib/src/a.rs",
        "/etc/passwd",
        "/home/u/.zshrc",
        "/w/README.md",
        "/w/docs/a.md",
        "/w/docs/x/y",
        "/w/a.txt",
        "/tmp/x",
        "/tmp/x/y",
        "src/b.rs",
    ];
    let mut acts: Vec<_> = LINES.iter().map(|line| Act::Run(line)).collect();
    acts.extend(
        [
            "cat .env",
            "cat a/.env",
            "head src/a.rs",
            "touch Cargo.lock",
            "rm -rf ~/x",
        ]
        .map(Act::Run),
    );
    acts.extend(paths.iter().map(|path| Act::Read(path)));
    acts.extend(paths.iter().map(|path| Act::Write(path)));
    acts.extend(["docs.rs", "a.docs.rs", "evil.com"].map(Act::Fetch));
    acts.extend([
        Act::Tool(None, "WebSearch"),
        Act::Tool(None, "Agent"),
        Act::Tool(Some("a"), "b"),
        Act::Tool(Some("a"), "b__c"),
        Act::Tool(Some("a__b"), "c"),
        Act::Tool(Some("x"), "y"),
    ]);
    acts
}

/// Whether a rule is about a command, a path, a host or a tool.
fn matches(rule: &str, act: Act, effect: Effect) -> bool {
    let (tool, specifier) = match rule.strip_suffix(')').and_then(|rule| rule.split_once('(')) {
        Some((tool, specifier)) => (tool, Some(specifier)),
        None => (rule, None),
    };
    match (tool, act) {
        ("Bash", Act::Run(command)) => specifier.is_none_or(|glob| {
            let spaced = glob.strip_suffix(":*").map(|front| format!("{front} *"));
            wild_command(spaced.as_deref().unwrap_or(glob), command)
        }),
        ("Read", Act::Read(path)) | ("Edit", Act::Write(path)) => {
            specifier.is_none_or(|pattern| ignored(pattern, path))
        }
        // Such a rule is not about edits, so it does not allow what we call writing.
        ("Write", Act::Write(path)) => {
            effect != Effect::Allow && specifier.is_none_or(|pattern| ignored(pattern, path))
        }
        ("WebFetch", Act::Fetch(host)) => {
            specifier.is_none_or(|domain| wild(domain.strip_prefix("domain:").unwrap(), host))
        }
        (tool, Act::Tool(None, name)) => tool == name && specifier.is_none(),
        (tool, Act::Tool(Some(server), name)) => {
            let whole = format!("mcp__{server}__{name}");
            wild(tool, &whole) || tool == format!("mcp__{server}")
        }
        _ => false,
    }
}

/// Whether a path is meant by a pattern as in `.gitignore`, or is in what is meant.
fn ignored(pattern: &str, path: &str) -> bool {
    if pattern.contains(['[', '!', '?']) {
        return false;
    }
    let path = match path.strip_prefix('/') {
        Some(path) => path.to_owned(),
        None => format!("w/{path}"),
    };
    let (root, rest) = if let Some(rest) = pattern.strip_prefix("//") {
        ("", rest.to_owned())
    } else if let Some(rest) = pattern.strip_prefix("~/") {
        ("home/u/", rest.to_owned())
    } else if let Some(rest) = pattern.strip_prefix('/').or(pattern.strip_prefix("./")) {
        ("w/", rest.to_owned())
    } else if pattern.trim_end_matches('/').contains('/') {
        ("w/", pattern.to_owned())
    } else {
        ("w/", format!("**/{pattern}"))
    };
    let Some(below) = path.strip_prefix(root) else {
        return false;
    };
    let wanted: Vec<_> = rest.trim_end_matches('/').split('/').collect();
    let parts: Vec<_> = below.split('/').collect();
    (1..=parts.len()).any(|end| segments(&wanted, &parts[..end]))
}

fn segments(wanted: &[&str], parts: &[&str]) -> bool {
    match wanted.split_first() {
        None => parts.is_empty(),
        Some((&"**", [])) => !parts.is_empty(),
        Some((&"**", rest)) => (0..=parts.len()).any(|at| segments(rest, &parts[at..])),
        Some((one, rest)) => parts
            .split_first()
            .is_some_and(|(part, parts)| wild(one, part) && segments(rest, parts)),
    }
}

fn decides(rules: &Rules, act: Act) -> Effect {
    let acts: Vec<_> = match act {
        Act::Run(line) => commands(line).into_iter().map(Act::Run).collect(),
        act => vec![act],
    };
    let of_part = |act: &Act| {
        let any = |wanted: Effect, act: Act| {
            let mut rules = rules.iter().filter(|(effect, _)| *effect == wanted);
            rules.any(|(effect, rule)| matches(rule, act, *effect))
        };
        let is_own = match act {
            Act::Read(path) => path.starts_with("/w/") || !path.starts_with('/'),
            _ => false,
        };
        let held_back = to_files(*act).iter().any(|act| {
            // It is denied there; that it is not allowed here is all that is promised.
            any(Effect::Ask, *act) || any(Effect::Deny, *act)
        });
        if any(Effect::Deny, *act) {
            Effect::Deny
        } else if held_back || any(Effect::Ask, *act) || !(any(Effect::Allow, *act) || is_own) {
            Effect::Ask
        } else {
            Effect::Allow
        }
    };
    acts.iter().map(of_part).max().unwrap()
}

/// What a command does to files, as far as it is looked at there.
fn to_files(act: Act) -> Vec<Act> {
    let Act::Run(line) = act else {
        return Vec::new();
    };
    match line.split_once(' ') {
        Some(("cat" | "head", path)) => vec![Act::Read(path)],
        Some(("touch", path)) => vec![Act::Write(path)],
        _ => Vec::new(),
    }
}

fn text(rules: &Rules) -> String {
    let of = |wanted: Effect| -> Vec<_> {
        let rules = rules.iter().filter(|(effect, _)| *effect == wanted);
        rules.map(|(_, rule)| *rule).collect()
    };
    let (allow, ask, deny) = (of(Effect::Allow), of(Effect::Ask), of(Effect::Deny));
    json!({"permissions": {"allow": allow, "ask": ask, "deny": deny}}).to_string()
}

#[test]
fn nothing_is_decided_more_loosely() {
    let effects = [
        Effect::Allow,
        Effect::Allow,
        Effect::Allow,
        Effect::Ask,
        Effect::Deny,
    ];
    let config = |numbers: &mut super::kit::Numbers| {
        let chosen = numbers.some(&POOL, 8);
        let rules: Rules = chosen
            .into_iter()
            .map(|rule| (numbers.one(&effects), rule))
            .collect();
        let text = text(&rules);
        (rules, text)
    };
    never_wider(System::Claude, &acts(), config, decides);
}
