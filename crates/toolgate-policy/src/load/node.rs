//! What the three formats have in common: a tree of values that know where they are written.

use std::borrow::Cow;

use serde_json::{Map, Number, Value};

use crate::diagnostic::Span;

/// How deep a document may nest.
pub(super) const MAX_DEPTH: usize = 64;

/// A value, and where it is written.
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub(crate) kind: Kind<'a>,
    pub(crate) span: Span,
}

/// What a value is.
#[derive(Debug)]
pub(crate) enum Kind<'a> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'a, str>),
    /// A word without quotes that some readers of YAML take for a boolean, such as `no`.
    Ambiguous(Cow<'a, str>),
    /// A date or a time that is not a string, as TOML has them.
    Date(Cow<'a, str>),
    List(Vec<Node<'a>>),
    Table(Vec<Entry<'a>>),
    /// Something that has been reported already.
    Broken,
}

/// One entry of a table. Keys of a table differ.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) key: Cow<'a, str>,
    pub(crate) key_span: Span,
    pub(crate) value: Node<'a>,
}

impl<'a> Node<'a> {
    pub(crate) fn new(kind: Kind<'a>, span: Span) -> Self {
        Self { kind, span }
    }

    /// The text of a string.
    pub(crate) fn text(&self) -> Option<&Cow<'a, str>> {
        match &self.kind {
            Kind::Text(text) | Kind::Ambiguous(text) => Some(text),
            _ => None,
        }
    }

    /// What kind of value it is, for messages.
    pub(crate) fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number(_) => "a number",
            Kind::Text(_) | Kind::Ambiguous(_) => "a string",
            Kind::Date(_) => "a date",
            Kind::List(_) => "a list",
            Kind::Table(_) => "a table",
            Kind::Broken => "something unreadable",
        }
    }

    /// The value as JSON has it, or the part of it that JSON does not have.
    pub(crate) fn to_json(&self) -> Result<Value, &Self> {
        Ok(match &self.kind {
            Kind::Null => Value::Null,
            Kind::Bool(value) => Value::Bool(*value),
            Kind::Number(number) => Value::Number(number.clone()),
            Kind::Text(text) => Value::String(text.clone().into_owned()),
            Kind::Ambiguous(_) | Kind::Date(_) | Kind::Broken => return Err(self),
            Kind::List(items) => {
                Value::Array(items.iter().map(Self::to_json).collect::<Result<_, _>>()?)
            }
            Kind::Table(entries) => Value::Object(object(entries)?),
        })
    }
}

/// A table as JSON has it.
pub(crate) fn object<'n, 'a>(entries: &'n [Entry<'a>]) -> Result<Map<String, Value>, &'n Node<'a>> {
    let pair = |entry: &'n Entry<'a>| Ok((entry.key.clone().into_owned(), entry.value.to_json()?));
    entries.iter().map(pair).collect()
}
