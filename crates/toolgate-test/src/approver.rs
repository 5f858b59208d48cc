//! Somebody who answers by a script.

use std::{
    collections::VecDeque,
    fmt,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
};

use toolgate::{ApprovalDecision, ApprovalRequest, Args};
use tower_service::Service;

/// What a scripted approver does with one question.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub enum Reply {
    /// Gives this answer.
    Say(ApprovalDecision),
    /// Fails.
    Fail,
    /// Panics.
    Panic,
    /// Never answers.
    Hang,
}

impl Reply {
    /// Says yes, once.
    pub fn yes() -> Self {
        Self::Say(ApprovalDecision::approve())
    }

    /// Says no, once.
    pub fn no() -> Self {
        Self::Say(ApprovalDecision::decline())
    }

    /// Says yes to other arguments.
    pub fn edit(args: Args) -> Self {
        Self::Say(ApprovalDecision::edit(args))
    }
}

/// Somebody who answers by a script, and keeps the questions.
///
/// A question beyond the script fails. Clones share the script and the questions.
///
/// # Example
///
/// ```
/// use toolgate_test::{Approver, Reply};
///
/// let careful = Approver::script([Reply::yes(), Reply::no()]);
/// let easy_going = Approver::always(Reply::yes());
/// # let _ = (careful, easy_going);
/// ```
#[derive(Clone, Default)]
pub struct Approver {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    script: VecDeque<Reply>,
    otherwise: Option<Reply>,
    questions: Vec<ApprovalRequest>,
}

impl Approver {
    /// Gives these replies, in this order.
    #[must_use]
    pub fn script(replies: impl IntoIterator<Item = Reply>) -> Self {
        let approver = Self::default();
        approver.state().script = replies.into_iter().collect();
        approver
    }

    /// Gives the same reply every time.
    #[must_use]
    pub fn always(reply: Reply) -> Self {
        let approver = Self::default();
        approver.state().otherwise = Some(reply);
        approver
    }

    /// The questions so far, in order.
    #[must_use]
    pub fn questions(&self) -> Vec<ApprovalRequest> {
        self.state().questions.clone()
    }

    /// How many questions there were so far.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.state().questions.len()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reply(&self, question: ApprovalRequest) -> Reply {
        let mut state = self.state();
        state.questions.push(question);
        let reply = state.script.pop_front().or_else(|| state.otherwise.clone());
        reply.unwrap_or(Reply::Fail)
    }
}

impl fmt::Debug for Approver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Approver({} questions)", self.asked())
    }
}

impl Service<ApprovalRequest> for Approver {
    type Response = ApprovalDecision;
    type Error = ScriptFailed;
    type Future = Replying;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ScriptFailed>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, question: ApprovalRequest) -> Replying {
        Replying(self.reply(question))
    }
}

/// The future of an [`Approver`].
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct Replying(Reply);

impl Future for Replying {
    type Output = Result<ApprovalDecision, ScriptFailed>;

    #[expect(
        clippy::panic,
        reason = "a handler that panics is what the script asks for"
    )]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        match &self.0 {
            Reply::Say(decision) => Poll::Ready(Ok(decision.clone())),
            Reply::Fail => Poll::Ready(Err(ScriptFailed {})),
            Reply::Panic => panic!("the script says to panic"),
            Reply::Hang => Poll::Pending,
        }
    }
}

/// The error of an [`Approver`] whose script says to fail, or has ended.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ScriptFailed {}

impl fmt::Display for ScriptFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the approver failed, as scripted")
    }
}

impl std::error::Error for ScriptFailed {}
