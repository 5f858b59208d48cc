//! What is to be compared, and how.
//!
//! Without `recommended`, what is expected is `expect`. With it:
//!
//! - If it names another outcome, only what it says itself counts: the rest of `expect` tells of
//!   behaviour that is not wanted.
//! - Otherwise its fields replace those of `expect`, and the others still count.
//! - In a case with steps, `step2` is about the second step, and any other field about the last
//!   call.
//!
//! Nothing of `why` is compared.

mod fields;

use serde_json::Value;

pub(crate) use self::fields::{How, OF_PROMPTS, how};
use crate::{
    case::{Case, Fields, Invalid},
    seen::Outcome,
};

/// What is expected of one call, or of one step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expectation(pub(crate) Fields);

impl Expectation {
    /// What is expected of `field`.
    pub(crate) fn get(&self, field: &str) -> Option<&Value> {
        self.0.get(field)
    }
}

/// Refuses fields and outcomes that are not known, wherever they stand.
pub(crate) fn check(case: &Case) -> Result<(), Invalid> {
    if let Some(expect) = &case.expect {
        check_fields(expect)?;
    }
    for step in case.steps.iter().flatten() {
        step.expect.as_ref().map_or(Ok(()), check_fields)?;
    }
    let Some(recommended) = &case.recommended else {
        return Ok(());
    };
    if let Some(why) = recommended.get("why").filter(|why| !why.is_string()) {
        return Err(Invalid::new(format!("`why` is {why}")));
    }
    let steps = case.steps.as_ref().map_or(0, Vec::len);
    for number in 1..=steps {
        match recommended.get(&step_name(number - 1)) {
            Some(Value::Object(fields)) => check_fields(fields)?,
            Some(other) => return Err(Invalid::new(format!("`step{number}` is {other}"))),
            None => {}
        }
    }
    check_fields(&stated(recommended, steps))
}

fn check_fields(fields: &Fields) -> Result<(), Invalid> {
    if let Some(name) = fields.keys().find(|name| how(name).is_none()) {
        return Err(Invalid::new(format!("unknown expectation `{name}`")));
    }
    if let Some((name, value)) = fields.iter().find(|(name, v)| !fields::fits(name, v)) {
        return Err(Invalid::new(format!("`{name}` cannot be {value}")));
    }
    match fields.get("outcome") {
        Some(Value::String(words)) => Outcome::parse_any(words).map(drop),
        Some(other) => Err(Invalid::new(format!("`outcome` is {other}"))),
        None => Ok(()),
    }
}

fn step_name(index: usize) -> String {
    format!("step{}", index + 1)
}

/// What `recommended` says of the call, or of the last one.
fn stated(recommended: &Fields, steps: usize) -> Fields {
    let mut stated = recommended.clone();
    stated.remove("why");
    for index in 0..steps {
        stated.remove(&step_name(index));
    }
    stated
}

/// What is expected of the only call.
pub(crate) fn of_call(case: &Case) -> Result<Expectation, Invalid> {
    let Some(expect) = &case.expect else {
        return Err(Invalid::new("nothing is expected of the call"));
    };
    let better = case.recommended.as_ref().map(|r| stated(r, 0));
    Ok(corrected(expect, better))
}

/// What is expected of step `index`.
pub(crate) fn of_step(case: &Case, index: usize) -> Result<Expectation, Invalid> {
    if case.expect.is_some() {
        return Err(Invalid::new("`expect` belongs to the steps"));
    }
    let steps = case.steps.as_deref().unwrap_or_default();
    let none = Fields::new();
    let expect = steps.get(index).and_then(|step| step.expect.as_ref());
    let expect = expect.unwrap_or(&none);
    let better = case.recommended.as_ref().and_then(|recommended| {
        match recommended.get(&step_name(index)) {
            Some(Value::Object(fields)) => Some(fields.clone()),
            _ => case
                .is_last_call(index)
                .then(|| stated(recommended, steps.len())),
        }
    });
    Ok(corrected(expect, better))
}

fn corrected(expect: &Fields, better: Option<Fields>) -> Expectation {
    let Some(better) = better else {
        return Expectation(expect.clone());
    };
    let other_outcome = better
        .get("outcome")
        .is_some_and(|outcome| expect.get("outcome") != Some(outcome));
    if other_outcome {
        return Expectation(better);
    }
    let mut fields = expect.clone();
    fields.extend(better);
    Expectation(fields)
}
