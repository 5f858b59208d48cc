//! A call that was made, and what became of it.

use std::time::Duration;

use serde_json::Value;
use tokio::task::{JoinError, JoinHandle};
use toolgate::{
    Address, ApprovalRequest, Args, BlockedKind, Rendering, RequestId, ToolBlocked, ToolId,
};
use tower::BoxError;

use super::{super::case::Context, DEADLINE, held::Hold};

/// A call that was made.
pub(in crate::attacks) struct Occurrence {
    number: usize,
    /// What the case calls it. Several can have the same.
    pub(in crate::attacks) label: String,
    pub(in crate::attacks) tool: ToolId,
    pub(in crate::attacks) args: Option<Args>,
    pub(in crate::attacks) context: Context,
    pub(in crate::attacks) deadline: Duration,
    /// How often everything had begun anew.
    pub(in crate::attacks) generation: usize,
    pub(super) task: Option<JoinHandle<Result<Value, BoxError>>>,
    pub(in crate::attacks) hold: Hold,
    pub(in crate::attacks) question: Option<Question>,
    /// What was shown to whoever was asked last.
    pub(in crate::attacks) shown: Option<ApprovalRequest>,
    /// The question, as it was shown.
    pub(in crate::attacks) rendered: Option<String>,
    pub(in crate::attacks) ended: Option<Ended>,
    /// Whether an answer was given that is to be remembered.
    pub(in crate::attacks) remembered: bool,
}

/// The question that a call is about.
#[derive(Clone, Debug)]
pub(in crate::attacks) struct Question {
    pub(in crate::attacks) id: RequestId,
    pub(in crate::attacks) address: Address,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::attacks) enum Ended {
    /// The tool ran.
    Ran,
    /// It was refused.
    Blocked(BlockedKind),
    /// Something else went wrong.
    Failed,
    /// It panicked.
    Panicked,
    /// It was dropped.
    Dropped,
    /// There was never such a call: its arguments could not be read, or nobody could make it.
    NeverMade,
}

impl Ended {
    pub(super) fn of(result: Result<Result<Value, BoxError>, JoinError>) -> Self {
        match result {
            Ok(Ok(_)) => Self::Ran,
            Ok(Err(error)) => match error.downcast_ref::<ToolBlocked>() {
                Some(blocked) => Self::Blocked(blocked.kind()),
                None => Self::Failed,
            },
            Err(error) if error.is_panic() => Self::Panicked,
            Err(_) => Self::Dropped,
        }
    }

    /// Whether somebody was to decide, and did not.
    pub(in crate::attacks) fn is_undecided(self) -> bool {
        matches!(
            self,
            Self::Blocked(
                BlockedKind::NoHandler
                    | BlockedKind::HandlerFailed
                    | BlockedKind::TimedOut
                    | BlockedKind::Withdrawn
                    | BlockedKind::Overloaded
                    | BlockedKind::PolicyFailed
            )
        )
    }
}

impl Occurrence {
    pub(super) fn new(
        number: usize,
        label: String,
        tool: ToolId,
        args: Option<Args>,
        context: Context,
    ) -> Self {
        Self {
            number,
            label,
            tool,
            args,
            context,
            deadline: DEADLINE,
            generation: 0,
            task: None,
            hold: Hold::default(),
            question: None,
            shown: None,
            rendered: None,
            ended: None,
            remembered: false,
        }
    }

    /// Every call is a turn of its own, by which it is known to everybody who sees it.
    pub(in crate::attacks) fn turn(&self) -> String {
        format!("turn {}", self.number)
    }

    /// Whether it has not ended yet.
    pub(in crate::attacks) fn is_pending(&self) -> bool {
        self.ended.is_none()
    }

    pub(super) fn asked(&mut self, request: &ApprovalRequest) {
        self.shown = Some(request.clone());
        self.rendered = Rendering::of(request).ok().map(|text| text.to_string());
        self.question = Some(Question {
            id: request.id,
            address: Address::new(&request.origin, "tools"),
        });
    }
}
