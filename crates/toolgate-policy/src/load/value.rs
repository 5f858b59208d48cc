//! Single values: strings, flags, words of an enum, numbers, durations, dates.

use std::time::Duration;

use jiff::Timestamp;

use super::{
    decode::Decoder,
    node::{Entry, Kind, Node},
    suggest, time,
};
use crate::{
    Located,
    diagnostic::{Diagnostic, quoted},
};

/// The longest text that a pattern or a name may be.
const LONGEST: usize = 4096;

impl Decoder<'_> {
    /// A string that is not empty.
    pub(crate) fn text(&mut self, entry: &Entry<'_>) -> Option<Located<String>> {
        let Some(text) = entry.value.text() else {
            self.wrong_type(entry, "a string");
            return None;
        };
        self.some_text(&entry.value, text, &quoted(&entry.key))
    }

    /// Strings that are not empty.
    pub(crate) fn texts(&mut self, entry: &Entry<'_>) -> Vec<Located<String>> {
        let items = self.items(entry, "a list of strings").unwrap_or_default();
        let what = format!("an entry of {}", quoted(&entry.key));
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            texts.extend(self.item_text(item, &what));
        }
        texts
    }

    /// Words for people, which may have several lines.
    pub(crate) fn prose(&mut self, entry: &Entry<'_>) -> Option<Located<String>> {
        match &entry.value.kind {
            Kind::Text(text) if text.contains(['\n', '\t']) => {
                let one_line = text.replace(['\n', '\t'], " ");
                self.some_text(&entry.value, &one_line, &quoted(&entry.key))
                    .map(|located| located.map(|_| text.trim_end().to_owned()))
            }
            _ => self.text(entry),
        }
    }

    /// Strings that may hold anything, but not nothing.
    pub(crate) fn raw_texts(&mut self, entry: &Entry<'_>) -> Vec<Located<String>> {
        let items = self.items(entry, "a list of strings").unwrap_or_default();
        let what = format!("an entry of {}", quoted(&entry.key));
        let mut texts = Vec::with_capacity(items.len());
        for item in items {
            match &item.kind {
                Kind::Text(text) if !text.is_empty() => {
                    texts.push(self.located(text.clone().into_owned(), item.span));
                }
                _ => texts.extend(self.item_text(item, &what)),
            }
        }
        texts
    }

    /// Strings that are not empty, at least one of them: none would mean that all are meant.
    pub(crate) fn some_texts(&mut self, entry: &Entry<'_>) -> Vec<Located<String>> {
        if matches!(&entry.value.kind, Kind::List(items) if items.is_empty()) {
            let message = format!("{} is an empty list", quoted(&entry.key));
            let problem = self
                .report
                .error("empty-list", entry.value.span, message)
                .with_label("a rule that holds nowhere is of no use")
                .with_help("leave the key out to mean all of them");
            self.report.push(problem);
        }
        self.texts(entry)
    }

    /// One string of a list.
    pub(crate) fn item_text(&mut self, node: &Node<'_>, what: &str) -> Option<Located<String>> {
        let Some(text) = node.text() else {
            self.wrong_item(node, &format!("{what} has to be a string"));
            return None;
        };
        self.some_text(node, text, what)
    }

    fn some_text(&mut self, node: &Node<'_>, text: &str, what: &str) -> Option<Located<String>> {
        if let Some(problem) = self.unfit(node, text, what) {
            self.report.push(problem);
            return None;
        }
        if matches!(node.kind, Kind::Ambiguous(_)) {
            self.ambiguous(node);
        }
        Some(self.located(text.to_owned(), node.span))
    }

    /// What is wrong with a string wherever one is wanted.
    fn unfit(&self, node: &Node<'_>, text: &str, what: &str) -> Option<Diagnostic> {
        let error = |code, message| Some(self.report.error(code, node.span, message));
        if text.trim().is_empty() {
            return error("empty-string", format!("{what} is empty"));
        }
        if text.chars().any(char::is_control) {
            return error(
                "control-character",
                format!("{what} holds a control character"),
            );
        }
        if text.len() > LONGEST {
            return error("too-long", format!("{what} is longer than {LONGEST} bytes"));
        }
        None
    }

    /// Says that a word is taken for a string here, and for a boolean elsewhere.
    fn ambiguous(&mut self, node: &Node<'_>) {
        let place = self.report.place(node.span);
        let message = "older readers of YAML take this word for a boolean";
        self.report.push(
            Diagnostic::warning("yaml-boolean", place, message)
                .with_label("taken for a string here")
                .with_help("put it into quotes"),
        );
    }

    pub(crate) fn flag(&mut self, entry: &Entry<'_>) -> Option<Located<bool>> {
        let Kind::Bool(value) = entry.value.kind else {
            self.wrong_type(entry, "`true` or `false`");
            return None;
        };
        Some(self.located(value, entry.value.span))
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy>(
        &mut self,
        entry: &Entry<'_>,
        words: &'static [(&'static str, T)],
    ) -> Option<Located<T>> {
        let names = words.iter().map(|(name, _)| *name);
        let Some(text) = entry.value.text() else {
            if let Some(problem) = self.wrong_type_of(entry, "a word") {
                let help = format!("one of {}", suggest::list(names));
                self.report.push(problem.with_help(help));
            }
            return None;
        };
        if let Some((_, value)) = words.iter().find(|(name, _)| name == text) {
            return Some(self.located(*value, entry.value.span));
        }
        let message = format!("{} is no value of {}", quoted(text), quoted(&entry.key));
        let nearest = suggest::nearest(text, names.clone());
        let label = nearest.map(|nearest| format!("did you mean `{nearest}`?"));
        let problem = self
            .report
            .error("unknown-word", entry.value.span, message)
            .with_label(label.unwrap_or_default())
            .with_help(format!("one of {}", suggest::list(names)));
        self.report.push(problem);
        None
    }

    /// A length of time, such as `"5m"`.
    pub(crate) fn duration(&mut self, entry: &Entry<'_>) -> Option<Located<Duration>> {
        let Kind::Text(text) = &entry.value.kind else {
            self.wrong_type(
                entry,
                "a length of time such as \"90s\", \"5m\" or \"1h30m\"",
            );
            return None;
        };
        match time::duration(text) {
            Ok(duration) => Some(self.located(duration, entry.value.span)),
            Err(message) => {
                let problem = self
                    .report
                    .error("duration", entry.value.span, message)
                    .with_help("write it like \"90s\", \"5m\" or \"1h30m\"");
                self.report.push(problem);
                None
            }
        }
    }

    /// A day or a moment.
    pub(crate) fn date(&mut self, entry: &Entry<'_>) -> Option<Located<Timestamp>> {
        let (Kind::Date(text) | Kind::Text(text)) = &entry.value.kind else {
            self.wrong_type(entry, "a date such as 2026-12-31");
            return None;
        };
        match time::moment(text) {
            Ok(moment) => Some(self.located(moment, entry.value.span)),
            Err(message) => {
                let problem = self
                    .report
                    .error("date", entry.value.span, message)
                    .with_help(
                        "write a day like 2026-12-31, which is meant as a whole in UTC, \
                         or a moment like 2026-12-31T18:00:00Z",
                    );
                self.report.push(problem);
                None
            }
        }
    }
}
