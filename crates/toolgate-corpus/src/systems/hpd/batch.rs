//! Several calls that are prepared together, and then run.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use toolgate::{ApprovalDecision, ApprovalRequest, Args, Decision, Grants, Reviewing, ToolCall};

use super::{
    given::{Given, Prepared, Responses},
    stack::Build,
};
use crate::{
    Finding,
    answer::Answer,
    bench::{Batch, Script},
    case::{Call, Case, Invalid, ToolUse, to_args},
    compare::compare,
    expectation,
    fault::Fault,
    python::Python,
    seen::{Outcome, Seen, Voice},
    systems::finding,
};

/// Runs a case.
pub(super) async fn run(case: &Case, given: &Given, build: &Build<'_>) -> Result<Finding, Invalid> {
    match (&given.batch, &given.batch_outcome) {
        (Some(batch), None) => {
            let calls: Result<Vec<_>, _> = batch.iter().map(call).collect();
            together(case, given, build, &calls?).await
        }
        (None, Some(prepared)) => {
            let (call, _) = case.only_call()?;
            let id = call.call_id.as_deref().unwrap_or_default();
            let Some(prepared) = prepared.get(id) else {
                return Err(Invalid::new("the call was not prepared"));
            };
            drift(case, given, build, &call, prepared).await
        }
        _ => Err(Invalid::new("either `batch` or `batch_outcome`")),
    }
}

/// A call of the batch. One without arguments has none.
fn call(call: &Call) -> Result<ToolUse, Invalid> {
    let mut call = call.clone();
    call.args.get_or_insert(Python::Dict(Vec::new()));
    call.tool_use()
}

async fn together(
    case: &Case,
    given: &Given,
    build: &Build<'_>,
    calls: &[ToolUse],
) -> Result<Finding, Invalid> {
    let tools: Vec<_> = calls.iter().map(|call| call.tool.clone()).collect();
    if case.call.as_ref().and_then(|call| call.batch.as_ref()) != Some(&tools) {
        return Err(Invalid::new("`call` is not the batch that is given"));
    }
    let Some(Responses::Each(replies)) = &given.responses else {
        return Err(Invalid::new("`responses` to each call"));
    };
    let replies = replies.clone();
    let script = Script::new(move |request: &ApprovalRequest| {
        let id = request.call_id.as_ref().map(toolgate::CallId::as_str);
        let reply = id.and_then(|id| replies.get(id));
        reply.map_or_else(Answer::never, |reply| Answer::now(Ok(reply.decision())))
    });
    let bench = build.bench(&[], true, &Grants::new())?;
    let seen = seen(&bench.call_all(calls, script).await, calls, &build.voice);
    Ok(finding(compare(&expectation::of_call(case)?, &seen)?))
}

/// What became of a batch whose calls have ids.
pub(in crate::systems) fn seen(batch: &Batch, calls: &[ToolUse], voice: &dyn Voice) -> Seen {
    let mut seen = Seen::nothing(voice, &[]);
    let ran: Vec<&str> = batch
        .runs
        .iter()
        .filter_map(|run| run.call_id.as_deref())
        .collect();
    let ids = calls.iter().filter_map(|call| call.call_id.as_deref());
    let blocked: Vec<&str> = ids.filter(|id| !ran.contains(id)).collect();
    if ran.is_empty() {
        seen.outcome = Outcome::Blocked;
    }
    seen.asked = !batch.shown.is_empty();
    seen.set("prompt_count", batch.shown.len());
    seen.set("max_concurrent_prompts", batch.most_at_once);
    seen.set("executed", ran);
    seen.set("blocked", blocked);
    seen
}

/// The arguments change between the answer and the run. What was prepared answers for the ones
/// that it was prepared with, and for no others.
async fn drift(
    case: &Case,
    given: &Given,
    build: &Build<'_>,
    call: &ToolUse,
    prepared: &Prepared,
) -> Result<Finding, Invalid> {
    let before = to_args(&prepared.args)?;
    let after = given.args_at_execution.as_ref().map(to_args).transpose()?;
    let after = after.unwrap_or_else(|| before.clone());
    if after != call.args {
        return Err(Invalid::new("`call` is not what is executed"));
    }
    let proposal = ToolUse {
        args: before.clone(),
        ..call.clone()
    };
    let answered = Arc::new(AtomicBool::new(false));
    let bench = {
        let answered = Arc::clone(&answered);
        build.under(
            move |_: &ToolCall<Reviewing>| match answered.load(Ordering::SeqCst) {
                true => Decision::abstain().with_args(after.clone()),
                false => Decision::abstain(),
            },
        )
    };
    let approved = prepared.approved;
    let script = Script::new(move |request: &ApprovalRequest| {
        answered.store(true, Ordering::SeqCst);
        Answer::now(authority(&request.args, &before, approved))
    });
    let attempt = bench.call_by(&proposal, Some(script), None).await;
    let seen = Seen::new(&attempt, &build.voice);
    Ok(finding(compare(&expectation::of_call(case)?, &seen)?))
}

fn authority(args: &Args, prepared: &Args, approved: bool) -> Result<ApprovalDecision, Fault> {
    match (args == prepared, approved) {
        (true, true) => Ok(ApprovalDecision::approve()),
        (true, false) => Ok(ApprovalDecision::decline()),
        (false, _) => Err(Fault::raised(
            "InvalidOperationException",
            "permission_authority_drift: prepared batch authority no longer matches admission.",
        )),
    }
}
