//! Approval controllers: `pydantic-ai-blocking-approval` 0.8, and `llm-do` before it.
//!
//! Every call is asked about. A controller is asked itself, or stands behind a toolset, and the
//! two word things differently.

use serde::Deserialize;
use serde_json::Value;
use toolgate::{
    ApprovalDecision, Args, BlockedKind, GateLayer, Grants, Mode, Remember, ReviewLayer,
    ToolBlocked,
};

use super::{
    Instead,
    described::{Signatures, described, nothing},
    drive, finding,
};
use crate::{
    Finding, Outside, Skip,
    answer::{Answer, Handler, Takes},
    bench::{Attempt, Bench, Stack},
    case::{Act, Case, Invalid, Op, ToolUse, Turn, to_args},
    compare::compare,
    fault::Fault,
    python::Python,
    seen::{Outcome, Seen, Told, Voice},
};

/// What a case of these systems is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    mode: String,
    via: Via,
    memory: Vec<Stored>,
    callback: Callback,
    #[serde(default, rename = "share_memory")]
    _share_memory: Option<bool>,
}

/// What was remembered before.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    tool: String,
    args: Python,
    approved: bool,
}

impl Stored {
    /// Has `bench` remember it, as it came to be remembered: somebody was asked.
    pub(super) async fn seed(all: &[Self], bench: &Bench) -> Result<(), Invalid> {
        for stored in all {
            let args = to_args(&stored.args)?;
            let call = ToolUse::new(&stored.tool, args, stored.args.clone());
            let decision = match stored.approved {
                true => ApprovalDecision::approve(),
                false => ApprovalDecision::decline(),
            };
            bench
                .seed(&call, decision.remembered(Remember::Session))
                .await;
        }
        Ok(())
    }
}

/// How a controller is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Via {
    RequestApprovalSync,
    RequestApproval,
    Toolset,
}

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Callback {
    None,
    Sync,
    Async,
}

/// Runs a case of `pydantic-ai-blocking-approval` 0.8, whose toolset shows the call.
pub(super) async fn paba8(case: &Case) -> Result<Finding, Invalid> {
    run(case, true).await
}

/// Runs a case of `llm-do`, whose toolset describes the call itself.
pub(super) async fn llmdo(case: &Case) -> Result<Finding, Invalid> {
    run(case, false).await
}

async fn run(case: &Case, toolset_shows_call: bool) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let mut turns = case.turns(&[Op::Clear])?;
    for turn in &turns {
        answer(turn)?;
    }
    let voice = Controller {
        via: given.via,
        corrected: case.is_corrected(),
    };
    let Some(mode) = mode(case, &given) else {
        return unknown_mode(&given.mode, &turns, &voice);
    };
    if given.callback == Callback::Async && given.via == Via::RequestApprovalSync {
        return Ok(Finding::Skipped(Skip::Outside(Outside::SyncInterface)));
    }
    share_memory(&mut turns);
    let honours = !toolset_shows_call || case.is_corrected() || given.via != Via::Toolset;
    let instead = !honours && remembered_no(&mut turns)?;
    let signatures = Signatures::of_all(&turns);
    let shows = (toolset_shows_call && given.via == Via::Toolset).then_some(signatures);
    let grants = Grants::new();
    Stored::seed(
        &given.memory,
        &bench(shows.clone(), &grants, Mode::Interactive, true),
    )
    .await?;
    let asks = given.callback != Callback::None || mode != Mode::Interactive;
    let bench = bench(shows, &grants, mode, asks);
    let differences = drive(&turns, &bench, &voice, answer).await?;
    Ok(if instead {
        Instead::refused("a no that is remembered is honoured, and nobody is asked again")
            .finding(differences)
    } else {
        finding(differences)
    })
}

/// The mode that holds. The toolset of the source hears whoever it can ask and no mode; where the
/// case says what is safer, the mode holds there as well.
fn mode(case: &Case, given: &Given) -> Option<Mode> {
    let deaf = given.via == Via::Toolset && given.callback != Callback::None;
    let mode = match &*given.mode {
        "interactive" => Mode::Interactive,
        "strict" => Mode::Strict,
        "approve_all" => Mode::ApproveAll,
        _ => return None,
    };
    Some(match deaf && !case.is_corrected() {
        true => Mode::Interactive,
        false => mode,
    })
}

