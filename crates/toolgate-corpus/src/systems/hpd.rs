//! `HPD-Agent`: functions that require permission, overrides of that, and one question each.
//!
//! Nobody speaks for a function: it runs. The attribute is what the tool
//! [says of itself](toolgate::Description::requiring_approval), and overrides act in
//! [`ToolRules`]; one for the run takes the place of one for the agent. In
//! the first version a denial is a result for the model; later ones end the turn unless told
//! otherwise.
//!
//! The source lets an answer stand for every call of the function in the same iteration.
//! Toolgate does not: an answer covers one call.

mod given;
mod response;
mod voice;

use toolgate::{Decision, GateLayer, ReviewLayer, Reviewing, ToolCall, ToolRules};

pub(super) use self::response::Response;
use self::{
    given::{Given, Override},
    voice::Hpd,
};
use super::{Instead, drive, finding, marked::Marked};
use crate::{
    Finding, Missing, Skip,
    answer::Answer,
    bench::{Bench, Stack},
    case::{Act, Case, Invalid, Turn},
};

/// Which of the three versions that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    A,
    B,
    C,
}

/// What can happen between calls. The stack keeps nothing that an iteration would end.
const OPS: &[&str] = &["next_iteration"];

/// Runs a case.
pub(super) async fn run(case: &Case, version: Version) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    given.check()?;
    if given.is_batch() {
        return batch(case, &given);
    }
    let mut turns = case.turns(OPS)?;
    let other = |turn: &Turn<'_>| matches!(&turn.act, Act::Call(call) if !given.is_about(call));
    if turns.iter().any(other) {
        return Err(Invalid::new(
            "the call is not of the function that is given",
        ));
    }
    let responses = responses(&given, &turns)?;
    if let Some(missing) = missing(&given, &turns, &responses) {
        return Ok(Finding::Skipped(Skip::Missing(missing)));
    }
    let leaks = !case.is_corrected() && leak(&mut turns)?;
    let interrupts =
        version != Version::A && !responses.iter().flatten().any(Response::returns_to_model);
    let voice = Hpd { version };
    let bench = bench(&given, &turns, voice, interrupts);
    let answer = |turn: &Turn<'_>| answer(&given, turn);
    let differences = drive(&turns, &bench, &voice, answer).await?;
    Ok(if leaks {
        let why = "an answer covers one call, not the next one of the same function";
        Instead::asked(why).finding(differences)
    } else {
        finding(differences)
    })
}

fn batch(case: &Case, given: &Given) -> Result<Finding, Invalid> {
    let batch = case.call.as_ref().and_then(|call| call.batch.as_ref());
    match (batch, given.batch_tools()) {
        (Some(called), Some(tools)) if *called == tools => {}
        (None, None) => drop(case.only_call()?),
        _ => return Err(Invalid::new("`call` is not the batch that is given")),
    }
    Ok(Finding::Skipped(Skip::Missing(Missing::Batches)))
}

/// Every response of the case, by turn.
fn responses(given: &Given, turns: &[Turn<'_>]) -> Result<Vec<Option<Response>>, Invalid> {
    let mut responses = vec![given.response.clone()];
    for turn in turns {
        responses.push(turn.handler()?);
    }
    responses.iter().flatten().try_for_each(Response::check)?;
    Ok(responses)
}

fn missing(given: &Given, turns: &[Turn<'_>], responses: &[Option<Response>]) -> Option<Missing> {
    let memory_after = |turn: &Turn<'_>| turn.expectation.has_some("memory_after");
    let choices = |turn: &Turn<'_>| turn.expectation.has_some("choices_offered");
    if given.mode.is_some() {
        return Some(Missing::Modes);
    }
    if given.remembers() || turns.iter().any(|turn| memory_after(turn) || choices(turn)) {
        return Some(Missing::Memory);
    }
    if given.responses.is_some() {
        return Some(Missing::Broker);
    }
    responses.iter().flatten().find_map(Response::needs)
}

fn answer(given: &Given, turn: &Turn<'_>) -> Result<Option<Answer>, Invalid> {
    let response: Option<Response> = turn.handler()?;
    let response = response.as_ref().or(given.response.as_ref());
    response.map(Response::answer).transpose()
}

/// Expects a question where the source takes an earlier answer of the same iteration.
fn leak(turns: &mut [Turn<'_>]) -> Result<bool, Invalid> {
    let mut answered: Vec<String> = Vec::new();
    let mut leaks = false;
    for turn in turns {
        let has_handler = turn.handler::<Response>()?.is_some();
        match &turn.act {
            Act::Op => answered.clear(),
            Act::Call(call) if has_handler => answered.push(call.tool.clone()),
            Act::Call(call) if answered.contains(&call.tool) => {
                turn.expectation = Instead::asked("").expectation;
                leaks = true;
            }
            Act::Call(_) => {}
        }
    }
    Ok(leaks)
}

fn bench(given: &Given, turns: &[Turn<'_>], voice: Hpd, interrupts: bool) -> Bench {
    let mut stack = Stack::new(&GateLayer::dangerous_allow_by_default(), None);
    if !given.is_registered_directly() {
        stack = stack.policy(rules(given, turns));
    }
    if let Some(actions) = given.known_actions.clone() {
        stack = stack.policy(move |call: &ToolCall<Reviewing>| known_action(call, &actions));
    }
    let stack = stack.asking();
    let review = ReviewLayer::new().describe(Marked(given.requires()));
    if interrupts {
        stack.build(&review)
    } else {
        stack.build_telling(&review, move |blocked| voice.result(blocked).into())
    }
}

/// The overrides of all functions that are called.
fn rules(given: &Given, turns: &[Turn<'_>]) -> ToolRules {
    let rules = ToolRules::default();
    for turn in turns {
        let Act::Call(call) = &turn.act else { continue };
        for change in [given.builder_override, given.run_override()] {
            match change {
                Some(Override::Require) => rules.require_for(&*call.tool),
                Some(Override::Disable) => rules.disable_for(&*call.tool),
                Some(Override::Cleared) => {
                    rules.require_for(&*call.tool);
                    rules.clear_override(&*call.tool);
                }
                None => {}
            }
        }
    }
    rules
}

/// Refuses an action that cannot be told apart from others.
fn known_action(call: &ToolCall<Reviewing>, actions: &[String]) -> Decision {
    let action = call.args().get("action").and_then(|action| action.as_str());
    match action {
        Some(action) if actions.iter().any(|known| known == action) => Decision::abstain(),
        _ => Decision::deny(format!(
            "Client tool request rejected: Unknown compound tool action '{}'.",
            action.unwrap_or_default()
        )),
    }
}
