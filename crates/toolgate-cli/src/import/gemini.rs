//! The policies of Gemini CLI.
//!
//! There, the rule of the highest priority decides. Here it is the strictest, which is never looser.

use toml::{Table, Value};
use toolgate::Effect;

use super::{
    commands,
    draft::{Draft, Section},
};
use crate::fail::Fail;

/// What a rule may say beside the tool and the decision, and still be exact.
const HARMLESS: [&str; 8] = [
    "toolName",
    "mcpName",
    "commandPrefix",
    "decision",
    "priority",
    "denyMessage",
    "deny_message",
    "allowRedirection",
];

/// Reads the rules.
pub(super) fn read(name: &str, text: &str) -> Result<Draft, Fail> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| {
        let line = text.get(..error.span().map_or(0, |span| span.start));
        let line = line.unwrap_or_default().matches('\n').count() + 1;
        Fail::new(format!("{name}:{line}: {}", error.message()))
            .with_help("name a policy of Gemini CLI, which is TOML with a list of `[[rule]]`")
    })?;
    let mut draft = Draft::new(format!("Imported from {name}."));
    for (key, value) in &table {
        match key.as_str() {
            "rule" => {
                for (number, rule) in tables(value, name, key)?.iter().enumerate() {
                    Rule::new(rule, number)
                        .and_then(|rule| rule.add(&mut draft))
                        .map_err(|why| Fail::new(format!("{name}: rule {}: {why}", number + 1)))?;
                }
            }
            // A checker may refuse what a rule allows.
            "safety_checker" => {
                draft.ask_instead(Section::Tools, key, "a checker cannot be carried over");
            }
            other => draft.loss(other, "it is not carried over"),
        }
    }
    Ok(draft)
}

fn tables<'a>(value: &'a Value, name: &str, key: &str) -> Result<Vec<&'a Table>, Fail> {
    let list = value.as_array().into_iter().flatten();
    let tables: Option<Vec<_>> = list.map(Value::as_table).collect();
    let tables = tables.filter(|_| value.is_array());
    tables.ok_or_else(|| Fail::new(format!("{name}: `{key}` is not a list of tables")))
}

struct Rule<'a> {
    table: &'a Table,
    effect: Effect,
    from: String,
    server: Option<&'a str>,
    prefixes: Vec<&'a str>,
    /// What it says that has no match here.
    conditions: Vec<&'a str>,
}

impl<'a> Rule<'a> {
    fn new(table: &'a Table, number: usize) -> Result<Self, String> {
        let effect = match table.get("decision").and_then(Value::as_str) {
            Some("allow") => Effect::Allow,
            Some("ask_user") => Effect::Ask,
            Some("deny") => Effect::Deny,
            _ => return Err("`decision` is none of `allow`, `ask_user` and `deny`".to_owned()),
        };
        let mut conditions: Vec<_> = table
            .keys()
            .map(String::as_str)
            .filter(|key| !HARMLESS.contains(key))
            .collect();
        if holds_by_default(table) {
            conditions.retain(|key| *key != "modes");
        }
        Ok(Self {
            effect,
            from: format!("rule {}", number + 1),
            server: text(table, "mcpName")?,
            prefixes: texts(table, "commandPrefix")?,
            conditions,
            table,
        })
    }

    fn add(&self, draft: &mut Draft) -> Result<(), String> {
        if let (Effect::Allow, [condition, ..]) = (self.effect, &*self.conditions) {
            let what = format!("it allows nothing now: `{condition}` cannot be said here");
            draft.loss(&self.from, what);
            return Ok(());
        }
        let tools = match self.table.get("toolName") {
            None => vec!["*"],
            Some(_) => texts(self.table, "toolName")?,
        };
        for tool in tools {
            self.tool(draft, tool);
        }
        Ok(())
    }

    fn tool(&self, draft: &mut Draft, tool: &str) {
        let narrows = self
            .conditions
            .iter()
            .any(|key| !matches!(*key, "modes" | "interactive"));
        if tool == "run_shell_command" {
            return self.command(draft, narrows);
        }
        // A rule that restricts some calls of a tool would restrict all of them.
        let effect = match narrows {
            true => Effect::Ask,
            false => self.effect,
        };
        if narrows {
            draft.loss(
                &self.from,
                format!("every call of `{tool}` is asked about now"),
            );
        }
        let is_glued = tool.starts_with("mcp_") || tool.contains("__");
        match (self.server, tool) {
            (Some(server), tool) => {
                let pattern = format!("mcp:{server}/{tool}");
                self.named(draft, effect, &pattern);
            }
            (None, _) if is_glued && effect == Effect::Allow => {
                draft.loss(
                    &self.from,
                    "it allows nothing now: it does not name a server",
                );
            }
            (None, _) if is_glued => {
                draft.rule(Effect::Ask, Section::Tools, "mcp:*/*", &self.from);
                draft.loss(
                    &self.from,
                    "it does not name a server, so all are asked about",
                );
            }
            (None, tool) => self.named(draft, effect, tool),
        }
    }

    fn named(&self, draft: &mut Draft, effect: Effect, pattern: &str) {
        match (effect, pattern.contains('*')) {
            (Effect::Allow, true) if pattern == "*" || pattern.starts_with("mcp:*") => {
                draft.loss(&self.from, "it allowed every tool; now it allows nothing");
            }
            (effect, _) => draft.rule(effect, Section::Tools, pattern, &self.from),
        }
    }

    fn command(&self, draft: &mut Draft, narrows: bool) {
        if narrows {
            let why = "a pattern over arguments cannot be said here";
            return draft.ask_instead(Section::Shell, &self.from, why);
        }
        if self.prefixes.is_empty() {
            return commands::glob(draft, self.effect, "*", &self.from);
        }
        for prefix in &self.prefixes {
            let words: Vec<_> = prefix.split(' ').collect();
            commands::prefix(draft, self.effect, &words, &self.from);
        }
    }
}

/// Whether a rule holds when nobody chose another mode. One that restricts holds always.
fn holds_by_default(table: &Table) -> bool {
    match table.get("modes") {
        None => true,
        Some(modes) => {
            let modes = modes.as_array().into_iter().flatten();
            modes
                .into_iter()
                .any(|mode| mode.as_str() == Some("default"))
        }
    }
}

fn text<'a>(table: &'a Table, key: &str) -> Result<Option<&'a str>, String> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` is not text")),
    }
}

/// One text or several.
fn texts<'a>(table: &'a Table, key: &str) -> Result<Vec<&'a str>, String> {
    let problem = || format!("`{key}` is neither text nor a list of texts");
    match table.get(key) {
        None => Ok(Vec::new()),
        Some(Value::String(text)) => Ok(vec![text]),
        Some(Value::Array(list)) => {
            let texts: Option<_> = list.iter().map(Value::as_str).collect();
            texts.ok_or_else(problem)
        }
        Some(_) => Err(problem()),
    }
}
