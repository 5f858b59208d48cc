//! Reads a command line.
//!
//! The reader has one job in two halves. What it takes at its word has to be exactly what bash
//! would run, so everything it is not sure of is noted as a problem. And where there is a problem it
//! goes on, to show the commands that rules may deny: those in substitutions, in groups, behind
//! keywords. It goes over the text once and keeps its own stack, so that no line is too deep or too
//! long for it.

use super::{
    chars,
    draft::Draft,
    frame::{End, Frame, Position},
    here::Here,
    line::{Assignment, Command, Redirect, Word},
    line::{Dialect, Join, Kind, Line, Problem, ProblemKind, Span},
};

/// Reads a line as `dialect` does.
pub(super) fn parse(text: &str, dialect: Dialect) -> Line<'_> {
    let mut parser = Parser::new(text, dialect, 0);
    parser.run();
    let mut line = parser.line;
    if dialect == Dialect::Other && line.problem.is_none() && !chars::is_plain_line(text) {
        line.problem = Some(Problem {
            kind: ProblemKind::Dialect,
            span: Span {
                start: 0,
                end: text.len(),
            },
        });
    }
    line
}

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) dialect: Dialect,
    pub(super) line: Line<'a>,
    pub(super) frame: Frame,
    pub(super) outer: Vec<Frame>,
    pub(super) words: Vec<Word<'a>>,
    pub(super) assignments: Vec<Assignment<'a>>,
    pub(super) redirects: Vec<Redirect<'a>>,
    pub(super) heres: Vec<Here>,
    /// How many here-documents this text stands in.
    pub(super) level: u8,
}

