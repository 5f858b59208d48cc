//! The text of a file, and how to find places in it.

use std::{fmt, sync::Arc, sync::OnceLock};

use crate::Place;

/// How far apart the marks are from which characters are counted.
const BLOCK: usize = 128;

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

impl Span {
    /// A range; what lies beyond 4 GiB is never read, so it does not have to be told apart.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            start: clip(start),
            end: clip(end.max(start)),
        }
    }

    /// One place, without length.
    pub(crate) fn at(offset: usize) -> Self {
        Self::new(offset, offset)
    }
}

/// The text of a file, with an index of its lines.
pub(crate) struct Source {
    name: Arc<str>,
    text: Arc<str>,
    /// Where each line begins.
    lines: Vec<u32>,
    /// How many characters stand before each block of bytes; empty if every character is a byte.
    blocks: Vec<u32>,
    /// What an excerpt must not show.
    hidden: OnceLock<Vec<Span>>,
}

impl Source {
    pub(crate) fn new(name: &str, text: &str) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            lines: line_starts(text),
            blocks: block_marks(text),
            hidden: OnceLock::new(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Says which parts of the text are secret.
    pub(crate) fn hide(&self, mut spans: Vec<Span>) {
        spans.sort_unstable();
        spans.dedup_by(|next, kept| {
            let overlaps = next.start <= kept.end;
            kept.end = if overlaps {
                kept.end.max(next.end)
            } else {
                kept.end
            };
            overlaps
        });
        // Only the first reading of a file says what is secret in it.
        let _ = self.hidden.set(spans);
    }

    /// Whether a byte belongs to something secret.
    pub(crate) fn is_hidden(&self, at: usize) -> bool {
        let spans = self.hidden.get().map_or(&[][..], Vec::as_slice);
        let after = spans.partition_point(|span| span.start as usize <= at);
        let before = after.checked_sub(1).and_then(|index| spans.get(index));
        before.is_some_and(|span| at < span.end as usize)
    }

    /// The place of a range, as far as its first line goes.
    pub(crate) fn place(&self, span: Span) -> Place {
        let start = (span.start as usize).min(self.text.len());
        let line = self.lines.partition_point(|&at| at as usize <= start);
        let (from, to) = self.bounds(line.saturating_sub(1)).unwrap_or((0, 0));
        let end = (span.end as usize).clamp(start, to.max(start));
        let first = self.chars_before(start);
        Place {
            file: Arc::clone(&self.name),
            line: clip(line.max(1)),
            column: clip(first - self.chars_before(from) + 1),
            length: clip(self.chars_before(end) - first),
        }
    }

    /// The bytes of a line, counted from zero, without what ends it.
    pub(crate) fn bounds(&self, line: usize) -> Option<(usize, usize)> {
        let from = *self.lines.get(line)? as usize;
        let next = self.lines.get(line + 1).map(|&at| at as usize);
        let end = next.map_or(self.text.len(), |at| at - 1);
        let text = self.text.get(from..end)?;
        Some((from, from + text.strip_suffix('\r').unwrap_or(text).len()))
    }

    /// How many characters stand before a byte.
    pub(crate) fn chars_before(&self, offset: usize) -> usize {
        let Some(&mark) = self.blocks.get(offset / BLOCK) else {
            return offset;
        };
        let from = offset - offset % BLOCK;
        let bytes = self.text.as_bytes().get(from..offset).unwrap_or_default();
        mark as usize + bytes.iter().filter(|byte| starts_char(**byte)).count()
    }

    /// The byte at which a character begins, counted from zero.
    pub(crate) fn byte_of_char(&self, index: usize) -> usize {
        if self.blocks.is_empty() {
            return index.min(self.text.len());
        }
        let block = self.blocks.partition_point(|&mark| mark as usize <= index) - 1;
        let mut before = self.blocks.get(block).map_or(0, |&mark| mark as usize);
        let bytes = self.text.as_bytes();
        for (at, &byte) in bytes.iter().enumerate().skip(block * BLOCK) {
            if starts_char(byte) {
                if before == index {
                    return at;
                }
                before += 1;
            }
        }
        self.text.len()
    }
}

impl fmt::Debug for Source {
    /// Leaves out the text, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The texts that places point into.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources(Vec<Arc<Source>>);

impl Sources {
    /// Adds what another one holds.
    pub(crate) fn extend(&mut self, other: &Self) {
        for source in &other.0 {
            self.push(Arc::clone(source));
        }
    }

    pub(crate) fn push(&mut self, source: Arc<Source>) {
        if !self.0.iter().any(|known| Arc::ptr_eq(known, &source)) {
            self.0.push(source);
        }
    }

    /// What the first text is called.
    pub(crate) fn name(&self) -> Option<&str> {
        self.0.first().map(|source| source.name())
    }

    /// Where the first text begins.
    pub(crate) fn start(&self) -> Place {
        let first = self.0.first().map(|source| source.place(Span::at(0)));
        first.unwrap_or_else(|| Place {
            file: "".into(),
            line: 1,
            column: 1,
            length: 0,
        })
    }

    /// The text of the file that a place is in.
    pub(crate) fn of(&self, place: &Place) -> Option<&Source> {
        let same = |source: &&Arc<Source>| *source.name == *place.file;
        self.0.iter().find(same).map(|source| &**source)
    }
}

/// Equal if the same texts have the same names.
impl PartialEq for Sources {
    fn eq(&self, other: &Self) -> bool {
        let same = |(a, b): (&Arc<Source>, &Arc<Source>)| a.name == b.name && a.text == b.text;
        self.0.len() == other.0.len() && self.0.iter().zip(&other.0).all(same)
    }
}

impl From<Arc<Source>> for Sources {
    fn from(source: Arc<Source>) -> Self {
        Self(vec![source])
    }
}

fn clip(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn starts_char(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

fn line_starts(text: &str) -> Vec<u32> {
    let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0)
        .chain(breaks.map(|(at, _)| clip(at + 1)))
        .collect()
}

fn block_marks(text: &str) -> Vec<u32> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut before = 0;
    let mut marks = Vec::with_capacity(text.len() / BLOCK + 1);
    for block in text.as_bytes().chunks(BLOCK) {
        marks.push(before);
        before += clip(block.iter().filter(|byte| starts_char(**byte)).count());
    }
    marks.push(before);
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(source: &Source, start: usize, end: usize) -> (u32, u32, u32) {
        let place = source.place(Span::new(start, end));
        (place.line, place.column, place.length)
    }

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let source = Source::new("p", "ab\ncd\r\n\nef");
        assert_eq!(at(&source, 0, 2), (1, 1, 2));
        assert_eq!(at(&source, 4, 5), (2, 2, 1));
        assert_eq!(at(&source, 3, 9), (2, 1, 2), "as far as the line goes");
        assert_eq!(at(&source, 7, 7), (3, 1, 0));
        assert_eq!(at(&source, 8, 10), (4, 1, 2));
        assert_eq!(at(&source, 10, 99), (4, 3, 0));
    }

    #[test]
    fn columns_are_characters_however_long_the_line() {
        let text = "ü".repeat(1000) + "x";
        let source = Source::new("p", &text);
        assert_eq!(at(&source, 2000, 2001), (1, 1001, 1));
        assert_eq!(source.byte_of_char(1000), 2000);
        assert_eq!(source.byte_of_char(500), 1000);
        assert_eq!(source.byte_of_char(1001), 2001);
        assert_eq!(source.byte_of_char(9999), 2001);
    }

    #[test]
    fn an_empty_text_has_a_place() {
        assert_eq!(at(&Source::new("p", ""), 0, 0), (1, 1, 0));
    }
}
