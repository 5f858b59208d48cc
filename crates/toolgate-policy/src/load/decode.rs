//! Decodes a tree into the types of a policy, and reports everything that is wrong with it.
//!
//! What a table may hold is written once, as a list of [`Field`]s. The decoder, its suggestions
//! and the JSON Schema all read the same lists, so none of them can know a key that another does
//! not.

use serde_json::Value;

use super::{
    Format,
    node::{Entry, Kind, Node},
    report::Report,
    suggest,
};
use crate::{
    Located,
    diagnostic::{Diagnostic, Span, quoted},
};

/// One key of a table: what it means, what it may hold, and how it is read into a `T`.
pub(crate) struct Field<T: 'static> {
    pub(crate) key: &'static str,
    pub(crate) about: &'static str,
    pub(crate) schema: fn() -> Value,
    pub(crate) read: fn(&mut Decoder<'_>, &mut T, &Entry<'_>),
}

/// Lists of keys that together are those of a table.
pub(crate) type Fields<T> = &'static [&'static [Field<T>]];

/// Reads one document.
pub(crate) struct Decoder<'s> {
    pub(crate) report: Report<'s>,
    format: Format,
    /// What excerpts must not show.
    pub(crate) secrets: Vec<Span>,
}

impl<'s> Decoder<'s> {
    pub(super) fn new(report: Report<'s>, format: Format) -> Self {
        Self {
            report,
            format,
            secrets: Vec::new(),
        }
    }

    /// Reads the entries of a table into `into`.
    pub(crate) fn table<T>(
        &mut self,
        entries: &[Entry<'_>],
        fields: Fields<T>,
        into: &mut T,
        help: impl Fn(&str) -> Option<String>,
    ) {
        for entry in entries {
            let known = fields.iter().flat_map(|group| group.iter());
            if let Some(field) = known.clone().find(|field| field.key == entry.key) {
                (field.read)(self, into, entry);
            } else {
                let keys = known.map(|field| field.key);
                self.unknown_key(entry, keys, &help);
            }
        }
    }

    fn unknown_key(
        &mut self,
        entry: &Entry<'_>,
        keys: impl Iterator<Item = &'static str> + Clone,
        help: impl FnOnce(&str) -> Option<String>,
    ) {
        if self.report.counts_only() {
            return;
        }
        let nearest = suggest::nearest(&entry.key, keys.clone());
        if nearest == Some("secrets") {
            self.hide(&entry.value);
        }
        let message = format!("unknown key {}", quoted(&entry.key));
        let problem = self.report.error("unknown-key", entry.key_span, message);
        let known = || format!("known here: {}", suggest::list(keys));
        self.report.push(match nearest {
            Some(nearest) => problem.with_label(format!("did you mean `{nearest}`?")),
            None => problem.with_help(help(&entry.key).unwrap_or_else(known)),
        });
    }

    /// Has excerpts show nothing of a value, wherever its parts are.
    pub(crate) fn hide(&mut self, node: &Node<'_>) {
        self.secrets.push(node.span);
        match &node.kind {
            Kind::List(items) => items.iter().for_each(|item| self.hide(item)),
            Kind::Table(entries) => entries.iter().for_each(|entry| self.hide(&entry.value)),
            _ => {}
        }
    }

    /// The entries of a table, or a report that it is none.
    pub(crate) fn entries<'n, 'a>(&mut self, entry: &'n Entry<'a>) -> Option<&'n [Entry<'a>]> {
        if let Kind::Table(entries) = &entry.value.kind {
            return Some(entries);
        }
        let problem = self.wrong_type_of(entry, "a table")?;
        self.report.push(match self.format {
            Format::Toml => {
                let help = format!("write it as `[{}]`, and its keys below", entry.key);
                problem.with_help(help)
            }
            Format::Json | Format::Yaml => problem,
        });
        None
    }

    /// The items of a list, or a report that it is none.
    pub(crate) fn items<'n, 'a>(
        &mut self,
        entry: &'n Entry<'a>,
        wanted: &str,
    ) -> Option<&'n [Node<'a>]> {
        if let Kind::List(items) = &entry.value.kind {
            return Some(items);
        }
        let alone = matches!(entry.value.kind, Kind::Text(_) | Kind::Ambiguous(_));
        let problem = self.wrong_type_of(entry, wanted);
        if let Some(problem) = problem {
            let text = self.text_of(entry.value.span);
            let list = self.assignment(&entry.key, &format!("[{text}]"));
            self.report.push(match alone && text.len() < 60 {
                true => problem.with_help(format!("write `{list}`")),
                false => problem,
            });
        }
        None
    }

    /// Reports that the value of a key is of the wrong type.
    pub(crate) fn wrong_type(&mut self, entry: &Entry<'_>, wanted: &str) {
        if let Some(problem) = self.wrong_type_of(entry, wanted) {
            self.report.push(problem);
        }
    }

    /// That the value of a key is of the wrong type, unless something worse was said of it.
    pub(crate) fn wrong_type_of(&self, entry: &Entry<'_>, wanted: &str) -> Option<Diagnostic> {
        let what = format!("{} has to be {wanted}", quoted(&entry.key));
        self.mismatch(&entry.value, &what)
    }

    /// The same for an item of a list.
    pub(crate) fn wrong_item(&mut self, node: &Node<'_>, what: &str) {
        if let Some(problem) = self.mismatch(node, what) {
            self.report.push(problem);
        }
    }

    fn mismatch(&self, node: &Node<'_>, what: &str) -> Option<Diagnostic> {
        if matches!(node.kind, Kind::Broken) {
            return None;
        }
        let message = format!("{what}, not {}", node.type_name());
        let problem = self.report.error("wrong-type", node.span, message);
        Some(match (&node.kind, self.format) {
            (Kind::Null, _) => problem.with_help("leave the key out to say nothing"),
            (Kind::Bool(_) | Kind::Number(_), Format::Yaml) => {
                problem.with_help("put it into quotes if a string is meant")
            }
            (Kind::Ambiguous(_), _) => problem.with_help("booleans are written `true` and `false`"),
            _ => problem,
        })
    }

    /// A key and its value as the format writes them.
    pub(crate) fn assignment(&self, key: &str, value: &str) -> String {
        match self.format {
            Format::Toml => format!("{key} = {value}"),
            Format::Json => format!("\"{key}\": {value}"),
            Format::Yaml => format!("{key}: {value}"),
        }
    }

    /// A value and its place.
    pub(crate) fn located<T>(&self, value: T, span: Span) -> Located<T> {
        self.report.located(value, span)
    }

    fn text_of(&self, span: Span) -> &str {
        let text = self.report.source().text();
        text.get(span.start as usize..span.end as usize)
            .unwrap_or_default()
    }
}
