//! `[tools]`: rules over tools by name, and `[tools.NAME]`: what is said of one tool.

use serde_json::json;

use super::{
    decode::{Decoder, Field, Fields},
    node::Entry,
    rules::{self, RuleKind},
    sections, shape, suggest, words,
};
use crate::{
    diagnostic::quoted,
    spec::{ToolSpec, ToolsSpec},
};

/// The keys of `[tools]` that are not names of tools.
pub(crate) const TOOLS: Fields<ToolsSpec> = &[&[
    Field {
        key: "allow",
        about: "Tools that may run.",
        schema: || shape::rules("tool_rule"),
        read: |d, spec, e| spec.rules.allow = rules::read(d, e, RuleKind::Tool),
    },
    Field {
        key: "ask",
        about: "Tools about which somebody is asked.",
        schema: || shape::rules("tool_rule"),
        read: |d, spec, e| spec.rules.ask = rules::read(d, e, RuleKind::Tool),
    },
    Field {
        key: "deny",
        about: "Tools that never run.",
        schema: || shape::rules("tool_rule"),
        read: |d, spec, e| spec.rules.deny = rules::read(d, e, RuleKind::Tool),
    },
]];

/// The keys of `[tools.NAME]`.
pub(crate) const TOOL: Fields<ToolSpec> = &[&[
    Field {
        key: "decision",
        about: "What becomes of calls of the tool.",
        schema: || shape::words(words::DECISIONS),
        read: |d, tool, e| tool.decision = d.word(e, words::DECISIONS),
    },
    Field {
        key: "reason",
        about: "Why, in words for whoever is refused.",
        schema: shape::text,
        read: |d, tool, e| tool.reason = d.prose(e),
    },
    Field {
        key: "capabilities",
        about: "What the tool can do.",
        schema: shape::texts,
        read: |d, tool, e| tool.capabilities = d.texts(e),
    },
    Field {
        key: "remember_by",
        about: "The arguments by which an answer is remembered.",
        schema: shape::texts,
        read: |d, tool, e| tool.remember_by = Some(d.texts(e)),
    },
    Field {
        key: "exclude_keys",
        about: "Arguments that an answer is not remembered by.",
        schema: shape::texts,
        read: |d, tool, e| tool.exclude_keys = d.texts(e),
    },
    Field {
        key: "kind",
        about: "Which section judges the tool's arguments.",
        schema: || shape::words(words::KINDS),
        read: |d, tool, e| tool.kind = d.word(e, words::KINDS),
    },
    Field {
        key: "args",
        about: "Which arguments hold what the section judges.",
        schema: || {
            let roles = words::ROLES
                .iter()
                .map(|role| ((*role).to_owned(), shape::text()));
            let properties: serde_json::Map<_, _> = roles.collect();
            json!({ "type": "object", "properties": properties, "additionalProperties": false })
        },
        read: |d, tool, e| d.roles(tool, e),
    },
    Field {
        key: "ignore_args",
        about: "Arguments that change nothing about what the tool may do.",
        schema: shape::texts,
        read: |d, tool, e| tool.ignore_args = d.texts(e),
    },
]];

/// Reads `[tools]`.
pub(super) fn read(d: &mut Decoder<'_>, entry: &Entry<'_>) -> Option<ToolsSpec> {
    let entries = d.entries(entry)?;
    let mut spec = ToolsSpec::default();
    spec.rules.place = Some(d.report.place(entry.key_span));
    for entry in entries {
        let lists = TOOLS.iter().flat_map(|group| group.iter());
        match lists.clone().find(|list| list.key == entry.key) {
            Some(list) => (list.read)(d, &mut spec, entry),
            None => d.tool(&mut spec, entry, lists.map(|list| list.key)),
        }
    }
    Some(spec)
}

impl Decoder<'_> {
    fn tool(
        &mut self,
        spec: &mut ToolsSpec,
        entry: &Entry<'_>,
        lists: impl Iterator<Item = &'static str> + Clone,
    ) {
        let super::node::Kind::Table(entries) = &entry.value.kind else {
            return self.no_tool(entry, lists);
        };
        if entry.key.trim().is_empty() {
            let message = "a tool needs a name";
            let problem = self.report.error("empty-string", entry.key_span, message);
            self.report.push(problem);
        }
        let name = self.located(entry.key.clone().into_owned(), entry.key_span);
        let mut tool = ToolSpec::new(name);
        self.table(entries, TOOL, &mut tool, sections::elsewhere);
        spec.entries.push(tool);
    }

    /// Something in `[tools]` that is neither a list of rules nor a tool.
    fn no_tool(&mut self, entry: &Entry<'_>, lists: impl Iterator<Item = &'static str> + Clone) {
        let nearest = suggest::nearest(&entry.key, lists);
        let Some(problem) = self.wrong_type_of(entry, "a table, as it is the name of a tool")
        else {
            return;
        };
        self.report.push(match nearest {
            Some(nearest) => problem.with_label(format!("did you mean `{nearest}`?")),
            None => problem.with_help("`allow`, `ask` and `deny` are lists of rules"),
        });
    }

    fn roles(&mut self, tool: &mut ToolSpec, entry: &Entry<'_>) {
        for role in self.entries(entry).unwrap_or_default() {
            if words::ROLES.contains(&&*role.key) {
                let argument = self.text(role);
                let name = self.located(role.key.clone().into_owned(), role.key_span);
                tool.args.extend(argument.map(|argument| (name, argument)));
            } else {
                self.unknown_role(role);
            }
        }
    }

    fn unknown_role(&mut self, entry: &Entry<'_>) {
        let known = words::ROLES.iter().copied();
        let message = format!("no section judges {}", quoted(&entry.key));
        let nearest = suggest::nearest(&entry.key, known.clone());
        let label = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
        let problem = self
            .report
            .error("unknown-key", entry.key_span, message)
            .with_label(label.unwrap_or_default())
            .with_help(format!(
                "on the left one of {}, on the right the name of an argument",
                suggest::list(known)
            ));
        self.report.push(problem);
    }
}
