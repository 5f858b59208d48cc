//! Rules: a pattern, or a table with a pattern and more.

use super::{
    decode::{Decoder, Field, Fields},
    node::{self, Entry, Kind, Node},
    shape, when,
};
use crate::{
    Located,
    diagnostic::{Span, quoted},
    spec::{ExampleSpec, RuleSpec},
};

/// What the patterns of a rule are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RuleKind {
    Shell,
    Path,
    Host,
    Capability,
    Tool,
}

/// A rule that is being read.
pub(crate) struct Draft {
    kind: RuleKind,
    /// Where its pattern is written, whether it can be read or not.
    named: Option<Span>,
    pattern: Option<Located<String>>,
    /// Everything else.
    rule: RuleSpec,
}

/// The keys of a rule over paths, hosts or capabilities.
pub(crate) const RULE: Fields<Draft> = &[COMMON];
/// The keys of a rule over command lines.
pub(crate) const SHELL_RULE: Fields<Draft> = &[COMMON, SHELL];
/// The keys of a rule over tools.
pub(crate) const TOOL_RULE: Fields<Draft> = &[COMMON, TOOL];

const COMMON: &[Field<Draft>] = &[
    Field {
        key: "pattern",
        about: "What the rule matches.",
        schema: shape::text,
        read: |d, draft, e| d.pattern(draft, e),
    },
    Field {
        key: "id",
        about: "A name of its own, by which reports and environments know the rule.",
        schema: || serde_json::json!({ "type": "string", "pattern": "^[A-Za-z0-9._:/-]+$" }),
        read: |d, draft, e| draft.rule.id = d.id(e),
    },
    Field {
        key: "reason",
        about: "Why, in words for whoever is refused.",
        schema: shape::text,
        read: |d, draft, e| draft.rule.reason = d.prose(e),
    },
    Field {
        key: "match",
        about: "Examples that the rule has to match.",
        schema: || shape::defined("examples"),
        read: |d, draft, e| draft.rule.matches = d.examples(e, draft.kind),
    },
    Field {
        key: "no_match",
        about: "Examples that the rule must not match.",
        schema: || shape::defined("examples"),
        read: |d, draft, e| draft.rule.no_matches = d.examples(e, draft.kind),
    },
    Field {
        key: "except",
        about: "Patterns to which the rule does not apply.",
        schema: shape::texts,
        read: |d, draft, e| draft.rule.except = d.texts(e),
    },
    Field {
        key: "environments",
        about: "The environments in which the rule holds. Missing means all.",
        schema: shape::some_texts,
        read: |d, draft, e| draft.rule.environments = d.some_texts(e),
    },
    Field {
        key: "agents",
        about: "Patterns of agents to which the rule applies, such as `root/**`. Missing means all.",
        schema: shape::some_texts,
        read: |d, draft, e| draft.rule.agents = d.some_texts(e),
    },
    Field {
        key: "expires",
        about: "The last day on which the rule holds (in UTC), or the moment at which it ends.",
        schema: shape::date,
        read: |d, draft, e| draft.rule.expires = d.date(e),
    },
];

const SHELL: &[Field<Draft>] = &[Field {
    key: "dangerous_wildcard",
    about: "Says that a wildcard after a program that could do anything is meant.",
    schema: shape::flag,
    read: |d, draft, e| {
        draft.rule.dangerous_wildcard = d.flag(e).is_some_and(|flag| flag.value);
    },
}];

const TOOL: &[Field<Draft>] = &[
    Field {
        key: "tool",
        about: "The tool that the rule matches: another word for `pattern`.",
        schema: shape::text,
        read: |d, draft, e| d.pattern(draft, e),
    },
    Field {
        key: "when",
        about: "Conditions on arguments, all of which have to hold.",
        schema: || shape::defined("when"),
        read: |d, draft, e| draft.rule.when = when::read(d, e),
    },
];

/// Reads a list of rules.
pub(super) fn read(d: &mut Decoder<'_>, entry: &Entry<'_>, kind: RuleKind) -> Vec<RuleSpec> {
    let items = d.items(entry, "a list of rules").unwrap_or_default();
    let mut rules = Vec::with_capacity(items.len());
    for item in items {
        rules.extend(d.rule(item, kind));
    }
    rules
}

