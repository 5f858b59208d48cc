//! Expansions, and commands inside words.

use super::{
    escape,
    frame::{End, Frame},
    line::{Join, ProblemKind},
    parse::Parser,
};

/// How deep commands inside words are followed. What is deeper still is read as if it stood beside.
const DEPTH: usize = 32;

impl Parser<'_> {
    /// `$`, outside quotes or inside double ones.
    pub(super) fn dollar(&mut self) {
        let start = self.at;
        let quotes = match self.peek(1) {
            Some(b'\'') => !self.frame.in_quotes,
            next => next == Some(b'"'),
        };
        if !quotes {
            self.draft().opaque();
        }
        match (self.peek(1), self.peek(2)) {
            (Some(b'('), _) => self.open(End::Paren, 2),
            (Some(b'{'), Some(b' ' | b'\t' | b'\n' | b'|')) => self.open(End::Function, 3),
            (Some(b'{'), _) => self.open(End::Brace, 2),
            (Some(b'\''), _) if !self.frame.in_quotes => self.ansi_quotes(),
            // Without a translation, the text says what it would without the dollar.
            (Some(b'"'), _) => {
                let (text, at) = (self.text, self.at);
                self.draft().take_off(text, at);
                self.at += 1;
                self.open_quotes();
            }
            _ => self.at += 1,
        }
        self.problem(ProblemKind::Expansion, start);
    }

    /// `$'…'`, where backslashes hide the end. A line with these is never allowed, but what they say
    /// may be denied.
    fn ansi_quotes(&mut self) {
        let (text, start) = (self.text, self.at);
        self.draft().take_off(text, start);
        self.at += 2;
        loop {
            match self.peek(0) {
                None => return self.unfinished(self.at),
                Some(b'\'') => {
                    self.at += 1;
                    return;
                }
                Some(b'\\') => self.ansi_escape(),
                Some(_) => self.take(self.char().map_or(1, char::len_utf8)),
            }
        }
    }

    fn ansi_escape(&mut self) {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        if let Some((c, length)) = escape::read(rest) {
            self.draft().push(c.encode_utf8(&mut [0; 4]));
            self.at += 1 + length;
        } else {
            self.draft().opaque();
            self.skip_escape();
        }
    }

    fn skip_escape(&mut self) {
        self.at += 1;
        self.at += self.char().map_or(0, char::len_utf8);
    }

    pub(super) fn backtick(&mut self) {
        self.problem(ProblemKind::Substitution, self.at);
        if self.frame.end == End::Backtick && !self.frame.in_quotes {
            self.end_command(Join::Then);
            self.owed();
            self.at += 1;
            self.close();
        } else {
            self.open(End::Backtick, 1);
        }
    }

    /// Begins a part with commands of its own, behind so many bytes.
    pub(super) fn open(&mut self, end: End, length: usize) {
        self.draft().opaque();
        self.problem(ProblemKind::Substitution, self.at);
        self.at += length;
        if self.outer.len() >= DEPTH {
            self.frame.in_quotes = false;
            self.frame.draft = None;
            self.problem(ProblemKind::TooDeep, self.at);
            self.end_command(Join::Then);
            return;
        }
        let base = [
            self.words.len(),
            self.assignments.len(),
            self.redirects.len(),
        ];
        let inner = Frame::new(end, base);
        self.outer.push(std::mem::replace(&mut self.frame, inner));
    }

    /// Goes back to the word outside.
    pub(super) fn close(&mut self) {
        if let Some(outer) = self.outer.pop() {
            self.frame = outer;
        }
    }

    /// Reads on inside `${…}`.
    pub(super) fn braced(&mut self) {
        match self.peek(0) {
            Some(b'}') => {
                self.at += 1;
                self.frame.draft = None;
                self.close();
            }
            Some(b'\\') => self.skip_escape(),
            Some(b'\'') => self.single_quotes(),
            Some(b'"') => self.open_quotes(),
            Some(b'$') => self.dollar(),
            Some(b'`') => self.backtick(),
            _ => self.at += self.char().map_or(1, char::len_utf8),
        }
    }

    /// A parenthesis that begins no substitution, or the end of one that did.
    pub(super) fn paren(&mut self, byte: u8) {
        self.problem(ProblemKind::Group, self.at);
        self.end_command(Join::Then);
        self.at += 1;
        match byte {
            b'(' => self.frame.parens += 1,
            _ if self.frame.parens > 0 => self.frame.parens -= 1,
            _ if self.frame.end == End::Paren => {
                self.owed();
                self.close();
            }
            _ => {}
        }
    }
}
