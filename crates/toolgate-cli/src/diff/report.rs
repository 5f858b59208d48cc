//! What changes, in numbers and examples.

use std::{collections::BTreeMap, fmt::Write};

use serde::Serialize;
use toolgate::{Effect, ToolCall};

use super::history::History;
use crate::{
    call::show,
    fail::Fail,
    out,
    style::{self, paint, word},
    text::count,
    verdict::Verdict,
};

/// What changes.
#[derive(Debug)]
pub(super) struct Report {
    json: bool,
    most: usize,
    same: usize,
    /// What was decided and what would be; the worst first.
    changes: BTreeMap<(Effect, Effect), Change>,
}

#[derive(Debug, Default)]
struct Change {
    count: usize,
    examples: Vec<String>,
}

#[derive(Serialize)]
struct Line<'a> {
    call: &'a ToolCall,
    old: Effect,
    new: Effect,
    reason: String,
}

impl Report {
    pub(super) fn new(json: bool, most: usize) -> Self {
        Self {
            json,
            most,
            same: 0,
            changes: BTreeMap::new(),
        }
    }

    pub(super) fn same(&mut self) {
        self.same += 1;
    }

    /// Takes down a call about which something else would be decided.
    pub(super) fn change(
        &mut self,
        call: &ToolCall,
        old: Effect,
        new: &Verdict,
    ) -> Result<(), Fail> {
        let change = self.changes.entry((old, new.effect)).or_default();
        change.count += 1;
        if change.examples.len() < self.most {
            let example = format!("{}\n        {}", show(call), new.sentence());
            if !change.examples.contains(&example) {
                change.examples.push(example);
            }
        }
        match self.json {
            true => out::print_json(&Line {
                call,
                old,
                new: new.effect,
                reason: new.sentence(),
            }),
            false => Ok(()),
        }
    }

    /// From what to what.
    pub(super) fn changes(&self) -> impl Iterator<Item = (Effect, Effect)> {
        self.changes.keys().copied()
    }

    /// Says everything, unless every change was said already.
    pub(super) fn finish(&self, history: &History) -> Result<(), Fail> {
        let replayed = self.same + self.changes.values().map(|it| it.count).sum::<usize>();
        if replayed == 0 {
            return Err(Fail::new("there is no record that could be replayed")
                .with_help("an audit has to keep arguments to be such a record"));
        }
        if self.json {
            return Ok(());
        }
        let mut text = format!(
            "{} replayed, {} the same\n",
            count(replayed, "call"),
            self.same
        );
        for ((old, new), change) in &self.changes {
            let title = paint(style::of(*new), format!("newly {}", past(*new)));
            let _ = writeln!(text, "\n  {title}: {} (was {})", change.count, word(*old));
            for example in &change.examples {
                let _ = writeln!(text, "      {example}");
            }
            if change.count > change.examples.len() {
                text += "      …\n";
            }
        }
        for (number, what) in [
            (
                history.without_arguments,
                "had no arguments and could not be replayed",
            ),
            (
                history.incomplete,
                "had arguments left out and may have been decided otherwise",
            ),
            (history.unread, "could not be read"),
        ] {
            if number > 0 {
                let _ = writeln!(text, "\n{} {what}", count(number, "record"));
            }
        }
        out::print(&text)
    }
}

fn past(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allowed",
        Effect::Ask => "asked about",
        Effect::Deny => "denied",
    }
}
