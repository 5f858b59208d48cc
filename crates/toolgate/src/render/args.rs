//! The arguments, all of them, in the order of their names.
//!
//! What fits on a line is written as JSON. What does not is taken apart: a line for each value in
//! it, with the way to it. Text of several lines stands behind a gutter.

use serde_json::{Map, Value};

use super::{
    LineKind,
    escape::{quoted, secret},
    mask::names_a_secret,
    request::{Page, lines, size},
};
use crate::{ApprovalRequest, Presentation};

/// As many characters as a list or an object may have on one line.
const ONE_LINE: usize = 60;

/// Shows every argument of a call.
pub(super) fn show(page: &mut Page, request: &ApprovalRequest) {
    let args = request.args.as_map();
    if args.is_empty() {
        page.line(LineKind::Argument, "arguments", "none");
        return;
    }
    let after = match &request.presentation {
        Some(Presentation::Diff { after, .. }) => Some(&**after),
        _ => None,
    };
    let presented = match &request.presentation {
        Some(Presentation::Code { text, language }) => {
            let language = page.name(language);
            Some((&**text, LineKind::Code, format!(" (as {language} code)")))
        }
        Some(Presentation::Plain { text }) => {
            Some((&**text, LineKind::Text, " (as text)".to_owned()))
        }
        _ => None,
    };
    let mut shower = Shower {
        page,
        presented,
        after,
        label: "arguments",
    };
    for (key, value) in sorted(args) {
        let path = name(shower.page, key);
        shower.value(&path, key, value);
    }
}

/// Whether what a policy wants to be shown is the text of an argument, and so shown in any case.
pub(super) fn is_shown_text(request: &ApprovalRequest) -> bool {
    let Some(Presentation::Code { text, .. } | Presentation::Plain { text }) =
        &request.presentation
    else {
        return false;
    };
    let values = request.args.as_map().values();
    values.filter_map(Value::as_str).any(|value| value == text)
}

struct Shower<'a, 'b> {
    page: &'a mut Page,
    /// Text that a policy wants to be shown, and how.
    presented: Option<(&'b str, LineKind, String)>,
    /// Text that was shown as what a change leads to.
    after: Option<&'b str>,
    label: &'static str,
}

impl Shower<'_, '_> {
    fn value(&mut self, path: &str, key: &str, value: &Value) {
        match value {
            Value::String(text) if self.after == Some(text) && lines(text).count() > 1 => {
                self.line(format!("{path}: what the change above leads to"));
            }
            Value::String(text) if self.is_presented(path, text) => {}
            Value::String(text) if text.contains('\n') => {
                self.text(path, "", LineKind::Text, text);
            }
            Value::Array(items) if !items.is_empty() && !fits(value) => {
                for (index, item) in items.iter().enumerate() {
                    self.value(&format!("{path}[{index}]"), key, item);
                }
            }
            Value::Object(map) if !map.is_empty() && !fits(value) => {
                for (key, value) in sorted(map) {
                    let path = format!("{path}.{}", name(self.page, key));
                    self.value(&path, key, value);
                }
            }
            _ => {
                let value = compact(self.page, key, value);
                self.line(format!("{path}: {value}"));
            }
        }
    }

    fn line(&mut self, text: String) {
        self.page.line(LineKind::Argument, self.label, text);
        self.label = "";
    }

    /// Shows text as a policy wants it to be shown, if that is the one.
    fn is_presented(&mut self, path: &str, text: &str) -> bool {
        let presented = self.presented.clone();
        let presented = presented.filter(|(wanted, ..)| *wanted == text);
        let Some((_, kind, how)) = presented else {
            return false;
        };
        self.text(path, &how, kind, text);
        true
    }

    fn text(&mut self, path: &str, how: &str, kind: LineKind, text: &str) {
        self.line(format!("{path}{how}:{}", size(text)));
        self.page.block(kind, text);
    }
}

/// Whether a value is short, and has no text of several lines in it.
fn fits(value: &Value) -> bool {
    fn room(value: &Value, left: usize) -> Option<usize> {
        match value {
            Value::String(text) if text.contains('\n') => None,
            Value::String(text) => left.checked_sub(text.len() + 2),
            Value::Array(items) => items
                .iter()
                .try_fold(left, |left, item| room(item, left.checked_sub(2)?)),
            Value::Object(map) => map.iter().try_fold(left, |left, (key, value)| {
                room(value, left.checked_sub(key.len() + 6)?)
            }),
            _ => left.checked_sub(4),
        }
    }
    room(value, ONE_LINE).is_some()
}

/// A value as JSON, with the keys of objects in order.
fn compact(page: &mut Page, key: &str, value: &Value) -> String {
    match value {
        Value::String(text) if names_a_secret(key) => page.take(secret(text)),
        Value::String(text) => page.take(quoted(text)),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(|item| compact(page, key, item)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => compact_object(page, map),
        other => other.to_string(),
    }
}

/// An object as JSON, with its keys in order.
pub(super) fn compact_object(page: &mut Page, map: &Map<String, Value>) -> String {
    let entries = sorted(map).into_iter().map(|(key, value)| {
        let shown = page.take(quoted(key));
        format!("{shown}: {}", compact(page, key, value))
    });
    let entries: Vec<_> = entries.collect();
    format!("{{{}}}", entries.join(", "))
}

/// A key as part of a way: as it is if it can be nothing else, in quotes otherwise.
fn name(page: &mut Page, key: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    match !key.is_empty() && key.bytes().all(plain) {
        true => key.to_owned(),
        false => page.take(quoted(key)),
    }
}

fn sorted(map: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut entries: Vec<_> = map.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    entries
}
