//! How this system puts things.

use serde_json::{Map, Value, json};
use toolgate::{ApprovalRequest, BlockedKind, CallId, Grant, GrantDecision, ToolBlocked};

use super::Version;
use crate::{
    bench::{Attempt, Ended},
    fault::Fault,
    seen::{Outcome, Seen, Told, Voice},
};

/// How this system puts things.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hpd {
    pub(super) version: Version,
}

impl Hpd {
    /// What the model is told of a refusal: the reason, which later versions wrap.
    pub(super) fn result(self, blocked: &ToolBlocked) -> String {
        let reason = self.refusal(blocked).reason.unwrap_or_default();
        if self.version == Version::A {
            return reason;
        }
        let outcome = match Fault::behind(blocked) {
            Some(Fault::Cancelled) => "cancelled",
            _ => "denied",
        };
        format!(
            "<tool_permission outcome=\"{outcome}\" permission=\"{}\" executed=\"false\">{}</tool_permission>",
            escaped(blocked.tool().name()),
            escaped(&reason)
        )
    }
}

/// What somebody can choose: what is not remembered is not offered for longer.
fn choices(request: &ApprovalRequest) -> Vec<&'static str> {
    match request.suggestions.is_empty() {
        true => vec!["allow_once", "deny_once", "feedback"],
        false => vec![
            "allow_once",
            "always_allow",
            "always_deny",
            "deny_once",
            "feedback",
        ],
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;")
}

impl Voice for Hpd {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        let refused = |reason: &str| Told {
            class: None,
            ..Told::blocked("", reason)
        };
        match (blocked.kind(), Fault::behind(blocked)) {
            (BlockedKind::Declined, _) => {
                refused(blocked.reason().unwrap_or("Permission denied by user."))
            }
            (BlockedKind::RememberedDenial, _) => refused(&format!(
                "Execution of '{}' was denied by a stored user preference.",
                blocked.tool().name()
            )),
            (BlockedKind::TimedOut, _) => refused(
                "Permission request timed out. Please respond to permission requests promptly.",
            ),
            (BlockedKind::Denied, _) => refused(blocked.reason().unwrap_or_default()),
            (_, Some(Fault::Cancelled)) => refused("Permission request was cancelled."),
            (_, Some(Fault::UnknownChoice(choice))) => Told::error(
                "InvalidOperationException",
                format!("Permission response selected unknown choice '{choice}'."),
            ),
            _ => Told::otherwise(blocked),
        }
    }

    /// One question, however many rules ask.
    fn prompts(&self, request: &ApprovalRequest) -> Vec<Value> {
        vec![json!({
            "function": request.tool.name(),
            "args": request.args,
            "call_id": request.call_id.as_ref().map(CallId::as_str),
            // Whether it is a new one is looked at for all requests of a case.
            "id": "<new guid>",
        })]
    }

    fn run_words(&self) -> (&'static str, &'static str) {
        ("continues", "interrupted")
    }

    /// One choice for each function; the newest source keeps them by keys of its own.
    fn remembered(&self, grants: &[Grant]) -> Value {
        let choices = grants.iter().map(|grant| {
            let (key, word) = match (self.version, grant.decision) {
                (Version::C, GrantDecision::Allow) => ("<permission key>", "Allow"),
                (Version::C, GrantDecision::Deny) => ("<permission key>", "Deny"),
                (_, GrantDecision::Allow) => (grant.tool.name(), "AlwaysAllow"),
                (_, GrantDecision::Deny) => (grant.tool.name(), "AlwaysDeny"),
            };
            (key.to_owned(), Value::from(word))
        });
        choices.collect::<Map<_, _>>().into()
    }

    fn more(&self, seen: &mut Seen, attempt: &Attempt) {
        let interrupted = seen.fields.get("run") == Some(&json!("interrupted"));
        seen.set("interrupted", interrupted);
        if let Ended::Refused(blocked, None) = &attempt.ended {
            seen.set("result_to_model", self.result(blocked));
        }
        if let Some(request) = attempt.shown.first() {
            seen.set("choices_offered", choices(request));
        }
        let answered = match seen.outcome {
            Outcome::Executed => "PermissionApprovedEvent",
            Outcome::Blocked | Outcome::Asked | Outcome::Error => "PermissionDeniedEvent",
        };
        let asked = attempt.shown.iter().map(|_| "PermissionRequestEvent");
        let ended = attempt.shown.first().map(|_| answered);
        let events: Vec<_> = asked.chain(ended).collect();
        seen.set("events", events);
    }
}
