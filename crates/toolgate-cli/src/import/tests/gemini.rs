//! Gemini CLI: the rule of the highest priority counts.

use std::fmt::Write;

use toolgate::Effect;

use super::kit::{Act, LINES, Numbers, commands, never_wider};
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

const TOOLS: [Meant; 15] = [
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
    let is_default = rule.extra.is_none_or(|extra| extra.contains("default"));
    // Whether it is about this call cannot be known, so it counts where it restricts.
    if !is_default && rule.effect == Effect::Allow {
        return false;
    }
    match act {
        Act::Run(command) => {
            let is_tool = ["run_shell_command", "*"].contains(&rule.tool) && rule.server.is_none();
            let begins = |prefix: &str| {
                let rest = command.strip_prefix(prefix);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            };
            is_tool && rule.prefix.is_none_or(begins)
        }
        Act::Tool(None, name) => (rule.tool == name || rule.tool == "*") && rule.server.is_none(),
        Act::Tool(Some(server), name) => match rule.server {
            Some(of) => of == server && (rule.tool == name || rule.tool == "*"),
            None => rule.tool == "*" || rule.tool == format!("mcp_{server}_{name}"),
        },
        _ => false,
    }
}

fn allows(rules: &[Rule], act: Act) -> bool {
    let acts: Vec<_> = match act {
        Act::Run(line) => commands(line).into_iter().map(Act::Run).collect(),
        act => vec![act],
    };
    acts.iter().all(|act| {
        let met = rules.iter().filter(|rule| matches(rule, *act));
        let first = met.max_by_key(|rule| rule.priority);
        first.is_some_and(|rule| rule.effect == Effect::Allow)
    })
}

#[test]
fn nothing_is_allowed_that_was_not() {
    let mut acts: Vec<_> = LINES.iter().map(|line| Act::Run(line)).collect();
    acts.extend([
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
        allows(rules, act)
    });
}
