//! What a tool asks.

use std::{fmt, sync::Arc};

use crate::{
    Args, Authorized, BlockedKind, CallId, Origin, Presentation, Rule, ToolBlocked, ToolCall,
    ToolId, Vote, round::Token,
};

/// What a tool asks while it works.
///
/// The payload is what the answer is for, and what identifies the question when the answer is
/// remembered. A question without a payload is identified by its description, so that a yes to one
/// is never a yes to another.
///
/// # Example
///
/// ```
/// use toolgate::{Args, Origin, Question};
///
/// let question = Question::new("clean_up", "delete the build directory")
///     .with_payload(Args::new().with("dir", "build"))
///     .with_origin(Origin::new().with_session("s-1"));
/// # let _ = question;
/// ```
#[derive(Clone)]
#[must_use = "a question does nothing until somebody is asked"]
pub struct Question {
    tool: ToolId,
    description: Arc<str>,
    payload: Args,
    origin: Origin,
    call_id: Option<CallId>,
    subject: Option<Arc<str>>,
    presentation: Option<Presentation>,
}

impl Question {
    /// Asks on behalf of `tool`. Whoever is asked reads the description first.
    pub fn new(tool: impl Into<ToolId>, description: impl Into<Arc<str>>) -> Self {
        Self {
            tool: tool.into(),
            description: description.into(),
            payload: Args::new(),
            origin: Origin::new(),
            call_id: None,
            subject: None,
            presentation: None,
        }
    }

    /// Asks on behalf of the tool that works on `call`, with its id and its origin.
    pub fn about(call: &ToolCall<Authorized>, description: impl Into<Arc<str>>) -> Self {
        Self {
            origin: call.origin().clone(),
            call_id: call.id().cloned(),
            ..Self::new(call.tool().clone(), description)
        }
    }

    /// Sets what the answer is for.
    pub fn with_payload(mut self, payload: Args) -> Self {
        self.payload = payload;
        self
    }

    /// Sets where the question comes from.
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// Sets the id of the call that the tool works on.
    pub fn with_call_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.call_id = Some(CallId::new(id));
        self
    }

    /// Sets the name under which the operation is remembered, if it is not the tool's own.
    pub fn with_subject(mut self, subject: impl Into<Arc<str>>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Sets how it is best shown.
    pub fn with_presentation(mut self, presentation: Presentation) -> Self {
        self.presentation = Some(presentation);
        self
    }

    /// The question as a call, and the vote that asks about it.
    pub(super) fn into_parts(self) -> (ToolCall, Vote) {
        let by_words = self
            .payload
            .is_empty()
            .then(|| Arc::clone(&self.description));
        let mut vote = Vote::ask("the tool asks while it works")
            .by(Rule::new("asked by the tool"))
            .with_description(self.description);
        if let Some(subject) = self.subject.or(by_words) {
            vote = vote.with_subject(subject);
        }
        if let Some(presentation) = self.presentation {
            vote = vote.with_presentation(presentation);
        }
        let mut call = ToolCall::new(self.tool, self.payload).with_origin(self.origin);
        if let Some(id) = self.call_id {
            call = call.with_id(id.as_str());
        }
        (call, vote)
    }

    /// The refusal of a question that could not be put.
    pub(super) fn refused(self, reason: &'static str) -> ToolBlocked {
        let call = self.into_parts().0.review(Token::default(), 1);
        ToolBlocked::new(&call, BlockedKind::HandlerFailed, Some(reason.into()))
    }
}

/// Shows who asks, never what.
impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}
