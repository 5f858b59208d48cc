//! YAML with places: one document, and nothing that another reader could take for something else.
//!
//! Anchors, aliases, tags, merge keys, directives and further documents are refused. Words without
//! quotes are read as YAML 1.2 says, and those that YAML 1.1 reads as booleans are marked.

use std::borrow::Cow;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, StrInput, Tag};

use super::{
    keys::Keys,
    node::{Entry, Kind, MAX_DEPTH, Node},
    report::Report,
    scalar,
};
use crate::diagnostic::{Diagnostic, Span};

/// Reads a document, or reports why it is none.
pub(super) fn parse<'a>(text: &'a str, report: &mut Report<'_>) -> Option<Node<'a>> {
    let mut reader = Reader {
        events: Parser::new_from_str(text),
        report,
    };
    let read = reader.directives(text).and_then(|()| reader.stream());
    match read {
        Ok(Some(node)) => Some(node),
        Ok(None) => {
            let problem = reader
                .report
                .error("empty", Span::at(0), "the policy says nothing");
            reader.report.push(problem);
            None
        }
        Err(problem) => {
            reader.report.push(*problem);
            None
        }
    }
}

/// What is wrong; boxed since it is rare and big.
type Fail = Box<Diagnostic>;

struct Reader<'a, 'r, 's> {
    events: Parser<'a, StrInput<'a>>,
    report: &'r mut Report<'s>,
}

impl<'a> Reader<'a, '_, '_> {
    /// Refuses lines such as `%YAML 1.1`.
    fn directives(&self, text: &str) -> Result<(), Fail> {
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            match line.trim_start().chars().next() {
                None | Some('#') => start += line.len(),
                Some('%') => {
                    let span = Span::new(start, start + line.trim_end().len());
                    return Err(self.refuse(span, "directives are not read"));
                }
                Some(_) => break,
            }
        }
        Ok(())
    }

    /// Reads the one document that there is.
    fn stream(&mut self) -> Result<Option<Node<'a>>, Fail> {
        let mut document = None;
        loop {
            let (event, span) = self.next()?;
            match event {
                Event::DocumentStart(_) if document.is_some() => {
                    return Err(self.refuse(span, "there is more than one document"));
                }
                Event::DocumentStart(_) => {
                    let (event, span) = self.next()?;
                    document = Some(self.node(event, span, 0)?);
                }
                Event::StreamEnd => return Ok(document),
                _ => {}
            }
        }
    }

    fn next(&mut self) -> Result<(Event<'a>, Span), Fail> {
        match self.events.next_event() {
            Some(Ok((event, marks))) => {
                let source = self.report.source();
                let byte = |index| source.byte_of_char(index);
                let span = Span::new(byte(marks.start.index()), byte(marks.end.index()));
                Ok((event, span))
            }
            Some(Err(error)) => Err(self.syntax(&error)),
            None => Ok((Event::StreamEnd, Span::at(0))),
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node<'a>, Fail> {
        if depth > MAX_DEPTH {
            let message = format!("the document nests deeper than {MAX_DEPTH} levels");
            return Err(Box::new(self.report.error("yaml-syntax", span, message)));
        }
        let kind = match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.plain_only(anchor, tag.as_deref(), span)?;
                self.scalar(text, style, span)
            }
            Event::SequenceStart(anchor, tag) => {
                self.plain_only(anchor, tag.as_deref(), span)?;
                self.list(depth)?
            }
            Event::MappingStart(anchor, tag) => {
                self.plain_only(anchor, tag.as_deref(), span)?;
                self.table(depth)?
            }
            Event::Alias(_) => return Err(self.refuse(span, "aliases are not read")),
            _ => Kind::Null,
        };
        Ok(Node::new(kind, span))
    }

    fn list(&mut self, depth: usize) -> Result<Kind<'a>, Fail> {
        let mut items = Vec::new();
        loop {
            match self.next()? {
                (Event::SequenceEnd | Event::StreamEnd, _) => return Ok(Kind::List(items)),
                (event, span) => items.push(self.node(event, span, depth + 1)?),
            }
        }
    }

    fn table(&mut self, depth: usize) -> Result<Kind<'a>, Fail> {
        let mut keys = Keys::default();
        loop {
            let (event, key_span) = match self.next()? {
                (Event::MappingEnd | Event::StreamEnd, _) => {
                    return Ok(Kind::Table(keys.into_entries()));
                }
                key => key,
            };
            let key = self.key(event, key_span)?;
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            let entry = Entry {
                key,
                key_span,
                value,
            };
            keys.push(entry, self.report);
        }
    }

    /// The text of a key, which has to be a string to every reader.
    fn key(&mut self, event: Event<'a>, span: Span) -> Result<Cow<'a, str>, Fail> {
        let Event::Scalar(text, style, anchor, tag) = event else {
            return Err(self.refuse(span, "a key has to be a string"));
        };
        self.plain_only(anchor, tag.as_deref(), span)?;
        if text == "<<" && style == ScalarStyle::Plain {
            return Err(self.refuse(span, "merge keys are not read"));
        }
        let Kind::Text(text) = self.scalar(text, style, span) else {
            let mut problem = self.refuse(span, "a key has to be a string");
            problem.help = Some("put it into quotes".to_owned());
            return Err(problem);
        };
        Ok(text)
    }

    fn scalar(&mut self, text: Cow<'a, str>, style: ScalarStyle, span: Span) -> Kind<'a> {
        if style != ScalarStyle::Plain {
            return Kind::Text(text);
        }
        match scalar::plain_yaml(&text) {
            scalar::Plain::Text => Kind::Text(text),
            scalar::Plain::Ambiguous => Kind::Ambiguous(text),
            scalar::Plain::Null => Kind::Null,
            scalar::Plain::Bool(value) => Kind::Bool(value),
            scalar::Plain::Number(number) => Kind::Number(number),
            scalar::Plain::BadNumber(message) => {
                self.report.push(self.report.error("number", span, message));
                Kind::Broken
            }
        }
    }

    /// Refuses anchors and tags.
    fn plain_only(&self, anchor: usize, tag: Option<&Tag>, span: Span) -> Result<(), Fail> {
        if anchor != 0 {
            return Err(self.refuse(span, "anchors are not read"));
        }
        match tag {
            Some(_) => Err(self.refuse(span, "tags are not read")),
            None => Ok(()),
        }
    }

    fn refuse(&self, span: Span, message: &str) -> Fail {
        let problem = self.report.error("yaml-feature", span, message);
        Box::new(problem.with_help(
            "a policy is one plain document without anchors, aliases, tags and directives, \
             so that every reader reads the same",
        ))
    }

    fn syntax(&self, error: &ScanError) -> Fail {
        let source = self.report.source();
        let at = source.byte_of_char(error.marker().index());
        let problem = self
            .report
            .error("yaml-syntax", Span::new(at, at + 1), error.info());
        let star = source.text().as_bytes().get(at) == Some(&b'*');
        Box::new(match star {
            true => problem.with_help("a pattern that begins with `*` has to be in quotes"),
            false => problem,
        })
    }
}
