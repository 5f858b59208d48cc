//! Text written so that nothing in it is invisible, and nothing can be taken for something else.
//!
//! Two notations. **Inline** is that of a JSON string, on one line: `\\`, `\"`, `\n`, `\r`, `\t`,
//! and `\u{..}` for all else that is not plain. A **row** is one line of a longer text: there a
//! backslash stays as it is, so that code reads as it was written, unless what follows would make
//! an escape of it; then it is `\u{5c}`.
//!
//! Both have two more escapes. `\{500 x \t}` is a long run of one character that shows little or
//! nothing. `\{masked 17 characters}` stands where a credential was. No text can imitate them.

use std::{fmt::Write as _, iter::Peekable, str::CharIndices};

use super::mask;
use crate::visible::is_plain;

/// As many spaces as may follow each other without being counted.
const RUN: usize = 8;

/// As many spaces as a row may begin with, so that code keeps its indentation.
const INDENTATION: usize = 32;

/// Text as it is shown, and how much of it is not.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    pub(super) masked: Masked,
}

/// How much is not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Masked {
    pub(super) credentials: usize,
    pub(super) characters: usize,
}

impl Masked {
    pub(super) fn add(&mut self, other: Self) {
        self.credentials += other.credentials;
        self.characters += other.characters;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Notation {
    Quoted,
    Prose,
    Row,
}

/// Text in quotes, on one line.
pub(super) fn quoted(text: &str) -> Shown {
    let mut shown = written(text, Notation::Quoted, &mask::spans(text));
    shown.text.insert(0, '"');
    shown.text.push('"');
    shown
}

/// Text in quotes, if all of it is a credential unless it looks like more than that.
pub(super) fn secret(text: &str) -> Shown {
    if !mask::is_opaque(text) {
        return quoted(text);
    }
    let mut shown = written(text, Notation::Quoted, &[(0, text.len())]);
    shown.text.insert(0, '"');
    shown.text.push('"');
    shown
}

/// Text without quotes, on one line.
pub(super) fn prose(text: &str) -> Shown {
    written(text, Notation::Prose, &mask::spans(text))
}

/// One line of a longer text.
pub(super) fn row(line: &str) -> Shown {
    written(line, Notation::Row, &mask::spans(line))
}

fn written(text: &str, notation: Notation, spans: &[(usize, usize)]) -> Shown {
    let mut shown = Shown::default();
    let mut from = 0;
    for &(start, end) in spans {
        let (Some(before), Some(hidden)) = (text.get(from..start), text.get(start..end)) else {
            continue;
        };
        Writer::new(&mut shown.text, notation).write(before);
        let count = hidden.chars().count();
        let s = if count == 1 { "" } else { "s" };
        // Writing to a `String` cannot fail.
        let _ = write!(shown.text, "\\{{masked {count} character{s}}}");
        shown.masked.add(Masked {
            credentials: 1,
            characters: count,
        });
        from = end;
    }
    let rest = text.get(from..).unwrap_or_default();
    Writer::new(&mut shown.text, notation).write(rest);
    if notation == Notation::Row && rest.ends_with(' ') && shown.text.ends_with(' ') {
        shown.text.pop();
        shown.text.push_str("\\u{20}");
    }
    shown
}

struct Writer<'a> {
    out: &'a mut String,
    notation: Notation,
}

impl<'a> Writer<'a> {
    fn new(out: &'a mut String, notation: Notation) -> Self {
        Self { out, notation }
    }

    fn write(mut self, text: &str) {
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let count = if is_blank(c) {
                1 + skip(&mut chars, c)
            } else {
                1
            };
            let indents = self.notation == Notation::Row && c == ' ' && self.out.is_empty();
            let most = if indents { INDENTATION } else { RUN };
            if count > most {
                let _ = write!(self.out, "\\{{{count} x ");
                self.escape(c);
                self.out.push('}');
                continue;
            }
            let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
            for _ in 0..count {
                self.character(c, rest);
            }
        }
    }

    fn character(&mut self, c: char, rest: &str) {
        match (c, self.notation) {
            ('"', Notation::Quoted) => self.out.push_str("\\\""),
            ('\\', Notation::Row) if begins_an_escape(rest) => self.out.push_str("\\u{5c}"),
            ('\\', Notation::Row) => self.out.push('\\'),
            ('\\', _) => self.out.push_str("\\\\"),
            _ if is_plain(c) => self.out.push(c),
            _ => self.escape(c),
        }
    }

    fn escape(&mut self, c: char) {
        match (c, self.notation) {
            ('\t', _) => self.out.push_str("\\t"),
            ('\n', Notation::Quoted | Notation::Prose) => self.out.push_str("\\n"),
            ('\r', Notation::Quoted | Notation::Prose) => self.out.push_str("\\r"),
            _ => self.out.extend(c.escape_unicode()),
        }
    }
}

/// Whether a backslash before this would be read as the beginning of an escape.
fn begins_an_escape(rest: &str) -> bool {
    rest.starts_with('t') || rest.starts_with('{') || rest.starts_with("u{")
}

/// Whether many of these in a row could push something out of sight.
fn is_blank(c: char) -> bool {
    c == ' ' || !is_plain(c)
}

/// Takes all that follow and are the same, and says how many there were.
fn skip(chars: &mut Peekable<CharIndices<'_>>, c: char) -> usize {
    let mut count = 0;
    while chars.next_if(|(_, next)| *next == c).is_some() {
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests;