impl Decoder<'_> {
    fn rule(&mut self, node: &Node<'_>, kind: RuleKind) -> Option<RuleSpec> {
        match &node.kind {
            Kind::Table(entries) => self.rule_table(node.span, entries, kind),
            Kind::Text(_) | Kind::Ambiguous(_) => {
                self.item_text(node, "a pattern").map(RuleSpec::new)
            }
            _ => {
                self.wrong_item(node, "a rule has to be a string or a table");
                None
            }
        }
    }

    fn rule_table(
        &mut self,
        span: Span,
        entries: &[Entry<'_>],
        kind: RuleKind,
    ) -> Option<RuleSpec> {
        let mut draft = Draft {
            kind,
            named: None,
            pattern: None,
            rule: RuleSpec::new(self.located(String::new(), span)),
        };
        let fields = match kind {
            RuleKind::Shell => SHELL_RULE,
            RuleKind::Tool => TOOL_RULE,
            RuleKind::Path | RuleKind::Host | RuleKind::Capability => RULE,
        };
        self.table(entries, fields, &mut draft, of_other_rules);
        if draft.named.is_none() {
            let name = if kind == RuleKind::Tool {
                "tool"
            } else {
                "pattern"
            };
            let message = format!("this rule has no `{name}`");
            self.report
                .push(self.report.error("no-pattern", span, message));
        }
        let pattern = draft.pattern?;
        Some(RuleSpec {
            pattern,
            ..draft.rule
        })
    }

    fn pattern(&mut self, draft: &mut Draft, entry: &Entry<'_>) {
        if let Some(first) = draft.named {
            let message = "a rule has `pattern` or `tool`, not both";
            let problem = self
                .report
                .error("two-patterns", entry.key_span, message)
                .with_related(self.report.place(first), "the other one is here");
            self.report.push(problem);
            return;
        }
        draft.named = Some(entry.key_span);
        draft.pattern = self.text(entry);
    }

    fn id(&mut self, entry: &Entry<'_>) -> Option<Located<String>> {
        let id = self.text(entry)?;
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/-".contains(&byte);
        if id.value.bytes().all(fits) {
            return Some(id);
        }
        let message = format!("{} cannot be an id", quoted(&id.value));
        let problem = self
            .report
            .error("id", entry.value.span, message)
            .with_help("an id has letters, digits and any of `.`, `_`, `:`, `/`, `-`");
        self.report.push(problem);
        None
    }

    fn examples(&mut self, entry: &Entry<'_>, kind: RuleKind) -> Vec<Located<ExampleSpec>> {
        let items = self.items(entry, "a list of examples").unwrap_or_default();
        let mut examples = Vec::with_capacity(items.len());
        for item in items {
            examples.extend(self.example(item, kind));
        }
        examples
    }

    fn example(&mut self, node: &Node<'_>, kind: RuleKind) -> Option<Located<ExampleSpec>> {
        let example = match &node.kind {
            Kind::Text(text) => ExampleSpec::Text(text.clone().into_owned()),
            Kind::Ambiguous(_) => ExampleSpec::Text(self.item_text(node, "an example")?.value),
            Kind::Table(entries) if kind == RuleKind::Tool => {
                ExampleSpec::Args(self.arguments(entries)?)
            }
            _ => {
                self.wrong_item(node, example_of(kind));
                return None;
            }
        };
        Some(self.located(example, node.span))
    }

    fn arguments(
        &mut self,
        entries: &[Entry<'_>],
    ) -> Option<serde_json::Map<String, serde_json::Value>> {
        match node::object(entries) {
            Ok(arguments) => Some(arguments),
            Err(odd) => {
                self.not_json(odd);
                None
            }
        }
    }

    /// Reports a value that arguments of a call cannot have, or not for certain.
    pub(super) fn not_json(&mut self, node: &Node<'_>) {
        let span = node.span;
        let problem = match &node.kind {
            Kind::Ambiguous(word) => self
                .report
                .error("yaml-boolean", span, "this could be a string or a boolean")
                .with_help(format!("write \"{word}\" in quotes, or `true` or `false`")),
            Kind::Date(_) => self
                .report
                .error("wrong-type", span, "arguments have no dates")
                .with_help("put it into quotes if a string is meant"),
            _ => return,
        };
        self.report.push(problem);
    }
}

fn example_of(kind: RuleKind) -> &'static str {
    match kind {
        RuleKind::Shell => "an example here has to be a command line",
        RuleKind::Path => "an example here has to be a path",
        RuleKind::Host => "an example here has to be an address or a host",
        RuleKind::Capability => "an example here has to be a capability",
        RuleKind::Tool => "an example here has to be the name of a tool or a table of arguments",
    }
}

/// What is said of a key that other kinds of rules know.
fn of_other_rules(key: &str) -> Option<String> {
    match key {
        "tool" => Some("only rules in `tools` have `tool`; write `pattern` here".to_owned()),
        "when" => Some("only rules in `tools` have conditions on arguments".to_owned()),
        "dangerous_wildcard" => Some("only rules in `shell` need this".to_owned()),
        _ => None,
    }
}
