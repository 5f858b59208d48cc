//! Tells keys of one table apart, in time linear in their number.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{node::Entry, report::Report};
use crate::diagnostic::{Diagnostic, Span, quoted};

/// A table that is being read. A key that comes again is reported and left out.
#[derive(Default)]
pub(super) struct Keys<'a> {
    entries: Vec<Entry<'a>>,
    /// Only there once a table is big enough to be worth it.
    seen: HashMap<String, usize, RandomState>,
}

/// Up to here keys are compared one by one.
const FEW: usize = 8;

impl<'a> Keys<'a> {
    /// Adds an entry, unless its key was there before.
    pub(super) fn push(&mut self, entry: Entry<'a>, report: &mut Report<'_>) {
        if let Some(first) = self.first(&entry.key) {
            report.push(twice(&entry, first, report));
            return;
        }
        if self.entries.len() >= FEW {
            self.remember(&entry.key);
        }
        self.entries.push(entry);
    }

    pub(super) fn into_entries(self) -> Vec<Entry<'a>> {
        self.entries
    }

    fn first(&self, key: &str) -> Option<Span> {
        let few = self.entries.iter().take(FEW);
        let index = few
            .enumerate()
            .find(|(_, entry)| entry.key == key)
            .map(|(index, _)| index);
        let index = index.or_else(|| self.seen.get(key).copied())?;
        self.entries.get(index).map(|entry| entry.key_span)
    }

    fn remember(&mut self, key: &str) {
        self.seen.insert(key.to_owned(), self.entries.len());
    }
}

fn twice(entry: &Entry<'_>, first: Span, report: &Report<'_>) -> Diagnostic {
    let place = report.place(entry.key_span);
    Diagnostic::error(
        "duplicate-key",
        place,
        format!("key {} is written twice", quoted(&entry.key)),
    )
    .with_label("a second time here")
    .with_related(report.place(first), "it is first written here")
}
