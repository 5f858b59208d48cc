//! What a screen shows, before it is one.

use std::fmt::Write as _;

/// How a piece of text looks, if there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Title,
    Label,
    Key,
    Good,
    Bad,
    Warning,
    Command,
    Text,
    Operator,
    Comment,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Title => "1",
            Self::Label | Self::Comment => "2",
            Self::Key | Self::Command => "1;36",
            Self::Good | Self::Text => "32",
            Self::Bad => "31",
            Self::Warning => "1;33",
            Self::Operator => "35",
        }
    }
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) style: Style,
    pub(crate) text: String,
}

/// One row of the screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row(pub(crate) Vec<Span>);

impl Row {
    pub(crate) fn of(style: Style, text: impl Into<String>) -> Self {
        Self::default().and(style, text)
    }

    pub(crate) fn and(mut self, style: Style, text: impl Into<String>) -> Self {
        let text = text.into();
        self.0.push(Span { style, text });
        self
    }

    /// The part of it that is so many bytes long, from a byte on.
    pub(crate) fn part(&self, from: usize, length: usize) -> Self {
        let (mut at, end) = (0, from + length);
        let mut part = Self::default();
        for span in &self.0 {
            let (start, stop) = (
                from.max(at) - at,
                end.min(at + span.text.len()).max(at) - at,
            );
            if let Some(text) = span.text.get(start..stop).filter(|text| !text.is_empty()) {
                part = part.and(span.style, text);
            }
            at += span.text.len();
        }
        part
    }

    /// What it says.
    #[cfg(test)]
    pub(crate) fn text(&self) -> String {
        self.0.iter().map(|span| &*span.text).collect()
    }

    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|span| width(&span.text)).sum()
    }

    /// The row as it is sent to a terminal.
    pub(crate) fn sent(&self, colours: bool) -> String {
        let mut sent = String::new();
        for Span { style, text } in &self.0 {
            match colours && *style != Style::Plain {
                // Writing to a `String` cannot fail.
                true => drop(write!(sent, "\x1b[{}m{text}\x1b[0m", style.code())),
                false => sent.push_str(text),
            }
        }
        sent
    }
}

/// How many rows and columns there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl Size {
    /// The least in which a question can be shown.
    const LEAST: Self = Self {
        rows: 10,
        columns: 40,
    };

    pub(crate) fn is_enough(self) -> bool {
        self.rows >= Self::LEAST.rows && self.columns >= Self::LEAST.columns
    }
}

/// How many columns a text takes, at most.
///
/// Terminals do not agree on letters beyond ASCII. None gives them more than two columns, so that
/// a row never turns out to be longer than it was thought to be.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(char_width).sum()
}

pub(crate) fn char_width(c: char) -> usize {
    if c.is_ascii() { 1 } else { 2 }
}

/// Breaks a text into pieces of at most so many columns. `at_spaces` prefers to do so after a
/// space. Nothing is left out.
pub(crate) fn broken(text: &str, columns: usize, at_spaces: bool) -> Vec<&str> {
    let columns = columns.max(2);
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let mut room = columns;
        let too_far = rest.char_indices().find(|(_, c)| {
            let left = room.checked_sub(char_width(*c));
            room = left.unwrap_or(room);
            left.is_none()
        });
        let Some((mut end, _)) = too_far else {
            pieces.push(rest);
            return pieces;
        };
        let space = rest.get(..end).and_then(|piece| piece.rfind(' '));
        if let Some(space) = space.filter(|space| at_spaces && *space > end / 2) {
            end = space + 1;
        }
        let (piece, more) = rest.split_at(end);
        pieces.push(piece);
        rest = more;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_kept_together_where_they_can_be() {
        assert_eq!(broken("one two three", 8, true), ["one two ", "three"]);
        assert_eq!(broken("one two three", 8, false), ["one two ", "three"]);
        assert_eq!(broken("abcdefghij", 4, true), ["abcd", "efgh", "ij"]);
        assert_eq!(broken("", 4, true), [""]);
    }

    #[test]
    fn without_colours_nothing_but_the_text_is_sent() {
        let row = Row::of(Style::Bad, "a").and(Style::Plain, "b");
        assert_eq!(row.sent(false), "ab");
        assert_eq!(row.sent(true), "\x1b[31ma\x1b[0mb");
    }

    proptest! {
        #[test]
        fn pieces_fit_and_nothing_is_left_out(
            text in "[a-z äあ]{0,60}", columns in 2_usize..20, at_spaces: bool,
        ) {
            let pieces = broken(&text, columns, at_spaces);
            prop_assert!(pieces.iter().all(|piece| width(piece) <= columns));
            prop_assert_eq!(pieces.concat(), text);
        }
    }
}
