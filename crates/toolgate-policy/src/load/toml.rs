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
use crate::diagnostic::{Diagnostic, Span, quoted};

/// Reads a document, or reports why it is none.
pub(super) fn parse<'a>(text: &'a str, report: &mut Report<'_>) -> Option<Node<'a>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    let root = Node::new(table_kind(table.into_inner(), report), Span::at(0));
    let mut readable = true;
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        let span = Span::new(span.start, span.end);
        // With a key too many, the rest of the document still says what it says.
        let duplicate = error.message().starts_with("duplicate key");
        readable &= duplicate;
        report.push(match duplicate {
            true => twice(&root, span, report),
            false => report.error("toml-syntax", span, error.message()),
        });
    }
    readable.then_some(root)
}

/// That a key or the head of a table is written twice.
fn twice(root: &Node<'_>, span: Span, report: &Report<'_>) -> Diagnostic {
    let text = report.source().text();
    let key = text.get(span.start as usize..span.end as usize);
    let key = key.unwrap_or_default().trim_matches(['"', '\'']);
    let problem = report
        .error(
            "duplicate-key",
            span,
            format!("key {} is written twice", quoted(key)),
        )
        .with_label("a second time here");
    if report.is_full() {
        return problem;
    }
    let first = same_head(text, span).or_else(|| {
        let mut before = Vec::new();
        same_keys(root, key, &mut before);
        before.retain(|first| *first < span);
        // The crate does not say which table it was. Saying nothing is better than a wrong place.
        <[Span; 1]>::try_from(before).ok().map(|[first]| first)
    });
    match first {
        Some(first) => problem.with_related(report.place(first), "it is first written here"),
        None => problem,
    }
}

/// Where the head of a table was written the first time.
fn same_head(text: &str, span: Span) -> Option<Span> {
    let (start, end) = (span.start as usize, span.end as usize);
    let line_start = text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(line_start..)?.lines().next()?.trim_end();
    let first = text.lines().find(|other| other.trim_end() == line)?;
    // Both are parts of the same text, so the distance between them is where the first begins.
    let at = first.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let head = line.starts_with('[') && !line.starts_with("[[") && at < line_start;
    let within = start - line_start;
    head.then(|| Span::new(at + within, at + within + (end - start)))
}

fn same_keys(node: &Node<'_>, key: &str, found: &mut Vec<Span>) {
    match &node.kind {
        Kind::Table(entries) => {
            for entry in entries {
                if entry.key == key {
                    found.push(entry.key_span);
                }
                same_keys(&entry.value, key, found);
            }
        }
        Kind::List(items) => items.iter().for_each(|item| same_keys(item, key, found)),
        _ => {}
    }
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
