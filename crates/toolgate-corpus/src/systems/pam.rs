//! `pydantic-ai-middleware`: hooks that return a permission, in lists, chains and branches.
//!
//! Nobody speaks for a call: it runs. A list is a stack of policies, and deny wins. A chain and
//! the branches of a condition are [`first_of`](toolgate::first_of), the source's own short
//! circuit by name; a parallel group hears everybody on the same arguments. Where the case says
//! what is safer, the same rules are composed as Toolgate would: chains and groups are
//! [`strictest_of`](toolgate::strictest_of), and no wrapper drops a filter, a time limit or a
//! decision.
//!
//! The source asks once for each rule; Toolgate asks once for all of them, with the final
//! arguments. So where a case marks as a hazard that one thing is shown and another one runs,
//! what was shown is compared with what runs.

mod compose;
mod heard;
mod node;
mod timing;
mod voice;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use toolgate::{GateLayer, ReviewLayer};

pub(super) use self::voice::{Pam, result};
use self::{compose::Composer, heard::Heard, node::Node};
use super::{Instead, finding};
use crate::{
    Finding, Outside, Skip,
    answer::{Handler, Takes, seconds},
    bench::{Attempt, Bench, Stack},
    case::{Case, Invalid, ToolUse},
    compare::compare,
    expectation::Expectation,
    fault::Fault,
    seen::Seen,
};

/// What a case of this system is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    policy: Vec<Node>,
    #[serde(default)]
    handler: Option<Handler>,
    #[serde(default)]
    cancel_after_s: Option<f64>,
    #[serde(default)]
    tool: Option<ToolSpec>,
}

/// What the tool does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToolSpec {
    raise: String,
}

impl ToolSpec {
    /// How the tool fails.
    pub(super) fn fault(&self) -> Fault {
        Fault::raised(&self.raise, "tool failed")
    }
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let mut given: Given = case.given()?;
    node::number(&mut given.policy);
    node::check_all(&given.policy)?;
    if !case.is_corrected() && node::any(&given.policy, &Node::races) {
        return Ok(Finding::Skipped(Skip::Outside(Outside::Race)));
    }
    let (call, expectation) = case.only_call()?;
    let expectation = shown_is_run(case, expectation);
    let heard = Arc::<Heard>::default();
    let attempt = attempt(case, &given, &call, &heard).await?;
    let mut seen = Seen::new(&attempt, &Pam);
    seen.policies = node::names(&given.policy);
    seen.heard = Some(heard.first_round());
    let odd = given
        .handler
        .as_ref()
        .is_some_and(Handler::says_yes_without_deciding);
    if odd && !attempt.shown.is_empty() && !case.is_corrected() {
        let instead = Instead::not_a_decision();
        return Ok(instead.finding(compare(&instead.expectation, &seen)?));
    }
    Ok(finding(compare(&expectation, &seen)?))
}

async fn attempt(
    case: &Case,
    given: &Given,
    call: &ToolUse,
    heard: &Arc<Heard>,
) -> Result<Attempt, Invalid> {
    let handler = given.handler.as_ref().map(|h| h.answer(Takes::Bool));
    let answer = handler.transpose()?;
    let drop_after = given.cancel_after_s.map(seconds).transpose()?;
    if let Some(fault) = node::misbuilt(&given.policy) {
        return Ok(Attempt::misbuilt(fault));
    }
    let composer = Composer::new(case.is_corrected(), Arc::clone(heard));
    let bench = bench(&composer, given, call)?;
    Ok(bench.call_and_drop(call, answer, drop_after).await)
}

fn bench(composer: &Composer, given: &Given, call: &ToolUse) -> Result<Bench, Invalid> {
    let gate = GateLayer::dangerous_allow_by_default();
    let mut stack = Stack::new(&gate, tool_fault(given, &call.tool));
    for node in given.policy.iter().rev() {
        stack = composer.add(stack, node)?;
    }
    let stack = stack
        .policy(composer.rounds())
        .asking_if(given.handler.is_some());
    Ok(stack.build_telling(&ReviewLayer::new(), result))
}

/// How the tool fails. Hooks that run after it are not policies: what they make of the result is
/// put in its place.
fn tool_fault(given: &Given, tool: &str) -> Option<Fault> {
    let first = |of: fn(&Node) -> Option<&String>| given.policy.iter().find_map(of);
    match &given.tool {
        Some(spec) => Some(match first(|node| node.on_error_raise.as_ref()) {
            Some(class) => Fault::raised(class, "replaced"),
            None if spec.raise == "ToolBlocked" => {
                Fault::raised("ToolBlocked", voice::blocked(tool, "tool failed"))
            }
            None => spec.fault(),
        }),
        None => first(|node| node.after_raise_blocked.as_ref())
            .map(|reason| Fault::raised("ToolBlocked", voice::blocked(tool, reason))),
    }
}

/// Where showing one thing and running another is the hazard, what runs has to be shown.
fn shown_is_run(case: &Case, mut expectation: Expectation) -> Expectation {
    let stated = case
        .recommended
        .as_ref()
        .is_some_and(|r| r.contains_key("prompts"));
    if case.hazard.is_none() || stated {
        return expectation;
    }
    let run = expectation.get("args").cloned();
    let prompts = expectation
        .0
        .get_mut("prompts")
        .and_then(Value::as_array_mut);
    for prompt in prompts.into_iter().flatten() {
        if let (Some(shown), Some(run)) = (prompt.get_mut("args"), &run) {
            *shown = run.clone();
        }
    }
    expectation
}
