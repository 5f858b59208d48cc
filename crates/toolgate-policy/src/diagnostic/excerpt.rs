//! One line of a file, fit to be shown: nothing invisible, nothing secret, not too long.

use std::borrow::Cow;

use super::{Source, Sources};
use crate::Place;

/// How many characters are shown before what is meant, and in all.
const BEFORE: usize = 60;
const WIDTH: usize = 120;

/// A line, and where in it the mark goes.
pub(super) struct Line {
    pub(super) text: String,
    /// How far to the right the mark begins.
    pub(super) before: usize,
    /// How long the mark is; at least one.
    pub(super) width: usize,
}

/// The line of a place, if its file is at hand.
pub(super) fn line(sources: &Sources, place: &Place) -> Option<Line> {
    let source = sources.of(place)?;
    let (from, to) = source.bounds((place.line as usize).checked_sub(1)?)?;
    let start = (place.column as usize).saturating_sub(1);
    let length = source.chars_before(to) - source.chars_before(from);
    let first = match length > WIDTH {
        true => start.saturating_sub(BEFORE),
        false => 0,
    };
    let mut line = Line {
        text: String::new(),
        before: 0,
        width: 0,
    };
    if first > 0 {
        line.text.push_str("... ");
    }
    line.fill(
        source,
        (from, to),
        first,
        start..start + place.length as usize,
    );
    line.width = line.width.max(1);
    Some(line)
}

impl Line {
    /// Shows the characters of a line from `first` on, and measures those `marked`.
    fn fill(
        &mut self,
        source: &Source,
        (from, to): (usize, usize),
        first: usize,
        marked: std::ops::Range<usize>,
    ) {
        let begin = source.byte_of_char(source.chars_before(from) + first);
        let text = source.text().get(begin.min(to)..to).unwrap_or_default();
        self.before = width(&self.text);
        for (index, (offset, c)) in text.char_indices().enumerate() {
            if index >= WIDTH {
                self.text.push_str(" ...");
                break;
            }
            let shown = self.show(source, begin + offset, c);
            match first + index {
                n if n < marked.start => self.before += shown,
                n if marked.contains(&n) => self.width += shown,
                _ => {}
            }
        }
    }

    /// Shows one character and says how wide it is.
    fn show(&mut self, source: &Source, at: usize, c: char) -> usize {
        if c == '\t' {
            self.text.push_str("    ");
            return 4;
        }
        let c = if source.is_hidden(at) { '*' } else { c };
        let from = self.text.len();
        push_visible(&mut self.text, c);
        self.text.get(from..).map_or(0, width)
    }
}

/// Writes out everything that a reader could not see, or that would do something to a terminal.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        push_visible(&mut shown, c);
    }
    Cow::Owned(shown)
}

/// A name from a file in backticks, cut if it is very long.
pub(crate) fn quoted(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut chars = text.chars();
    let cut: String = chars.by_ref().take(LONGEST).collect();
    let more = if chars.next().is_some() { "..." } else { "" };
    format!("`{}{more}`", visible(&cut))
}

fn push_visible(out: &mut String, c: char) {
    if is_plain(c) {
        out.push(c);
    } else {
        out.extend(c.escape_unicode());
    }
}

fn is_plain(c: char) -> bool {
    let blank_letter = matches!(
        c,
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
    );
    c == ' ' || c.is_ascii_graphic() || (c.is_alphanumeric() && !blank_letter)
}

/// How many columns a terminal needs for a text, as far as that can be known.
fn width(text: &str) -> usize {
    text.chars().map(|c| 1 + usize::from(is_wide(c))).sum()
}

/// Letters that take two columns: those of East Asia.
fn is_wide(c: char) -> bool {
    matches!(c,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{20000}'..='\u{3fffd}')
}
