//! TOML with places.

use toml::{
    Spanned,
    de::{DeArray, DeInteger, DeTable, DeValue},
};

use super::{
    node::{Entry, Kind, Node},
    report::Report,
    scalar,
};
use crate::diagnostic::{Diagnostic, Span};

/// Reads a document, or reports why it is none.
pub(super) fn parse<'a>(text: &'a str, report: &mut Report<'_>) -> Option<Node<'a>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut readable = true;
    for error in &errors {
        let duplicate = error.message().starts_with("duplicate key");
        // With a key too many, the rest of the document still says what it says.
        readable &= duplicate;
        report.push(problem(error, duplicate, report));
    }
    let span = Span::at(0);
    readable.then(|| Node::new(table_kind(table.into_inner(), report), span))
}

fn problem(error: &toml::de::Error, duplicate: bool, report: &Report<'_>) -> Diagnostic {
    let span = error.span().unwrap_or(0..0);
    let span = Span::new(span.start, span.end);
    if duplicate {
        let message = "a key or a table is written twice";
        return report
            .error("duplicate-key", span, message)
            .with_label("a second time here");
    }
    report.error("toml-syntax", span, error.message())
}

fn table_kind<'a>(table: DeTable<'a>, report: &mut Report<'_>) -> Kind<'a> {
    let mut entries: Vec<_> = table
        .into_iter()
        .map(|(key, value)| Entry {
            key_span: span(&key),
            key: key.into_inner(),
            value: node(value, report),
        })
        .collect();
    // The crate sorts keys by name. Whoever reads the report reads the file from the top.
    entries.sort_by_key(|entry| entry.key_span);
    Kind::Table(entries)
}

fn node<'a>(value: Spanned<DeValue<'a>>, report: &mut Report<'_>) -> Node<'a> {
    let span = span(&value);
    let kind = match value.into_inner() {
        DeValue::String(text) => Kind::Text(text),
        DeValue::Boolean(value) => Kind::Bool(value),
        DeValue::Datetime(date) => Kind::Date(date.to_string().into()),
        DeValue::Array(items) => list(items, report),
        DeValue::Table(table) => table_kind(table, report),
        DeValue::Integer(number) => number_kind(integer(&number), span, report),
        DeValue::Float(number) => number_kind(scalar::number(number.as_str()), span, report),
    };
    Node::new(kind, span)
}

fn list<'a>(items: DeArray<'a>, report: &mut Report<'_>) -> Kind<'a> {
    Kind::List(items.into_iter().map(|item| node(item, report)).collect())
}

fn integer(number: &DeInteger<'_>) -> Option<serde_json::Number> {
    let (text, radix) = (number.as_str(), number.radix());
    let small = i64::from_str_radix(text, radix).map(Into::into);
    let large = || u64::from_str_radix(text, radix).map(Into::into);
    small.or_else(|_| large()).ok()
}

fn number_kind<'a>(
    number: Option<serde_json::Number>,
    span: Span,
    report: &mut Report<'_>,
) -> Kind<'a> {
    number.map_or_else(
        || {
            report.push(report.error("number", span, scalar::BAD_NUMBER));
            Kind::Broken
        },
        Kind::Number,
    )
}

fn span<T>(spanned: &Spanned<T>) -> Span {
    let span = spanned.span();
    Span::new(span.start, span.end)
}
