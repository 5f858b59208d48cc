//! What happened against what is expected.

use serde_json::Value;

use crate::{
    case::Invalid,
    expectation::{Expectation, How, OF_PROMPTS, how},
    seen::{Outcome, Seen},
};

/// Everything in which `seen` differs from what is expected.
pub(crate) fn compare(expectation: &Expectation, seen: &Seen) -> Result<Vec<String>, Invalid> {
    let mut differences = Vec::new();
    for (field, expected) in &expectation.0 {
        differences.extend(difference(field, expected, seen)?);
    }
    Ok(differences)
}

fn difference(field: &str, expected: &Value, seen: &Seen) -> Result<Option<String>, Invalid> {
    let how = how(field).ok_or_else(|| Invalid::new(format!("unknown `{field}`")))?;
    let actual = seen.fields.get(field);
    let same = match how {
        How::Recorded(_) => true,
        How::Equal => actual.is_some_and(|actual| equal(expected, actual)),
        How::Outcome => return outcome(expected, seen),
        How::PartOfReason => part_of_reason(expected, seen),
        How::Message => actual.is_some_and(|actual| says(expected, actual)),
        How::Events => actual.is_some_and(|actual| events(expected, actual)),
        How::Remembered => actual.is_some_and(|actual| remembered(expected, actual)),
        How::Prompts => return Ok(prompts(expected, seen)),
        How::Trace => return trace(expected, seen),
    };
    Ok((!same).then(|| match actual {
        Some(actual) => format!("{field}: expected {expected}, but got {actual}"),
        None => format!("{field}: expected {expected}, but there is none"),
    }))
}

/// Equality that tells `1` from `1.0`, and minds no order of keys.
fn equal(expected: &Value, actual: &Value) -> bool {
    expected == actual
}

fn outcome(expected: &Value, seen: &Seen) -> Result<Option<String>, Invalid> {
    let wanted = Outcome::parse_any(expected.as_str().unwrap_or_default())?;
    let fits = |wanted: &Outcome| match wanted {
        Outcome::Asked => seen.asked,
        other => *other == seen.outcome,
    };
    if wanted.iter().any(fits) {
        return Ok(None);
    }
    let why = ["reason", "error_type", "message"].map(|field| seen.fields.get(field));
    let why: Vec<_> = why.into_iter().flatten().map(Value::to_string).collect();
    let actual = seen.outcome;
    Ok(Some(format!(
        "outcome: expected {expected}, but it is {actual:?} ({})",
        why.join(", ")
    )))
}

fn part_of_reason(expected: &Value, seen: &Seen) -> bool {
    let reason = seen.fields.get("reason").and_then(Value::as_str);
    let part = expected.as_str();
    reason
        .zip(part)
        .is_some_and(|(reason, part)| reason.contains(part))
}

/// Equality of messages. `'*'` stands for a name that the case does not hold.
fn says(expected: &Value, actual: &Value) -> bool {
    let (Some(expected), Some(actual)) = (expected.as_str(), actual.as_str()) else {
        return false;
    };
    match actual.split_once("'*'") {
        Some((before, after)) => expected.starts_with(before) && expected.ends_with(after),
        None => expected == actual,
    }
}

/// Equality of event names. What an event says stands in parentheses.
fn events(expected: &Value, actual: &Value) -> bool {
    let names = |events: &Value| -> Option<Vec<String>> {
        let name = |event: &Value| event.as_str()?.split('(').next().map(str::to_owned);
        events.as_array()?.iter().map(name).collect()
    };
    names(expected).is_some_and(|expected| Some(expected) == names(actual))
}

/// Equality of what is remembered. What is not said of something can be anything.
fn remembered(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Array(expected), Value::Array(actual)) => {
            let pairs = expected.iter().zip(actual);
            expected.len() == actual.len() && pairs.into_iter().all(|(e, a)| prompt(e, a))
        }
        _ => equal(expected, actual),
    }
}

/// A request with several asks counts as so many questions, or as any one of them. A system that
/// asks one at a time stops at the first that is refused.
fn prompts(expected: &Value, seen: &Seen) -> Option<String> {
    let each: Vec<&Value> = seen.prompts.iter().flatten().collect();
    let Some(wanted) = expected.as_array() else {
        return Some(format!("prompts: {expected} is not a list"));
    };
    let one_each = wanted.len() == each.len()
        || (seen.ended_asking && !wanted.is_empty() && wanted.len() < each.len());
    let all_fit = one_each && wanted.iter().zip(&each).all(|(w, a)| prompt(w, a));
    let one_per_request = wanted.len() == seen.prompts.len()
        && wanted
            .iter()
            .zip(&seen.prompts)
            .all(|(w, asks)| asks.iter().any(|a| prompt(w, a)));
    let actual = || -> Value { each.iter().copied().cloned().collect() };
    (!all_fit && !one_per_request)
        .then(|| format!("prompts: expected {expected}, but got {}", actual()))
}

/// Whether a question is what is said of it. What is not said of it can be anything.
fn prompt(expected: &Value, actual: &Value) -> bool {
    let not_compared = |field: &str| OF_PROMPTS.iter().any(|(name, _)| *name == field);
    expected.as_object().is_some_and(|expected| {
        expected.iter().all(|(field, value)| {
            not_compared(field) || actual.get(field).is_some_and(|a| equal(value, a))
        })
    })
}

/// The policies that were heard before the tool, in the first round, are compared. Hooks that
/// run after the tool are not policies: their names must be known, and the tool must have run.
fn trace(expected: &Value, seen: &Seen) -> Result<Option<String>, Invalid> {
    let mut before = Vec::new();
    let mut later = false;
    for entry in expected.as_array().into_iter().flatten() {
        let Some((hook, name)) = entry.as_str().and_then(|entry| entry.split_once(':')) else {
            return Err(Invalid::new(format!("`trace` has {entry}")));
        };
        if !seen.policies.iter().any(|policy| policy == name) {
            return Ok(Some(format!("trace: there is no policy `{name}`")));
        }
        match hook {
            "before" => before.push(name),
            "after" | "error" => later = true,
            _ => return Err(Invalid::new(format!("unknown hook `{hook}`"))),
        }
    }
    let Some(heard) = &seen.heard else {
        return Ok(Some("trace: nothing is known of who was heard".to_owned()));
    };
    let so_far = heard.get(..before.len()).unwrap_or_default();
    let agrees = before == so_far && (before.len() == heard.len() || seen.ended_asking);
    let ran = seen.fields.get("tool_ran") == Some(&Value::Bool(true));
    let same = agrees && (ran || !later) && expected.is_array();
    Ok((!same).then(|| format!("trace: expected {expected}, but heard {heard:?}")))
}
