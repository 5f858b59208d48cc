//! How this system puts things.

use serde_json::{Value, json};
use toolgate::{ApprovalRequest, BlockedKind, Effect, ToolBlocked};

use super::compose::RAISED;
use crate::{
    fault::Fault,
    python,
    seen::{Told, Voice},
};

/// How this system puts things.
pub(in crate::systems) struct Pam;

impl Voice for Pam {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        match blocked.kind() {
            BlockedKind::Denied => denied(blocked),
            BlockedKind::Declined => refused(asked(blocked), "Permission denied by handler"),
            BlockedKind::NoHandler => refused(
                blocked.reason(),
                "Permission required but no handler configured",
            ),
            _ => failed(blocked),
        }
    }

    /// It asks once for each rule.
    fn prompts(&self, request: &ApprovalRequest) -> Vec<Value> {
        let ask = |ask: &toolgate::Asked| {
            json!({
                "tool": request.tool.name(),
                "args": request.args,
                "reason": ask.reason.as_deref().unwrap_or_default(),
            })
        };
        request.asks.iter().map(ask).collect()
    }
}

/// What the model is told of a refusal.
pub(in crate::systems) fn result(refusal: &ToolBlocked) -> Value {
    let reason = Pam.refusal(refusal).reason.unwrap_or_default();
    blocked(refusal.tool().name(), &reason).into()
}

/// What the source's exception says.
pub(super) fn blocked(tool: &str, reason: &str) -> String {
    format!("Tool '{tool}' blocked: {reason}")
}

fn refused(reason: Option<&str>, default: &str) -> Told {
    let reason = reason.filter(|reason| !reason.is_empty());
    Told::blocked("ToolBlocked", reason.unwrap_or(default))
}

/// The reason of the rule that asked.
fn asked(blocked: &ToolBlocked) -> Option<&str> {
    let mut asks = blocked.trail().saying(Effect::Ask);
    asks.find_map(|entry| entry.vote().reason())
}

/// A deny counts for more than a failure next to it.
fn denied(blocked: &ToolBlocked) -> Told {
    let mut failure = None;
    for entry in blocked.trail().saying(Effect::Deny) {
        let vote = entry.vote();
        match vote.rule().filter(|rule| rule.id() == RAISED) {
            Some(rule) => failure = failure.or(Some((rule.text(), vote.reason()))),
            None => return refused(vote.reason(), "Permission denied"),
        }
    }
    match failure {
        Some((class, message)) => {
            Told::error(class.unwrap_or_default(), message.unwrap_or_default())
        }
        None => refused(blocked.reason(), "Permission denied"),
    }
}

/// Failing is an error here, except where it is a way of saying no.
fn failed(blocked: &ToolBlocked) -> Told {
    match Fault::behind(blocked) {
        Some(Fault::Raised { class, message }) if class == "ToolBlocked" => {
            refused(Some(message), "Tool blocked")
        }
        Some(Fault::NotADecision(value)) if !python::is_true(value) => {
            refused(asked(blocked), "Permission denied by handler")
        }
        Some(Fault::NotAwaitable) => Told::error(
            "TypeError",
            "object bool can't be used in 'await' expression",
        ),
        Some(Fault::TimedOut { who, after }) => {
            let who = who.unwrap_or("*");
            let message =
                format!("Middleware '{who}' timed out in before_tool_call after {after:.2}s");
            Told::error("MiddlewareTimeout", message)
        }
        _ => Told::otherwise(blocked),
    }
}
