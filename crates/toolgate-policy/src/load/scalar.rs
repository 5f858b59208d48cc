//! Numbers, and what a word of YAML without quotes is.

use serde_json::Number;

/// What is said of a number that is not kept.
pub(super) const BAD_NUMBER: &str = "this number is infinite or too large";

/// A decimal number; none if it could not be told apart from another one.
pub(super) fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let text = text.strip_prefix('+').unwrap_or(text);
        let small = text.parse::<i64>().map(Number::from);
        return small
            .or_else(|_| text.parse::<u64>().map(Number::from))
            .ok();
    }
    text.parse::<f64>().ok().and_then(Number::from_f64)
}

/// What a word of YAML without quotes is.
pub(super) enum Plain {
    Text,
    /// A string in YAML 1.2, a boolean in YAML 1.1.
    Ambiguous,
    Null,
    Bool(bool),
    Number(Number),
    BadNumber(&'static str),
}

/// Reads a word as the core schema of YAML 1.2 does.
pub(super) fn plain_yaml(text: &str) -> Plain {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Plain::Null,
        "true" | "True" | "TRUE" => return Plain::Bool(true),
        "false" | "False" | "FALSE" => return Plain::Bool(false),
        _ => {}
    }
    let old_boolean = ["yes", "no", "on", "off"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    if old_boolean {
        return Plain::Ambiguous;
    }
    yaml_number(text).unwrap_or(Plain::Text)
}

fn yaml_number(text: &str) -> Option<Plain> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let first = unsigned.bytes().next()?;
    if matches!(
        unsigned,
        ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN"
    ) {
        return Some(Plain::BadNumber(BAD_NUMBER));
    }
    if !first.is_ascii_digit() && first != b'.' {
        return None;
    }
    if let Some(digits) = unsigned.strip_prefix("0x") {
        return radix(text, digits, 16);
    }
    if let Some(digits) = unsigned.strip_prefix("0o") {
        return radix(text, digits, 8);
    }
    if !is_decimal(unsigned) {
        return None;
    }
    let octal_once = unsigned.len() > 1
        && unsigned.starts_with('0')
        && unsigned.bytes().all(|byte| byte.is_ascii_digit());
    if octal_once {
        let message = "some readers take a number that begins with 0 for an octal one";
        return Some(Plain::BadNumber(message));
    }
    Some(number(text).map_or(Plain::BadNumber(BAD_NUMBER), Plain::Number))
}

/// A hexadecimal or octal number; YAML has them without a sign.
fn radix(text: &str, digits: &str, radix: u32) -> Option<Plain> {
    let known = digits.chars().all(|c| c.is_digit(radix)) && !digits.is_empty();
    if !known || text.starts_with(['-', '+']) {
        return None;
    }
    let number = u64::from_str_radix(digits, radix);
    Some(number.map_or(Plain::BadNumber(BAD_NUMBER), |n| Plain::Number(n.into())))
}

/// Whether a text is digits with at most a fraction and an exponent.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_is_number = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    digits(whole) && digits(fraction) && whole.len() + fraction.len() > 0 && exponent_is_number
}
