//! Quotes and escapes.

use super::{chars, frame::End, line::ProblemKind, parse::Parser};

impl Parser<'_> {
    /// `'…'`: everything stands for itself.
    pub(super) fn single_quotes(&mut self) {
        let (text, start) = (self.text, self.at);
        self.draft().take_off(text, start);
        let rest = text.get(start + 1..).unwrap_or_default();
        let inside = rest.split('\'').next().unwrap_or_default();
        self.draft().push(inside);
        self.shown(inside);
        self.at = start + 1 + inside.len();
        if self.at < text.len() {
            self.at += 1;
        } else {
            self.unfinished(start);
        }
    }

    /// Notes characters that nobody would see.
    fn shown(&mut self, text: &str) {
        let plain = |b: u8| matches!(b, b' '..=b'~' | b'\n' | b'\t');
        if !text.bytes().all(plain) && !text.chars().all(chars::is_shown) {
            self.problem(ProblemKind::OddCharacter, self.at);
        }
    }

    pub(super) fn unfinished(&mut self, start: usize) {
        self.problem(ProblemKind::Unfinished, start);
        self.draft().opaque();
    }

    pub(super) fn open_quotes(&mut self) {
        let (text, at) = (self.text, self.at);
        self.draft().take_off(text, at);
        self.frame.in_quotes = true;
        self.at += 1;
    }

    /// Reads on inside double quotes.
    pub(super) fn quoted(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let length = rest
            .iter()
            .take_while(|b| chars::is_plain_in_quotes(**b))
            .count();
        if length > 0 {
            self.take(length);
        }
        match self.peek(0) {
            Some(b'"') => {
                self.frame.in_quotes = false;
                self.at += 1;
            }
            Some(b'\\') => self.escape_in_quotes(),
            Some(b'$') if self.peek(1) == Some(b'"') => self.take(1),
            Some(b'$') => self.dollar(),
            Some(b'`') => self.backtick(),
            Some(_) => self.odd_in_quotes(),
            None => {}
        }
    }

    fn odd_in_quotes(&mut self) {
        let Some(c) = self.char() else { return };
        if !chars::is_shown(c) {
            self.problem(ProblemKind::OddCharacter, self.at);
        }
        self.take(c.len_utf8());
    }

    fn escape_in_quotes(&mut self) {
        match self.peek(1) {
            Some(b'"' | b'\\' | b'$' | b'`') => {
                self.at += 1;
                self.take(1);
            }
            Some(b'\n') => self.at += 2,
            _ => self.take(1),
        }
    }

    /// A backslash outside quotes.
    pub(super) fn escape(&mut self) {
        let start = self.at;
        match self.peek(1) {
            None => {
                self.at += 1;
                self.unfinished(start);
            }
            Some(b'\n') => self.continuation(),
            Some(_) => self.escaped(),
        }
    }

    fn escaped(&mut self) {
        let (text, at) = (self.text, self.at);
        self.draft().take_off(text, at);
        self.at += 1;
        let Some(c) = self.char() else { return };
        let inner = c == '`' && self.frame.end == End::Backtick;
        if inner || !(c == ' ' || c.is_ascii_graphic() || chars::is_plain_letter(c)) {
            self.problem(ProblemKind::OddCharacter, at);
            self.draft().opaque();
        }
        self.take(c.len_utf8());
    }

    /// A backslash in front of a new line: both are gone before the shell looks at words. In the
    /// middle of a word that changes what the word is, so it is not taken at its word.
    fn continuation(&mut self) {
        let (text, at) = (self.text, self.at);
        if matches!(self.peek(2), None | Some(b' ' | b'\t' | b'\n')) {
            self.end_word();
        }
        if self.frame.draft.is_some() {
            self.draft().take_off(text, at);
            self.draft().went_on();
            self.problem(ProblemKind::Continuation, at);
        }
        self.at += 2;
    }
}
