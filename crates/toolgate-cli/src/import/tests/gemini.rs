//! Gemini CLI: the rule of the highest priority counts.

use std::fmt::Write;

use toolgate::Effect;

use super::kit::{Act, LINES, Numbers, commands, effect, imported, never_wider, of_line, policy};
use crate::import::System;

#[derive(Debug, Clone, Copy)]
struct Rule {
    tool: &'static str,
    server: Option<&'static str>,
    prefix: Option<&'static str>,
    /// Something that we do not understand, so that the rule may be about anything or nothing.
    extra: Option<&'static str>,
    effect: Effect,
    priority: usize,
}

/// A tool, its server, a prefix of commands, and something else.
type Meant = (
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
    Option<&'static str>,
);

const TOOLS: [Meant; 23] = [
    ("read_file", None, None, None),
    ("read_file", None, None, Some("argsPattern = \"x\"")),
    ("list_directory", None, None, None),
    ("write_file", None, None, None),
    ("replace", None, None, None),
    ("web_fetch", None, None, None),
    ("b", Some("*"), None, None),
    ("read_*", None, None, None),
    ("run_shell_command", None, Some("git status"), None),
    ("run_shell_command", None, Some("git"), None),
    ("run_shell_command", None, Some("git push"), None),
    ("run_shell_command", None, Some("npm run 'x'"), None),
    ("run_shell_command", None, None, None),
    (
        "run_shell_command",
        None,
        None,
        Some("commandRegex = \".*\""),
    ),
    (
        "run_shell_command",
        None,
        Some("ls"),
        Some("modes = [\"yolo\"]"),
    ),
    (
        "run_shell_command",
        None,
        Some("ls"),
        Some("modes = [\"default\", \"plan\"]"),
    ),
    ("plan", None, None, None),
    ("plan", None, None, Some("subagent = \"x\"")),
    ("plan", None, None, Some("argsPattern = \"x\"")),
    ("b", Some("a"), None, None),
    ("*", Some("a"), None, None),
    ("*", None, None, None),
    ("mcp_a_b", None, None, None),
];

fn text(rules: &[Rule]) -> String {
    let mut text = String::new();
    for rule in rules {
        let decision = match rule.effect {
            Effect::Allow => "allow",
            Effect::Ask => "ask_user",
            Effect::Deny => "deny",
        };
        let _ = writeln!(text, "[[rule]]\ntoolName = \"{}\"", rule.tool);
        let _ = writeln!(
            text,
            "decision = \"{decision}\"\npriority = {}",
            rule.priority
        );
        if let Some(server) = rule.server {
            let _ = writeln!(text, "mcpName = \"{server}\"");
        }
        if let Some(prefix) = rule.prefix {
            let _ = writeln!(text, "commandPrefix = [\"{prefix}\"]");
        }
        let _ = writeln!(text, "{}", rule.extra.unwrap_or_default());
    }
    text
}

fn matches(rule: &Rule, act: Act) -> bool {
    let own = |name: &str| (rule.tool == name || rule.tool == "*") && rule.server.is_none();
    match act {
        Act::Run(command) => {
            let begins = |prefix: &str| {
                let rest = command.strip_prefix(prefix);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            };
            own("run_shell_command") && rule.prefix.is_none_or(begins)
        }
        Act::Read(_) => own("read_file"),
        Act::List(_) => own("list_directory"),
        Act::Write(_) => own("write_file"),
        Act::Fetch(_) => own("web_fetch"),
        Act::Tool(None, name) => own(name),
        Act::Tool(Some(server), name) => match rule.server {
            Some(of) => (of == server || of == "*") && (rule.tool == name || rule.tool == "*"),
            None => rule.tool == "*" || rule.tool == format!("mcp_{server}_{name}"),
        },
    }
}

/// What is decided at least: whether a rule that says more than we understand is about a call
/// cannot be known.
fn decides(rules: &[Rule], act: Act) -> Effect {
    let acts: Vec<_> = match act {
        Act::Run(line) => commands(line).into_iter().map(Act::Run).collect(),
        act => vec![act],
    };
    let of_part = |act: &Act| {
        let mut met: Vec<_> = rules.iter().filter(|rule| matches(rule, *act)).collect();
        met.sort_by_key(|rule| std::cmp::Reverse(rule.priority));
        let mut effects = Vec::new();
        for rule in met {
            effects.push(rule.effect);
            if rule.extra.is_none_or(|extra| extra.contains("default")) {
                return effects.into_iter().max().unwrap().max(bounds(*act));
            }
        }
        effects
            .into_iter()
            .max()
            .unwrap_or(Effect::Ask)
            .max(Effect::Ask)
    };
    of_line(acts.iter().map(of_part))
}

/// What tools keep to, whatever rules say: the workspace, and no redirections.
fn bounds(act: Act) -> Effect {
    let fits = match act {
        Act::Run(line) => !line.contains(['<', '>']),
        Act::Read(path) | Act::List(path) | Act::Write(path) => path.starts_with("/w/"),
        _ => true,
    };
    if fits { Effect::Allow } else { Effect::Ask }
}

#[test]
fn nothing_is_decided_more_loosely() {
    let mut acts: Vec<_> = LINES.iter().map(|line| Act::Run(line)).collect();
    acts.extend(["git log > /w/src/x", "git status < /w/a"].map(Act::Run));
    for path in ["/w/a", "/etc/passwd"] {
        acts.extend([Act::Read(path), Act::List(path), Act::Write(path)]);
    }
    acts.extend([
        Act::Fetch("docs.rs"),
        Act::Tool(None, "plan"),
        Act::Tool(Some("a"), "b"),
        Act::Tool(Some("a"), "c"),
        Act::Tool(Some("x"), "b"),
    ]);
    let effects = [
        Effect::Allow,
        Effect::Allow,
        Effect::Allow,
        Effect::Ask,
        Effect::Deny,
    ];
    let config = |numbers: &mut Numbers| {
        let rules: Vec<_> = numbers
            .some(&TOOLS, 6)
            .into_iter()
            .enumerate()
            .map(|(number, (tool, server, prefix, extra))| Rule {
                tool,
                server,
                prefix,
                extra,
                effect: numbers.one(&effects),
                // No two are the same: which of them counts then is not said anywhere.
                priority: numbers.below(90) * 10 + number,
            })
            .collect();
        let text = text(&rules);
        (rules, text)
    };
    never_wider(System::Gemini, &acts, config, |rules: &Vec<Rule>, act| {
        decides(rules, act)
    });
}

#[test]
fn a_rule_for_everything_else_is_the_default() {
    let rules = "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 1\n\
                 [[rule]]\ntoolName = \"read_file\"\ndecision = \"allow\"\npriority = 2\n";
    let imported = imported(System::Gemini, rules);
    assert_eq!(imported.losses, []);
    let policy = policy(&imported);
    assert_eq!(effect(&policy, Act::Read("/w/a")), Effect::Allow);
    assert_eq!(effect(&policy, Act::Read("/etc/passwd")), Effect::Deny);
    assert_eq!(effect(&policy, Act::Run("ls")), Effect::Deny);
}

#[test]
fn another_order_is_reported() {
    let rules = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"git\"\n\
                 decision = \"deny\"\npriority = 1\n\
                 [[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"git log\"\n\
                 decision = \"allow\"\npriority = 2\n";
    let imported = imported(System::Gemini, rules);
    assert_eq!(imported.losses.len(), 1, "{:?}", imported.losses);
    assert!(imported.losses[0].what.contains("rule 2 came before it"));
    assert_eq!(
        effect(&policy(&imported), Act::Run("git log")),
        Effect::Deny
    );
}
