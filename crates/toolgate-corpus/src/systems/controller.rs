//! Approval controllers: `pydantic-ai-blocking-approval` 0.8, and `llm-do` before it.
//!
//! Every call is asked about. A controller is asked itself, or stands behind a toolset, and the
//! two word things differently.

use serde::Deserialize;
use toolgate::{BlockedKind, GateLayer, ReviewLayer, ToolBlocked};

use super::{
    described::{Signatures, described, nothing},
    drive, finding,
};
use crate::{
    Finding, Missing, Outside, Skip,
    answer::{Answer, Handler, Takes},
    bench::{Attempt, Stack},
    case::{Case, Invalid, Turn},
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
    #[serde(rename = "tool")]
    _tool: String,
    #[serde(rename = "args")]
    _args: Python,
    #[serde(rename = "approved")]
    _approved: bool,
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
    let turns = case.turns(&["clear_session_approvals"])?;
    for turn in &turns {
        answer(turn)?;
    }
    let voice = Controller { via: given.via };
    match &*given.mode {
        "interactive" => {}
        "strict" | "approve_all" => return Ok(Finding::Skipped(Skip::Missing(Missing::Modes))),
        unknown => return unknown_mode(unknown, &turns, &voice),
    }
    if let Some(skip) = skip(&given, &turns)? {
        return Ok(Finding::Skipped(skip));
    }
    let signatures = Signatures::of_all(&turns);
    let shows_call = toolset_shows_call && given.via == Via::Toolset;
    let policy = described(nothing, move |call| {
        if shows_call {
            signatures.show(call)
        } else {
            // What the tests of these systems write.
            "d".to_owned()
        }
    });
    let bench = Stack::new(&GateLayer::new(), None)
        .policy(policy)
        .asking_if(given.callback != Callback::None)
        .build(&ReviewLayer::new());
    let differences = drive(&turns, &bench, &voice, answer).await?;
    Ok(finding(differences))
}

fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, Invalid> {
    let handler: Option<Handler> = turn.handler()?;
    handler.map(|h| h.answer(Takes::Object)).transpose()
}

fn skip(given: &Given, turns: &[Turn<'_>]) -> Result<Option<Skip>, Invalid> {
    let handlers: Result<Vec<Option<Handler>>, _> = turns.iter().map(Turn::handler).collect();
    if given.callback == Callback::Async && given.via == Via::RequestApprovalSync {
        return Ok(Some(Skip::Outside(Outside::SyncInterface)));
    }
    let remembers = handlers?.iter().flatten().any(Handler::remembers);
    let remembered = turns
        .iter()
        .any(|turn| turn.expectation.has_some("memory_after"));
    let needed = remembers || remembered || !given.memory.is_empty();
    Ok(needed.then_some(Skip::Missing(Missing::Memory)))
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
}

impl Voice for Controller {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        match (blocked.kind(), self.via) {
            (BlockedKind::Declined, Via::Toolset) => user_denied(blocked),
            (BlockedKind::Declined, _) => Told {
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
    let note = blocked.reason().filter(|note| !note.is_empty());
    let note = note.unwrap_or("no reason given");
    let tool = blocked.tool().name();
    Told::blocked("PermissionError", format!("User denied {tool}: {note}"))
}
