//! The policies of Gemini CLI.
//!
//! There, the rule of the highest priority decides. Here it is the strictest, which is never looser.
//! A rule of the lowest priority over every tool becomes the default.

mod order;

use toml::{Table, Value};
use toolgate::Effect;

use super::{
    commands,
    draft::{Draft, Rule as Drafted, Section, becomes},
    mcp,
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
                let tables = tables(value, name, key)?;
                let rules = tables.iter().enumerate().map(|(number, table)| {
                    let wrong = |why| Fail::new(format!("{name}: rule {}: {why}", number + 1));
                    Rule::new(table, number).map_err(wrong)
                });
                order::add(&mut draft, rules.collect::<Result<_, _>>()?);
            }
            // A checker may refuse what a rule allows.
            "safety_checker" => {
                let why = "a checker cannot be carried over";
                draft.whole_instead(Effect::Ask, Section::Tools, key, why);
            }
            other => draft.loss(other, "it is not carried over"),
        }
    }
    no_redirections(&mut draft);
    draft.keep_to_allowed();
    Ok(draft)
}

/// A command that is allowed may be redirected wherever files may be read or written, and there it
/// may not.
fn no_redirections(draft: &mut Draft) {
    let allows = |of: &[Section]| {
        let of = of.to_vec();
        move |rule: &Drafted| rule.effect == Effect::Allow && of.contains(&rule.section)
    };
    if draft.rules.iter().any(allows(&[Section::Shell])) {
        for rule in draft.take_out(allows(&[Section::Read, Section::Write])) {
            let what = "it allows nothing now: a command that is allowed could be redirected there";
            draft.loss(&rule.from, what);
        }
    }
}

fn tables<'a>(value: &'a Value, name: &str, key: &str) -> Result<Vec<&'a Table>, Fail> {
    let list = value.as_array().into_iter().flatten();
    let tables: Option<Vec<_>> = list.map(Value::as_table).collect();
    let tables = tables.filter(|_| value.is_array());
    tables.ok_or_else(|| Fail::new(format!("{name}: `{key}` is not a list of tables")))
}

struct Rule<'a> {
    effect: Effect,
    from: String,
    priority: i64,
    tools: Vec<&'a str>,
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
        let tools = match table.get("toolName") {
            None => vec!["*"],
            Some(_) => texts(table, "toolName")?,
        };
        let priority = match table.get("priority") {
            None => 0,
            Some(Value::Integer(number)) => *number,
            Some(_) => return Err("`priority` is not a whole number".to_owned()),
        };
        Ok(Self {
            effect,
            priority,
            tools,
            from: format!("rule {}", number + 1),
            server: text(table, "mcpName")?,
            prefixes: texts(table, "commandPrefix")?,
            conditions,
        })
    }

    fn add(&self, draft: &mut Draft) {
        if let (Effect::Allow, [condition, ..]) = (self.effect, &*self.conditions) {
            let what = format!("it allows nothing now: `{condition}` cannot be said here");
            return draft.loss(&self.from, what);
        }
        for tool in &self.tools {
            self.tool(draft, tool);
        }
    }

    fn tool(&self, draft: &mut Draft, tool: &str) {
        let narrows = self
            .conditions
            .iter()
            .any(|key| !matches!(*key, "modes" | "interactive"));
        if tool == "run_shell_command" {
            return self.command(draft, narrows);
        }
        if narrows {
            let now = becomes(self.effect);
            draft.loss(&self.from, format!("every call of `{tool}` is {now} now"));
        }
        let glued = tool.strip_prefix("mcp_");
        let glued = glued.or_else(|| tool.contains("__").then_some(tool));
        match (self.server, glued) {
            (Some(server), _) => self.named(draft, &format!("mcp:{server}/{tool}")),
            (None, Some(_)) if self.effect == Effect::Allow => {
                draft.loss(
                    &self.from,
                    "it allows nothing now: it does not name a server",
                );
            }
            (None, Some(glued)) => mcp::joined(draft, self.effect, glued, &self.from),
            (None, None) => self.own(draft, tool),
        }
    }

    /// One of its own tools, which may read, write or fetch.
    fn own(&self, draft: &mut Draft, tool: &str) {
        let Some((section, ours)) = section_of(tool) else {
            return self.named(draft, tool);
        };
        match self.effect {
            // It keeps to its workspace there, and here it does so by a rule over paths.
            Effect::Allow if tool == ours && section != Section::Fetch => {
                draft.rule(Effect::Allow, section, "**", &self.from);
                draft.allowed.push(ours);
            }
            Effect::Allow => {
                let what = format!("it allows nothing now: `{tool}` cannot be held to anything");
                draft.loss(&self.from, what);
            }
            effect => {
                draft.rule(effect, Section::Tools, tool, &self.from);
                // Ours may be more than this tool, of which the default holds.
                let of_ours = if tool == ours {
                    effect
                } else {
                    effect.max(draft.default)
                };
                draft.rule(of_ours, Section::Tools, ours, &self.from);
            }
        }
    }

    fn named(&self, draft: &mut Draft, pattern: &str) {
        let of_server = self.server.filter(|server| !server.contains('*'));
        let name = pattern.rsplit('/').next().unwrap_or(pattern);
        match self.effect {
            Effect::Allow if of_server.is_none() && pattern.contains('*') => {
                draft.loss(
                    &self.from,
                    "it allowed several tools; now it allows nothing",
                );
            }
            Effect::Allow if name != "*" && name.contains('*') => {
                draft.loss(
                    &self.from,
                    "it allows nothing now: name the tools one by one",
                );
            }
            // Here a star in a name may stand for more than it did.
            effect if name != "*" && name.contains('*') => {
                let effect = effect.max(draft.default);
                draft.rule(effect, Section::Tools, pattern, &self.from);
            }
            effect => draft.rule(effect, Section::Tools, pattern, &self.from),
        }
    }

    fn command(&self, draft: &mut Draft, narrows: bool) {
        if narrows {
            let why = "a pattern over arguments cannot be said here";
            return draft.whole_instead(self.effect, Section::Shell, &self.from, why);
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

/// The section that a tool belongs into, and what it is called here.
fn section_of(tool: &str) -> Option<(Section, &'static str)> {
    Some(match tool {
        "read_file" | "read_many_files" | "grep_search" | "search_file_content" => {
            (Section::Read, "read_file")
        }
        "list_directory" | "glob" => (Section::Read, "list_directory"),
        "write_file" | "replace" => (Section::Write, "write_file"),
        "web_fetch" => (Section::Fetch, "fetch"),
        _ => return None,
    })
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
