//! The approval of `llm-do`'s runtime: a mode, a callback, and denials as results if wanted.

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{GateLayer, Grants, Mode, ReviewLayer, ToolBlocked};

use super::{
    controller::{Callback, unknown_mode},
    described::{Signatures, described, nothing},
    drive, finding,
    paba::Paba,
    toolset::{Says, Toolset},
};
use crate::{
    Finding,
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
    let mut turns = case.turns(&[])?;
    for turn in &turns {
        answer(turn)?;
    }
    let mode = match &*given.mode {
        "prompt" => Mode::Interactive,
        "approve_all" => Mode::ApproveAll,
        "reject_all" => Mode::Strict,
        unknown => return unknown_mode(unknown, &turns, &VOICE),
    };
    if case.is_corrected() && case.hazard.is_some() {
        unmask(&mut turns);
    }
    let bench = bench(&given, &turns, mode)?;
    let differences = drive(&turns, &bench, &VOICE, answer).await?;
    Ok(finding(differences))
}

/// The source tells the model of a tool that failed as if it had not run. What it is told is the
/// hazard, so it is not expected: the failure is.
fn unmask(turns: &mut [Turn<'_>]) {
    for turn in turns {
        let ran = turn.expectation.get("tool_ran") == Some(&Value::Bool(true));
        if ran {
            turn.expectation.0.remove("result_to_model");
            let run = Value::from("aborted");
            turn.expectation.0.insert("run".to_owned(), run);
        }
    }
}

fn answer(turn: &Turn<'_>) -> Result<Option<Answer>, Invalid> {
    let handler: Option<Handler> = turn.handler()?;
    handler.map(|h| h.answer(Takes::Object)).transpose()
}

fn bench(given: &Given, turns: &[Turn<'_>], mode: Mode) -> Result<Bench, Invalid> {
    let signatures = Signatures::of_all(turns);
    let raises = given.tool_raises.as_ref();
    let fails = raises.map(|class| Fault::raised(class, "tool body failed"));
    let stack = Stack::new(&GateLayer::new(), fails).remembering(&Grants::new());
    let stack = match given.toolset_decides.clone() {
        None => stack.policy(described(nothing, move |call| signatures.show(call))),
        Some(says) => {
            let toolset = Toolset::new(says, None, signatures)?;
            stack.waiting_policy(move |call| std::future::ready(toolset.decide(&call)))
        }
    };
    let stack = match (mode, given.callback) {
        (Mode::Interactive, Callback::None) => stack,
        _ => stack.asking_in(mode),
    };
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
