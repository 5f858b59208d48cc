//! The approvals that `pydantic-ai` has itself.

use serde::Deserialize;
use serde_json::Value;
use toolgate::{ApprovalDecision, BlockedKind, GateLayer, ReviewLayer, ToolBlocked};

use super::{finding, marked::Marked};
use crate::{
    Finding,
    answer::Answer,
    bench::Stack,
    case::{Case, Invalid},
    compare::compare,
    fault::Fault,
    python::{Expression, Python, expression},
    seen::{Seen, Told, Voice},
};

/// What a case of this system is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    requires_approval: bool,
    resolution: String,
    /// Whether somebody is asked at once, or the run stops and is taken up again. The stack is
    /// the same.
    #[serde(rename = "inline_handler")]
    _inline_handler: bool,
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let (call, expectation) = case.only_call()?;
    let Some(resolution) = expression(&given.resolution) else {
        let unknown = format!("unknown resolution `{}`", given.resolution);
        return Err(Invalid::new(unknown));
    };
    let reply = reply(resolution)?;
    let review = ReviewLayer::new().describe(Marked(given.requires_approval));
    let bench = Stack::new(&GateLayer::dangerous_allow_by_default(), None)
        .asking()
        .build_telling(&review, |blocked| {
            Native
                .refusal(blocked)
                .reason
                .map_or(Value::Null, Value::from)
        });
    let attempt = bench.call(&call, Some(Answer::now(reply))).await;
    let seen = Seen::new(&attempt, &Native);
    Ok(finding(compare(&expectation, &seen)?))
}

/// What somebody resolved the call with.
fn reply(resolution: Expression) -> Result<Result<ApprovalDecision, Fault>, Invalid> {
    let (name, keywords) = match resolution {
        Expression::Literal(Python::Bool(true)) => return Ok(Ok(ApprovalDecision::approve())),
        Expression::Literal(Python::Bool(false)) => return Ok(Ok(ApprovalDecision::decline())),
        Expression::Literal(other) => return Ok(Err(Fault::NotADecision(other.to_json()))),
        Expression::Call(name, keywords) => (name, keywords),
    };
    let mut decision = match &*name {
        "ToolApproved" => ApprovalDecision::approve(),
        "ToolDenied" => ApprovalDecision::decline(),
        _ => return Err(Invalid::new(format!("unknown resolution `{name}`"))),
    };
    for (key, value) in keywords {
        decision = match (&*name, &*key, value) {
            (_, "kind", Python::Str(_)) | ("ToolApproved", "override_args", Python::None) => {
                decision
            }
            ("ToolApproved", "override_args", args) => {
                let args = args.to_args();
                let not_args = || Invalid::new("`override_args` is not an object");
                ApprovalDecision::edit(args.ok_or_else(not_args)?)
            }
            ("ToolDenied", "message", Python::Str(message)) => decision.with_note(message),
            _ => return Err(Invalid::new(format!("unknown `{key}` of `{name}`"))),
        };
    }
    Ok(Ok(decision))
}

/// How this system puts things.
struct Native;

impl Voice for Native {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        match (blocked.kind(), Fault::behind(blocked)) {
            (BlockedKind::Declined, _) => Told::blocked(
                "ToolDenied",
                blocked.reason().unwrap_or("The tool call was denied."),
            ),
            (_, Some(Fault::NotADecision(_))) => {
                // The calls of these tests are named after their tools.
                let call = format!("c{}", blocked.tool().name());
                let message = format!(
                    "Invalid approval result for tool call '{call}': expected `bool`, \
                     `ToolApproved`, or `ToolDenied`"
                );
                Told::error("UserError", message)
            }
            _ => Told::otherwise(blocked),
        }
    }
}
