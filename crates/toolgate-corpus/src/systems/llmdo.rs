//! `llm-do` before its controllers left it: a marker, or a check of the toolset.
//!
//! Without either, a call runs; where the case says what is safer, it is asked about. A marked
//! function is asked about and its check is not heard, unless the case says what is safer.

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{
    Approval, ApprovalRequest, Args, BlockedKind, CheckApproval, GateLayer, Grants, MemoryView,
    NoMemory, ReviewLayer, Reviewing, SelfChecking, ToolBlocked, ToolCall, Vote,
};

use super::{
    controller::{Stored, user_denied},
    described::{Signatures, described, nothing},
    finding,
};
use crate::{
    Finding,
    answer::{Handler, Takes},
    bench::{Bench, Stack},
    case::{Case, Invalid, ToolUse},
    compare::compare,
    fault::Fault,
    seen::{Seen, Told, Voice},
};

/// What a case of this system is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    requires_approval_marker: bool,
    check_approval: Option<Check>,
    handler: Option<Handler>,
    memory: Vec<Stored>,
}

/// What the check of the toolset does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Check {
    returns: Option<Returns>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    payload: Option<Args>,
    #[serde(default)]
    tool_name: Option<String>,
    #[serde(default)]
    description: Option<String>,
}

/// What a check returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Returns {
    Request,
    None,
    Raise,
}

impl Check {
    /// Refuses what does not go with what it returns.
    fn check(&self) -> Result<(), Invalid> {
        let raises = self.returns == Some(Returns::Raise);
        let requests = self.returns == Some(Returns::Request);
        let fits = [
            ("error", self.error.is_some(), raises),
            ("message", self.message.is_some(), raises),
            ("payload", self.payload.is_some(), requests),
            ("tool_name", self.tool_name.is_some(), requests),
            ("description", self.description.is_some(), requests),
        ];
        match fits.iter().find(|(_, has, fits)| *has && !fits) {
            Some((field, ..)) => Err(Invalid::new(format!(
                "`{field}` and a check that returns {:?}",
                self.returns
            ))),
            None => Ok(()),
        }
    }

    /// How it fails, if it does not block.
    fn fault(&self) -> Option<Fault> {
        let class = self
            .error
            .as_deref()
            .filter(|class| *class != "PermissionError")?;
        Some(Fault::raised(
            class,
            self.message.clone().unwrap_or_default(),
        ))
    }
}

impl SelfChecking for Check {
    fn check_approval(&self, call: &ToolCall<Reviewing>, _: &dyn MemoryView) -> Approval {
        match self.returns {
            None | Some(Returns::None) => Approval::NotNeeded,
            Some(Returns::Raise) => {
                Approval::Blocked(self.message.as_deref().unwrap_or_default().into())
            }
            Some(Returns::Request) => {
                let subject = self.tool_name.as_deref().unwrap_or(call.tool().name());
                let payload = self.payload.as_ref().unwrap_or(call.args());
                // What the tests of this system write.
                let description = self.description.as_deref().unwrap_or("d");
                let vote = Vote::ask("the toolset asks")
                    .with_subject(subject)
                    .with_payload(payload.clone())
                    .with_description(description);
                Approval::Ask(vote)
            }
        }
    }
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let (call, expectation) = case.only_call()?;
    given.check_approval.as_ref().map_or(Ok(()), Check::check)?;
    let handler = given.handler.as_ref().map(|h| h.answer(Takes::Object));
    let answer = handler.transpose()?;
    let grants = Grants::new();
    let corrected = case.is_corrected();
    Stored::seed(
        &given.memory,
        &bench(corrected, &given, &call, &grants, true),
    )
    .await?;
    let asks = given.handler.is_some();
    let bench = bench(corrected, &given, &call, &grants, asks);
    let attempt = bench.call(&call, answer).await;
    let seen = Seen::new(&attempt, &LlmDo);
    Ok(finding(compare(&expectation, &seen)?))
}

fn bench(corrected: bool, given: &Given, call: &ToolUse, grants: &Grants, asks: bool) -> Bench {
    let gate = if corrected {
        GateLayer::new()
    } else {
        GateLayer::dangerous_allow_by_default()
    };
    let mut stack = Stack::new(&gate, None).remembering(grants);
    let marked = given.requires_approval_marker;
    if marked {
        let signatures = Signatures::of(call);
        stack = stack.policy(described(nothing, move |call| signatures.show(call)));
    }
    if let Some(check) = given
        .check_approval
        .clone()
        .filter(|_| corrected || !marked)
    {
        stack = match check.fault() {
            Some(fault) => stack.waiting_policy(move |_| std::future::ready(Err(fault.clone()))),
            None => stack.policy(CheckApproval::new(check, NoMemory::new())),
        };
    }
    stack.asking_if(asks).build(&ReviewLayer::new())
}

/// How this system puts things.
struct LlmDo;

impl Voice for LlmDo {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        match blocked.kind() {
            BlockedKind::Denied => {
                Told::blocked("PermissionError", blocked.reason().unwrap_or_default())
            }
            BlockedKind::Declined | BlockedKind::RememberedDenial => user_denied(blocked),
            BlockedKind::NoHandler => Told::error("TypeError", "'NoneType' object is not callable"),
            _ => match Fault::behind(blocked) {
                Some(Fault::Raised { class, message }) if class == "PermissionError" => {
                    Told::blocked(class, message)
                }
                Some(Fault::NotADecision(value)) => {
                    let class = if value.is_boolean() { "bool" } else { "object" };
                    let message = format!("'{class}' object has no attribute 'approved'");
                    Told::error("AttributeError", message)
                }
                _ => Told::otherwise(blocked),
            },
        }
    }

    /// It shows what the tool says that it does, and to what.
    fn prompts(&self, request: &ApprovalRequest) -> Vec<Value> {
        let ask = |ask: &toolgate::Asked| {
            json!({
                "tool": ask.subject.as_deref().unwrap_or(request.tool.name()),
                "args": ask.payload,
                "description": request.description,
            })
        };
        request.asks.iter().map(ask).collect()
    }
}