impl<'a> Parser<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect, level: u8) -> Self {
        Self {
            text,
            at: 0,
            dialect,
            line: Line::default(),
            frame: Frame::new(End::Text, [0; 3]),
            outer: Vec::new(),
            words: Vec::new(),
            assignments: Vec::new(),
            redirects: Vec::new(),
            heres: Vec::new(),
            level,
        }
    }

    pub(super) fn run(&mut self) {
        while self.at < self.text.len() {
            if self.frame.in_quotes {
                self.quoted();
            } else if self.frame.end == End::Brace {
                self.braced();
            } else {
                self.plain();
            }
        }
        self.finish();
    }

    /// Ends everything that is still open.
    fn finish(&mut self) {
        if self.frame.in_quotes || !self.outer.is_empty() || !self.heres.is_empty() {
            self.problem(ProblemKind::Unfinished, self.text.len());
        }
        loop {
            self.end_command(Join::Then);
            self.owed();
            let Some(outer) = self.outer.pop() else { break };
            self.frame = outer;
            self.draft().opaque();
        }
    }

    pub(super) fn problem(&mut self, kind: ProblemKind, start: usize) {
        let end = self.at.max(start);
        self.line.problem.get_or_insert(Problem {
            kind,
            span: Span { start, end },
        });
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    /// Whether the text goes on with this.
    pub(super) fn sees(&self, text: &str) -> bool {
        self.text
            .as_bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(text.as_bytes()))
    }

    /// The word that is being read, begun if need be.
    pub(super) fn draft(&mut self) -> &mut Draft {
        self.frame.draft.get_or_insert_with(|| Draft::new(self.at))
    }

    /// Reads on outside quotes.
    fn plain(&mut self) {
        let Some(byte) = self.peek(0) else { return };
        match byte {
            b' ' | b'\t' => {
                self.end_word();
                self.at += 1;
            }
            b'\n' => self.new_line(),
            b'\'' => self.single_quotes(),
            b'"' => self.open_quotes(),
            b'\\' => self.escape(),
            b'$' => self.dollar(),
            b'`' => self.backtick(),
            b'(' | b')' => self.paren(byte),
            b'<' | b'>' => self.redirection(),
            b'&' | b'|' | b';' => self.operator(byte),
            b'#' if self.frame.draft.is_none() => self.comment(),
            b'~' if self.begins_tilde() => self.special(ProblemKind::Tilde),
            b'*' | b'?' | b'[' => self.wildcard(),
            _ if byte >= 0x80 => self.beyond_ascii(),
            _ if byte.is_ascii_control() => self.special(ProblemKind::OddCharacter),
            _ => self.letters(byte),
        }
    }

    /// Reads plain characters as far as they go.
    fn letters(&mut self, byte: u8) {
        let at_start = self.frame.draft.is_none();
        if !chars::is_shared(byte, self.dialect, at_start) {
            self.problem(ProblemKind::Dialect, self.at);
        }
        let rest = self.text.as_bytes().get(self.at + 1..).unwrap_or_default();
        let length = 1 + rest.iter().take_while(|b| chars::is_plain(**b)).count();
        if byte == b'{' {
            self.draft().brace();
        }
        // Where there is a history, this is the last line of it.
        if byte == b'!' && self.peek(1) == Some(b'!') {
            self.problem(ProblemKind::Expansion, self.at);
        }
        self.take(length);
    }

    /// Takes so many bytes into the word, as they are.
    pub(super) fn take(&mut self, length: usize) {
        let text = self.text.get(self.at..self.at + length).unwrap_or_default();
        self.draft().push(text);
        self.at += length;
    }

    /// Takes one character into a word that may now become anything.
    fn special(&mut self, kind: ProblemKind) {
        self.draft().opaque();
        self.take(1);
        self.problem(kind, self.at - 1);
    }

    fn begins_tilde(&self) -> bool {
        let before = self
            .at
            .checked_sub(1)
            .and_then(|at| self.text.as_bytes().get(at));
        self.frame.draft.is_none() || matches!(before, Some(b'=' | b':' | b'\n'))
    }

    fn wildcard(&mut self) {
        let at = self.at;
        self.draft().glob(at);
        if self.dialect != Dialect::Bash {
            self.problem(ProblemKind::Glob, at);
        }
        self.take(1);
    }

    fn beyond_ascii(&mut self) {
        let Some(c) = self.char() else { return };
        if !chars::is_plain_letter(c) || self.dialect != Dialect::Bash {
            self.problem(ProblemKind::OddCharacter, self.at);
            self.draft().opaque();
        }
        self.take(c.len_utf8());
    }

    pub(super) fn char(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn comment(&mut self) {
        self.problem(ProblemKind::Comment, self.at);
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        // Backticks end in a comment, too.
        let end = |b: &u8| *b == b'\n' || *b == b'`' && self.frame.end == End::Backtick;
        self.at += rest.iter().position(end).unwrap_or(rest.len());
    }

    fn new_line(&mut self) {
        self.end_command(Join::Then);
        self.at += 1;
        if !self.heres.is_empty() {
            self.here_documents();
        }
    }

    fn operator(&mut self, byte: u8) {
        let start = self.at;
        let (join, length) = match (byte, self.peek(1)) {
            (b'&', Some(b'>')) => return self.redirection(),
            (b'&', Some(b'&')) => (Join::And, 2),
            (b'|', Some(b'|')) => (Join::Or, 2),
            (b'|', Some(b'&')) => (Join::Pipe, 2),
            (b'&', _) => (Join::Background, 1),
            (b'|', _) => (Join::Pipe, 1),
            _ => (Join::Then, 1),
        };
        self.end_word();
        // `;;` and `;&` are signs of their own.
        if self.is_empty() || byte == b';' && matches!(self.peek(1), Some(b'&' | b';')) {
            self.problem(ProblemKind::MissingCommand, start);
        }
        self.end_command(join);
        self.at = start + length;
        self.sign_ends(start);
        self.frame.owes = matches!(join, Join::And | Join::Or | Join::Pipe);
    }

    /// Notes a sign that goes on in the next line, where it may become another one.
    pub(super) fn sign_ends(&mut self, start: usize) {
        if self.sees("\\\n") {
            self.problem(ProblemKind::Continuation, start);
        }
    }

    /// Whether the command has nothing yet.
    pub(super) fn is_empty(&self) -> bool {
        let [words, assignments, redirects] = self.frame.base;
        self.frame.draft.is_none()
            && self.frame.redirect.is_none()
            && self.words.len() == words
            && self.assignments.len() == assignments
            && self.redirects.len() == redirects
    }

    /// Hands over the command that was read, if any.
    pub(super) fn end_command(&mut self, join: Join) {
        self.end_word();
        if let Some((_, span)) = self.frame.redirect.take() {
            self.problem(ProblemKind::Redirect, span.start);
        }
        self.frame.position = Position::Command;
        self.frame.named = false;
        if self.is_empty() {
            return;
        }
        self.frame.owes = false;
        let [words, assignments, redirects] = self.frame.base;
        let line = &mut self.line;
        let command = Command {
            words: hand_over(&mut self.words, words, &mut line.words),
            assignments: hand_over(&mut self.assignments, assignments, &mut line.assignments),
            redirects: hand_over(&mut self.redirects, redirects, &mut line.redirects),
            join,
        };
        line.commands.push(command);
    }

    /// Notes that an operator is still owed its command.
    pub(super) fn owed(&mut self) {
        if self.frame.owes {
            self.problem(ProblemKind::MissingCommand, self.at);
        }
    }

    /// Puts the word that was read where it belongs.
    pub(super) fn end_word(&mut self) {
        let Some(draft) = self.frame.draft.take() else {
            return;
        };
        if self.frame.end == End::Brace {
            return;
        }
        let (mut word, problem) = draft.finish(self.text, self.at);
        if let Some(kind) = problem {
            self.problem(kind, word.span.start);
        }
        if let Some((operator, span)) = self.frame.redirect.take() {
            return self.target(operator, span, word);
        }
        if self.frame.position != Position::Argument {
            if self.in_front(&word) {
                return;
            }
            self.frame.position = Position::Argument;
            // A program by such a name is never run: the shell takes it for one of its jobs.
            if word.text.starts_with('%') {
                self.problem(ProblemKind::Keyword, word.span.start);
            }
            if matches!(word.kind, Kind::Glob(_)) {
                word.kind = Kind::Opaque;
                self.problem(ProblemKind::Glob, word.span.start);
            }
        }
        self.place(word);
    }
}

fn hand_over<T>(from: &mut Vec<T>, base: usize, to: &mut Vec<T>) -> std::ops::Range<usize> {
    let start = to.len();
    to.extend(from.drain(base.min(from.len())..));
    start..to.len()
}
