//! The approval of `llm-do`'s runtime: a mode, a callback, and denials as results if wanted.

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{GateLayer, ReviewLayer, ToolBlocked};

use super::{
    controller::{Callback, unknown_mode},
    described::{Signatures, described, nothing},
    drive, finding,
    paba::Paba,
    toolset::{Says, Toolset},
};
use crate::{
    Finding, Missing, Skip,
    answer::{Answer, Handler, Takes},
    bench::{Bench, Stack},
    case::{Case, Invalid, Turn},
    fault::Fault,
    seen::Voice,
};

/// What a case of this system is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    mode: String,
    callback: Callback,
    #[serde(default)]
    return_permission_errors: bool,
    #[serde(default)]
    toolset_decides: Option<Says>,
    #[serde(default)]
    tool_raises: Option<String>,
}

/// Without a callback, this is what the person would have said.
const VOICE: Paba = Paba {
    nobody_says: Some("Use --approve-all for headless"),
};

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let turns = case.turns(&[])?;
    for turn in &turns {
        answer(turn)?;
    }
    match &*given.mode {
        "prompt" => {}
        "approve_all" | "reject_all" => {
            return Ok(Finding::Skipped(Skip::Missing(Missing::Modes)));
        }
        unknown => return unknown_mode(unknown, &turns, &VOICE),
    }
    if turns
        .iter()
        .any(|turn| turn.expectation.has_some("memory_after"))
    {
        return Ok(Finding::Skipped(Skip::Missing(Missing::Memory)));
    }
    let bench = bench(&given, &turns)?;
    Ok(finding(drive(&turns, &bench, &VOICE, answer).await?))
}

fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, Invalid> {
    let handler: Option<Handler> = turn.handler()?;
    handler.map(|h| h.answer(Takes::Object)).transpose()
}

fn bench(given: &Given, turns: &[Turn<'_>]) -> Result<Bench, Invalid> {
    let signatures = Signatures::of_all(turns);
    let raises = given.tool_raises.as_ref();
    let fails = raises.map(|class| Fault::raised(class, "tool body failed"));
    let stack = Stack::new(&GateLayer::new(), fails);
    let stack = match given.toolset_decides.clone() {
        None => stack.policy(described(nothing, move |call| signatures.show(call))),
        Some(says) => {
            let toolset = Toolset::new(says, None, signatures)?;
            stack.waiting_policy(move |call| std::future::ready(toolset.decide(&call)))
        }
    };
    let stack = stack.asking_if(given.callback != Callback::None);
    Ok(if given.return_permission_errors {
        stack.build_telling(&ReviewLayer::new(), result)
    } else {
        stack.build(&ReviewLayer::new())
    })
}

/// What the model is told of a refusal.
fn result(blocked: &ToolBlocked) -> Value {
    json!({
        "error": VOICE.refusal(blocked).reason,
        "tool_name": blocked.tool().name(),
        "error_type": "permission",
    })
}
