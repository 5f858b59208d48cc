//! Policy files, in every format.
//!
//! 1. What does not load says where, within the text, and says nothing that a terminal obeys.
//! 2. What loads can be compiled or says why not; what is compiled judges, and explains the same.
//! 3. A document that loads in one format decides the same in the others.

use serde_json::Value;
use toolgate::Effect;
use toolgate_policy::{Diagnostics, FilePolicy, Format, ParsedPolicy, parse_policy};

use crate::{kit, layers::calls};

const FORMATS: [Format; 3] = [Format::Toml, Format::Json, Format::Yaml];

/// Checks a policy file.
pub fn check(text: &str) {
    let _ = Format::guess(text);
    for format in FORMATS {
        match parse_policy(text, format) {
            Ok(parsed) => read(&parsed),
            Err(wrong) => said(&wrong, text),
        }
    }
    if let Some(document) = json(text) {
        the_same(text, Format::Json, &document);
    }
    if let Ok(table) = text.parse::<toml::Table>() {
        the_same(text, Format::Toml, &from_table(table));
    }
}

fn read(parsed: &ParsedPolicy) {
    let environments = parsed.environments().map(Some);
    for environment in environments.chain([None]).take(4) {
        match parsed.compile(environment, &kit::settings()) {
            Ok(policy) => {
                let _ = decided(&policy);
            }
            Err(wrong) => {
                assert!(wrong.has_errors(), "refused without an error");
                shown(&wrong);
            }
        }
    }
}

/// Every call, judged.
fn decided(policy: &FilePolicy) -> Vec<Effect> {
    shown(policy.warnings());
    let judge = |call| {
        let effect = kit::effect(policy, call);
        assert_eq!(policy.explain(call).effect, effect, "explained otherwise");
        effect
    };
    calls().iter().map(judge).collect()
}

/// Lines count from one; zero is the file as a whole.
fn said(wrong: &Diagnostics, text: &str) {
    assert!(wrong.has_errors(), "refused without an error");
    let lines = text.split('\n').count();
    for one in wrong {
        let line = one.place.line as usize;
        assert!(line <= lines + 1, "line {line} of {lines}: {}", one.message);
    }
    shown(wrong);
}

fn shown(wrong: &Diagnostics) {
    let odd = |c: char| c.is_control() && c != '\n';
    assert!(
        !wrong.to_string().contains(odd),
        "an odd character is shown"
    );
    let plain = wrong.render(true).replace('\u{1b}', "");
    assert!(!plain.contains(odd), "an odd character is shown in colour");
}

/// JSON that no reader takes for anything else.
fn json(text: &str) -> Option<Value> {
    parse_policy(text, Format::Json).ok()?;
    serde_json::from_str(text).ok()
}

fn from_table(table: toml::Table) -> Value {
    let entry = |(key, value)| (key, from_toml(value));
    Value::Object(table.into_iter().map(entry).collect())
}

/// A date is text in the other formats.
fn from_toml(value: toml::Value) -> Value {
    match value {
        toml::Value::Table(table) => from_table(table),
        toml::Value::Array(list) => list.into_iter().map(from_toml).collect(),
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(is) => is.into(),
        toml::Value::Datetime(date) => date.to_string().into(),
    }
}

fn the_same(text: &str, format: Format, document: &Value) {
    let Some(expected) = outcome(text, format) else {
        return;
    };
    let mut others = vec![
        (document.to_string(), Format::Json),
        (format!("{document:#}"), Format::Yaml),
    ];
    if let Ok(toml) = toml::to_string(document) {
        others.push((toml, Format::Toml));
    }
    for (other, as_format) in others {
        let found = outcome(&other, as_format);
        let found = found.as_ref();
        assert_eq!(found, Some(&expected), "as {as_format:?}:\n{other}");
    }
}

/// What the policy decides, or what is wrong with its rules; none if it cannot be read.
fn outcome(text: &str, format: Format) -> Option<Result<Vec<Effect>, Vec<&'static str>>> {
    let parsed = parse_policy(text, format).ok()?;
    let compiled = parsed.compile(None, &kit::settings());
    Some(
        compiled
            .map(|policy| decided(&policy))
            .map_err(|wrong| codes(&wrong)),
    )
}

fn codes(wrong: &Diagnostics) -> Vec<&'static str> {
    let mut codes: Vec<_> = wrong.iter().map(|one| one.code).collect();
    codes.sort_unstable();
    codes
}
