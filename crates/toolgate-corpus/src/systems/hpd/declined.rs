//! What was declined in an iteration, by the name of the function.
//!
//! The source asks about no other call of that function before the next iteration. Toolgate itself
//! minds the whole call, so this is a policy of the host's own.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use toolgate::{BlockedKind, Decision, Policy, Reviewing, ToolCall};

use crate::{
    bench::{Attempt, Ended, lock},
    case::ToolUse,
};

/// Refuses what was declined in the same iteration. Clones are the same.
#[derive(Clone, Debug, Default)]
pub(super) struct Declined(Arc<Mutex<HashMap<(String, String), String>>>);

impl Declined {
    /// Takes down what became of a call.
    pub(super) fn note(&self, call: &ToolUse, attempt: &Attempt) {
        let (Some(turn), Ended::Refused(blocked, _)) = (&call.turn, &attempt.ended) else {
            return;
        };
        if blocked.kind() == BlockedKind::Declined {
            let reason = blocked.reason().unwrap_or("Permission denied by user.");
            let function = (turn.clone(), call.tool.clone());
            lock(&self.0).insert(function, reason.to_owned());
        }
    }
}

impl Policy for Declined {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        let turn = call.origin().turn().unwrap_or_default();
        let function = (turn.to_owned(), call.tool().name().to_owned());
        match lock(&self.0).get(&function) {
            Some(reason) => Decision::deny(reason.clone()),
            None => Decision::abstain(),
        }
    }
}