fn bench(shows: Option<Signatures>, grants: &Grants, mode: Mode, asks: bool) -> Bench {
    let policy = described(nothing, move |call| match &shows {
        Some(signatures) => signatures.show(call),
        // What the tests of these systems write.
        None => "d".to_owned(),
    });
    let stack = Stack::new(&GateLayer::new(), None)
        .remembering(grants)
        .policy(policy);
    let stack = if asks { stack.asking_in(mode) } else { stack };
    stack.build(&ReviewLayer::new())
}

fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, Invalid> {
    let handler: Option<Handler> = turn.handler()?;
    handler.map(|h| h.answer(Takes::Object)).transpose()
}

/// The source puts a new memory in the place of an empty one that was to be shared. A handle is
/// shared even while it is empty, so where that was observed, the second memory is not compared.
fn share_memory(turns: &mut [Turn<'_>]) {
    for turn in turns {
        if turn.expectation.get("memory_is_shared") == Some(&Value::Bool(false)) {
            turn.expectation.0.remove("controller_memory_after");
        }
    }
}

/// Expects a refusal where the source asks again about what somebody said no to for the session.
fn remembered_no(turns: &mut [Turn<'_>]) -> Result<bool, Invalid> {
    let mut declined: Vec<(String, Args)> = Vec::new();
    let mut any = false;
    for turn in turns {
        let Act::Call(call) = &turn.act else { continue };
        let operation = (call.tool.clone(), call.args.clone());
        if declined.contains(&operation) {
            turn.expectation = Instead::refused("").expectation;
            any = true;
        }
        let handler: Option<Handler> = turn.handler()?;
        if handler.is_some_and(|handler| handler.remembers() && handler.declines()) {
            declined.push(operation);
        }
    }
    Ok(any)
}

/// A mode that nobody knows is refused before any call.
pub(super) fn unknown_mode(
    mode: &str,
    turns: &[Turn<'_>],
    voice: &dyn Voice,
) -> Result<Finding, Invalid> {
    let mut differences = Vec::new();
    for turn in turns {
        let fault = Fault::raised("ValueError", format!("Unknown approval mode: {mode}"));
        let seen = Seen::new(&Attempt::misbuilt(fault), voice);
        differences.extend(compare(&turn.expectation, &seen)?);
    }
    Ok(finding(differences))
}

/// How these systems put things.
struct Controller {
    via: Via,
    corrected: bool,
}

impl Voice for Controller {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        match (blocked.kind(), self.via) {
            (BlockedKind::Strict, via) => {
                let reason = format!("Strict mode: {} requires approval", blocked.tool().name());
                match via {
                    Via::Toolset if !self.corrected => denied(blocked, Some(&reason)),
                    _ => Told {
                        class: None,
                        ..Told::blocked("", reason)
                    },
                }
            }
            (BlockedKind::Declined | BlockedKind::RememberedDenial, Via::Toolset) => {
                user_denied(blocked)
            }
            (BlockedKind::Declined | BlockedKind::RememberedDenial, _) => Told {
                outcome: Outcome::Blocked,
                reason: blocked.reason().map(str::to_owned),
                class: None,
                message: None,
            },
            (BlockedKind::NoHandler, Via::RequestApprovalSync) => Told::error(
                "NotImplementedError",
                "No approval_callback provided for interactive mode",
            ),
            (BlockedKind::NoHandler, _) => Told::error(
                "RuntimeError",
                "No approval_callback set for interactive mode",
            ),
            _ => Told::otherwise(blocked),
        }
    }
}

/// A refusal by somebody, in the words of the toolset.
pub(super) fn user_denied(blocked: &ToolBlocked) -> Told {
    denied(blocked, blocked.reason())
}

fn denied(blocked: &ToolBlocked, note: Option<&str>) -> Told {
    let note = note.filter(|note| !note.is_empty());
    let note = note.unwrap_or("no reason given");
    let tool = blocked.tool().name();
    Told::blocked("PermissionError", format!("User denied {tool}: {note}"))
}
