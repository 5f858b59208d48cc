//! `HPD-Agent`: functions that require permission, overrides of that, and one question each.
//!
//! Nobody speaks for a function: it runs. The attribute is what the tool
//! [says of itself](toolgate::Description::requiring_approval), and overrides act in
//! `ToolRules`; one for the run takes the place of one for the agent. In
//! the first version a denial is a result for the model; later ones end the turn unless told
//! otherwise.
//!
//! An answer is remembered by the name of the function, so the payload is empty; where the case
//! says what is safer, or only why, it is all arguments. An iteration is a turn: what was declined
//! in it is not asked again, and in the first two versions no other call of the function is. The
//! source lets a yes stand for every call of the function in the same iteration as well. Toolgate
//! does not: a yes covers one call.

mod batch;
mod broker;
mod declined;
mod given;
mod memory;
mod response;
mod stack;
mod voice;

use serde_json::{Value, json};
use toolgate::Grants;

pub(super) use self::{batch::seen, response::Response};
use self::{
    given::{Given, Responses},
    stack::Build,
    voice::Hpd,
};
use super::{Instead, drive_and, finding};
use crate::{
    Finding,
    answer::Answer,
    bench::Attempt,
    case::{Act, Case, Invalid, Op, Turn},
    expectation::Expectation,
};

/// Which of the three versions that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    A,
    B,
    C,
}

/// Runs a case.
pub(super) async fn run(case: &Case, version: Version) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    given.check()?;
    let build = Build::new(case, &given, version);
    if given.is_batch() {
        return batch::run(case, &given, &build).await;
    }
    let mut turns = case.turns(&[Op::NextIteration])?;
    let other = |turn: &Turn<'_>| matches!(&turn.act, Act::Call(call) if !given.is_about(call));
    if turns.iter().any(other) {
        return Err(Invalid::new(
            "the call is not of the function that is given",
        ));
    }
    let responses = responses(&given, &turns)?;
    let by_event = given.response.as_ref().is_some_and(|r| r.event().is_some());
    if by_event || matches!(given.responses, Some(Responses::InTurn(_))) {
        return broker::run(case, &given, &build).await;
    }
    name_iterations(&mut turns);
    correct(case, &mut turns);
    let leaks = !case.is_corrected() && leak(&mut turns)?;
    let interrupts =
        version != Version::A && !responses.iter().flatten().any(Response::returns_to_model);
    let grants = Grants::new();
    memory::seed(&given, &turns, &build, &grants).await?;
    let bench = build.bench(&turns, interrupts, &grants)?;
    let answer = |turn: &Turn<'_>| answer(&given, turn);
    let after = |turn: &Turn<'_>, attempt: &mut Attempt| {
        if let Act::Call(call) = &turn.act {
            build.declined.note(call, attempt);
        }
        let response: Option<Response> = turn.handler()?;
        if response.is_some_and(|response| response.contradicts_itself()) {
            memory::record_no(&grants, attempt)?;
        }
        Ok(())
    };
    let differences = drive_and(&turns, &bench, &build.voice, answer, after).await?;
    Ok(if leaks {
        let why = "an answer covers one call, not the next one of the same function";
        Instead::asked(why).finding(differences)
    } else {
        finding(differences)
    })
}

/// Every response of the case, by turn.
fn responses(given: &Given, turns: &[Turn<'_>]) -> Result<Vec<Option<Response>>, Invalid> {
    let mut responses = vec![given.response.clone()];
    for turn in turns {
        responses.push(turn.handler()?);
    }
    responses.iter().flatten().try_for_each(Response::check)?;
    if responses
        .iter()
        .flatten()
        .any(|response| response.extension().is_some())
    {
        return Err(Invalid::new("`extension_amount` of a function"));
    }
    Ok(responses)
}

fn answer(given: &Given, turn: &Turn<'_>) -> Result<Option<Answer>, Invalid> {
    let response: Option<Response> = turn.handler()?;
    let response = response.as_ref().or(given.response.as_ref());
    response.map(Response::answer).transpose()
}

/// An iteration is a turn of the session.
fn name_iterations(turns: &mut [Turn<'_>]) {
    let mut iteration = 1;
    for turn in turns {
        match &mut turn.act {
            Act::Call(call) => call.turn = Some(format!("iteration {iteration}")),
            Act::Op(_) => iteration += 1,
        }
    }
}

/// Expects what follows from what is recommended.
///
/// Where a case only says why something is a hazard, its last call is to be asked about. Where it
/// corrects what is remembered, that belongs to the step that was observed to remember something
/// else, and the calls after it follow what is remembered.
fn correct(case: &Case, turns: &mut [Turn<'_>]) {
    if case.only_says_why() {
        if let Some(last) = turns.last_mut() {
            last.expectation = Instead::asked("").expectation;
        }
        return;
    }
    let recommended = case.recommended.as_ref();
    let Some(memory) = recommended.and_then(|recommended| recommended.get("memory_after")) else {
        return;
    };
    let observed = case.steps.iter().flatten().position(|step| {
        let expect = step.expect.as_ref();
        expect.is_some_and(|expect| expect.contains_key("memory_after"))
    });
    for (index, turn) in turns.iter_mut().enumerate() {
        let Act::Call(call) = &turn.act else { continue };
        if Some(index) == observed {
            let fields = &mut turn.expectation.0;
            fields.insert("memory_after".to_owned(), memory.clone());
        } else if observed.is_some_and(|observed| observed < index) {
            let outcome = match memory.get(&call.tool).and_then(Value::as_str) {
                Some("AlwaysDeny") => json!({"outcome": "blocked", "prompts": []}),
                Some("AlwaysAllow") => json!({"outcome": "executed", "prompts": []}),
                _ => continue,
            };
            turn.expectation = Expectation(outcome.as_object().cloned().unwrap_or_default());
        }
    }
}

/// Expects a question where the source takes an earlier yes of the same iteration.
fn leak(turns: &mut [Turn<'_>]) -> Result<bool, Invalid> {
    let mut answered: Vec<String> = Vec::new();
    let mut leaks = false;
    for turn in turns {
        let response: Option<Response> = turn.handler()?;
        match &turn.act {
            Act::Op(_) => answered.clear(),
            Act::Call(call) => match response {
                Some(response) if response.approves() => answered.push(call.tool.clone()),
                None if answered.contains(&call.tool) => {
                    turn.expectation = Instead::asked("").expectation;
                    leaks = true;
                }
                Some(_) | None => {}
            },
        }
    }
    Ok(leaks)
}
