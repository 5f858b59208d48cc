//! The outermost table of a document.

use super::{
    Format, json,
    node::{Entry, Kind},
    report::Report,
    toml, yaml,
};
use crate::diagnostic::Span;

/// The longest text that is read.
pub(super) const MAX_BYTES: usize = 16 << 20;

/// As much of a text as reports may show.
pub(super) fn clip(text: &str) -> &str {
    match text.len() > MAX_BYTES {
        true => "",
        false => text,
    }
}

/// Reads the outermost table of a text that was `length` bytes long.
pub(super) fn read<'a>(
    length: usize,
    text: &'a str,
    format: Format,
    report: &mut Report<'_>,
) -> Option<Vec<Entry<'a>>> {
    if let Some((code, message, help)) = unreadable(length, text) {
        report.push(report.error(code, Span::at(0), message).with_help(help));
        return None;
    }
    let root = match format {
        Format::Toml => toml::parse(text, report),
        Format::Json => json::parse(text, report),
        Format::Yaml => yaml::parse(text, report),
    }?;
    match root.kind {
        Kind::Table(entries) if !entries.is_empty() || format != Format::Toml => Some(entries),
        Kind::Table(_) => {
            report.push(report.error("empty", Span::at(0), "the policy says nothing"));
            None
        }
        _ => {
            let message = format!("a policy has to be a table, not {}", root.type_name());
            report.push(report.error("wrong-type", root.span, message));
            None
        }
    }
}

/// Why a text is not even looked at, and what to do about it.
fn unreadable(length: usize, text: &str) -> Option<(&'static str, String, &'static str)> {
    if length > MAX_BYTES {
        let message = format!("the policy is longer than {MAX_BYTES} bytes");
        let help = "split it into the files of several owners, or name another file";
        return Some(("too-long", message, help));
    }
    if text.starts_with('\u{feff}') {
        let message = "the text begins with a byte order mark, which does not belong there";
        let help = "save it without one: as UTF-8, not as UTF-8 with BOM";
        return Some(("byte-order-mark", message.to_owned(), help));
    }
    if text.trim().is_empty() {
        let help = "`toolgate init` writes one to start from";
        return Some(("empty", "the policy is empty".to_owned(), help));
    }
    None
}
