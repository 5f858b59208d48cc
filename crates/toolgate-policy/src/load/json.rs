//! Strict JSON with places: no key twice, nothing after the value, no more than RFC 8259 has.

mod number;
mod string;

use std::borrow::Cow;

use super::{
    keys::Keys,
    node::{Entry, Kind, MAX_DEPTH, Node},
    report::Report,
};
use crate::diagnostic::{Diagnostic, Span};

/// Reads a document, or reports why it is none.
pub(super) fn parse<'a>(text: &'a str, report: &mut Report<'_>) -> Option<Node<'a>> {
    let mut parser = Parser {
        text,
        at: 0,
        report,
    };
    match parser.document() {
        Ok(node) => Some(node),
        Err(problem) => {
            parser.report.push(*problem);
            None
        }
    }
}

/// What is wrong; boxed since it is rare and big.
type Fail = Box<Diagnostic>;

struct Parser<'a, 'r, 's> {
    text: &'a str,
    at: usize,
    report: &'r mut Report<'s>,
}

impl<'a> Parser<'a, '_, '_> {
    fn document(&mut self) -> Result<Node<'a>, Fail> {
        self.space();
        let node = self.value(0)?;
        self.space();
        match self.peek() {
            None => Ok(node),
            Some(_) => Err(self.fail(self.here(), "there is something after the document")),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node<'a>, Fail> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.table(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Kind::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => Kind::Number(self.number()?),
            Some(b'a'..=b'z' | b'A'..=b'Z') => self.word()?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(Node::new(kind, Span::new(start, self.at)))
    }

    fn table(&mut self, depth: usize) -> Result<Kind<'a>, Fail> {
        let open = self.open(depth)?;
        let mut keys = Keys::default();
        if !self.eat(b'}') {
            loop {
                let entry = self.entry(depth)?;
                keys.push(entry, self.report);
                if self.ends(b'}', open)? {
                    break;
                }
            }
        }
        Ok(Kind::Table(keys.into_entries()))
    }

    fn entry(&mut self, depth: usize) -> Result<Entry<'a>, Fail> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a key in double quotes"));
        }
        let key = self.string()?;
        let key_span = Span::new(start, self.at);
        self.space();
        if !self.eat(b':') {
            return Err(self.unexpected("`:` after the key"));
        }
        let value = self.value(depth + 1)?;
        Ok(Entry {
            key,
            key_span,
            value,
        })
    }

    fn list(&mut self, depth: usize) -> Result<Kind<'a>, Fail> {
        let open = self.open(depth)?;
        let mut items = Vec::new();
        if !self.eat(b']') {
            loop {
                items.push(self.value(depth + 1)?);
                if self.ends(b']', open)? {
                    break;
                }
            }
        }
        Ok(Kind::List(items))
    }

    /// Steps over an opening bracket and the space behind it.
    fn open(&mut self, depth: usize) -> Result<Span, Fail> {
        let bracket = Span::new(self.at, self.at + 1);
        if depth >= MAX_DEPTH {
            let message = format!("the document nests deeper than {MAX_DEPTH} levels");
            return Err(self.fail(bracket, message));
        }
        self.at += 1;
        self.space();
        Ok(bracket)
    }

    /// Steps over a comma (not the end yet) or over the closing bracket (the end).
    fn ends(&mut self, close: u8, open: Span) -> Result<bool, Fail> {
        self.space();
        if self.peek() == Some(close) {
            self.at += 1;
            return Ok(true);
        }
        let comma = self.here();
        if self.eat(b',') {
            if self.peek() == Some(close) {
                return Err(self.fail(comma, "the last entry is followed by a comma"));
            }
            return Ok(false);
        }
        let close = char::from(close);
        let mut problem = self.unexpected(&format!("`,` or `{close}`"));
        problem
            .related
            .push((self.report.place(open), "it would close this".to_owned()));
        Err(problem)
    }

    fn word(&mut self) -> Result<Kind<'a>, Fail> {
        let start = self.at;
        while self
            .peek()
            .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_')
        {
            self.at += 1;
        }
        match self.text.get(start..self.at) {
            Some("true") => Ok(Kind::Bool(true)),
            Some("false") => Ok(Kind::Bool(false)),
            Some("null") => Ok(Kind::Null),
            Some(word)
                if matches!(
                    word.to_ascii_lowercase().as_str(),
                    "true" | "false" | "null"
                ) =>
            {
                let span = Span::new(start, self.at);
                Err(self.fail(span, "JSON writes this word in small letters"))
            }
            _ => Err(self.fail_with(
                Span::new(start, self.at),
                "this is not a value that JSON has",
                "strings have to be in double quotes",
            )),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over a byte and the space behind it, if it is there.
    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        if there {
            self.at += 1;
            self.space();
        }
        there
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// The character at hand.
    fn here(&self) -> Span {
        let length = self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next());
        Span::new(self.at, self.at + length.map_or(0, char::len_utf8))
    }

    fn fail(&self, span: Span, message: impl Into<String>) -> Fail {
        Box::new(self.report.error("json-syntax", span, message))
    }

    fn fail_with(&self, span: Span, message: &str, help: &str) -> Fail {
        let mut problem = self.fail(span, message);
        problem.help = Some(help.to_owned());
        problem
    }

    /// Something else was wanted here.
    fn unexpected(&self, wanted: &str) -> Fail {
        let wanted = format!("expected {wanted}");
        match self.peek() {
            None => self.fail(self.here(), wanted + ", but the text ends"),
            Some(b'/' | b'#') => {
                self.fail_with(self.here(), &wanted, "JSON has no comments; TOML has")
            }
            Some(b'\'') => {
                self.fail_with(self.here(), &wanted, "strings have to be in double quotes")
            }
            Some(_) => self.fail(self.here(), wanted),
        }
    }
}

/// Text without escapes is not copied.
type Text<'a> = Cow<'a, str>;
