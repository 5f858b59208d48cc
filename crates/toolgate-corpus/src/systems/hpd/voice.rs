//! How this system puts things.

use serde_json::{Value, json};
use toolgate::{ApprovalRequest, BlockedKind, CallId, ToolBlocked};

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

    fn nothing_remembered(&self) -> Value {
        json!({})
    }

    fn more(&self, seen: &mut Seen, attempt: &Attempt) {
        let interrupted = seen.fields.get("run") == Some(&json!("interrupted"));
        seen.set("interrupted", interrupted);
        if let Ended::Refused(blocked, None) = &attempt.ended {
            seen.set("result_to_model", self.result(blocked));
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
