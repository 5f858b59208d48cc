//! Numbers of JSON.

use serde_json::Number;

use super::{super::scalar, Fail, Parser};
use crate::diagnostic::Span;

impl Parser<'_, '_, '_> {
    /// Reads a number that can be told apart from every other one.
    pub(super) fn number(&mut self) -> Result<Number, Fail> {
        let start = self.at;
        let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-');
        while self.peek().is_some_and(part) {
            self.at += 1;
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let span = Span::new(start, self.at);
        if !is_number(text.as_bytes()) {
            return Err(self.fail(span, "this is not a number that JSON has"));
        }
        scalar::number(text)
            .ok_or_else(|| Box::new(self.report.error("number", span, scalar::BAD_NUMBER)))
    }
}

/// Whether a text is a number as RFC 8259 has it.
fn is_number(text: &[u8]) -> bool {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let Some(rest) = integer(text) else {
        return false;
    };
    let rest = match rest.strip_prefix(b".") {
        Some(fraction) => match digits(fraction) {
            (0, _) => return false,
            (_, rest) => rest,
        },
        None => rest,
    };
    match rest {
        [] => true,
        [b'e' | b'E', exponent @ ..] => {
            let sign = usize::from(matches!(exponent.first(), Some(b'+' | b'-')));
            let (count, rest) = digits(exponent.get(sign..).unwrap_or_default());
            count > 0 && rest.is_empty()
        }
        _ => false,
    }
}

/// Steps over `0`, or over digits that do not begin with it.
fn integer(text: &[u8]) -> Option<&[u8]> {
    match text {
        [b'0', rest @ ..] => Some(rest),
        [b'1'..=b'9', ..] => Some(digits(text).1),
        _ => None,
    }
}

fn digits(text: &[u8]) -> (usize, &[u8]) {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count, text.get(count..).unwrap_or_default())
}
