//! Asking over a channel, in one process.

use std::{
    fmt,
    future::{Future, poll_fn},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use futures_util::Stream;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tower_service::Service;

use crate::{ApprovalDecision, ApprovalRequest, Args, AskError, AskErrorKind};

/// Makes a handler for [`PromptLayer`](crate::PromptLayer) and the stream of questions put to it.
///
/// At most `capacity` questions wait to be received; beyond that a call is blocked as
/// [overloaded](crate::BlockedKind::Overloaded).
///
/// # Example
///
/// ```
/// use toolgate::{
///     Args, Authorize, GateLayer, PromptLayer, ReviewLayer, ToolCall, approval_channel,
/// };
/// use tower::{ServiceBuilder, ServiceExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (prompt, mut questions) = approval_channel(16);
/// let stack = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(PromptLayer::new(prompt))
///     .layer(GateLayer::new())
///     .service(Authorize::new());
///
/// let call = tokio::spawn(stack.oneshot(ToolCall::new("send_email", Args::new())));
/// let question = questions.recv().await.expect("a question comes");
/// assert_eq!(question.request().tool.name(), "send_email");
/// question.approve()?;
/// assert!(call.await?.is_ok());
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn approval_channel(capacity: usize) -> (ChannelPrompt, PendingApprovals) {
    let capacity = capacity.clamp(1, Semaphore::MAX_PERMITS);
    let (sender, receiver) = mpsc::channel(capacity);
    (ChannelPrompt { sender }, PendingApprovals { receiver })
}

/// The handler that [`approval_channel`] makes.
#[derive(Clone)]
pub struct ChannelPrompt {
    sender: mpsc::Sender<PendingApproval>,
}

impl fmt::Debug for ChannelPrompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ChannelPrompt").finish_non_exhaustive()
    }
}

impl Service<ApprovalRequest> for ChannelPrompt {
    type Response = ApprovalDecision;
    type Error = AskError;
    type Future = ChannelFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), AskError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ApprovalRequest) -> ChannelFuture {
        let (answer, answered) = oneshot::channel();
        let pending = PendingApproval {
            request,
            answer: Some(answer),
        };
        let refused = self
            .sender
            .try_send(pending)
            .err()
            .map(|error| match error {
                mpsc::error::TrySendError::Full(pending) => {
                    pending.forget();
                    AskErrorKind::Overloaded
                }
                mpsc::error::TrySendError::Closed(pending) => {
                    pending.forget();
                    AskErrorKind::Closed
                }
            });
        ChannelFuture { answered, refused }
    }
}

/// The future of a [`ChannelPrompt`].
#[derive(Debug)]
#[must_use = "futures do nothing unless polled"]
pub struct ChannelFuture {
    answered: oneshot::Receiver<ApprovalDecision>,
    refused: Option<AskErrorKind>,
}

impl Future for ChannelFuture {
    type Output = Result<ApprovalDecision, AskError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(kind) = self.refused {
            return Poll::Ready(Err(AskError::new(kind)));
        }
        let answered = Pin::new(&mut self.answered).poll(cx);
        answered.map_err(|_| AskError::new(AskErrorKind::Closed))
    }
}

/// The questions that wait to be answered. A [`Stream`]; dropping it closes the channel. What was
/// withdrawn before anybody looked is left out.
pub struct PendingApprovals {
    receiver: mpsc::Receiver<PendingApproval>,
}

impl PendingApprovals {
    /// The next question; none if nobody can ask any more.
    pub async fn recv(&mut self) -> Option<PendingApproval> {
        poll_fn(|cx| self.poll_question(cx)).await
    }

    fn poll_question(&mut self, cx: &mut Context<'_>) -> Poll<Option<PendingApproval>> {
        loop {
            let next = ready!(self.receiver.poll_recv(cx));
            if next
                .as_ref()
                .is_none_or(|question| !question.is_withdrawn())
            {
                return Poll::Ready(next);
            }
        }
    }
}

impl Stream for PendingApprovals {
    type Item = PendingApproval;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<PendingApproval>> {
        self.poll_question(cx)
    }
}

impl fmt::Debug for PendingApprovals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingApprovals").finish_non_exhaustive()
    }
}

/// A question that waits for its answer. Dropping it declines.
#[must_use = "dropping a question declines it"]
pub struct PendingApproval {
    request: ApprovalRequest,
    answer: Option<oneshot::Sender<ApprovalDecision>>,
}

impl PendingApproval {
    /// What is asked.
    #[must_use]
    pub fn request(&self) -> &ApprovalRequest {
        &self.request
    }

    /// Whether whoever asked has gone, so that no answer matters any more.
    #[must_use]
    pub fn is_withdrawn(&self) -> bool {
        self.answer.as_ref().is_none_or(oneshot::Sender::is_closed)
    }

    /// Says yes, once.
    ///
    /// # Errors
    ///
    /// If the question was withdrawn.
    pub fn approve(self) -> Result<(), AskError> {
        self.answer(ApprovalDecision::approve())
    }

    /// Says no, with a word for the model.
    ///
    /// # Errors
    ///
    /// If the question was withdrawn.
    pub fn decline(self, note: impl Into<Arc<str>>) -> Result<(), AskError> {
        self.answer(ApprovalDecision::decline().with_note(note))
    }

    /// Says yes to other arguments, which are judged like a new call.
    ///
    /// # Errors
    ///
    /// If the question was withdrawn.
    pub fn edit(self, args: Args) -> Result<(), AskError> {
        self.answer(ApprovalDecision::edit(args))
    }

    /// Gives any answer.
    ///
    /// # Errors
    ///
    /// If the question was withdrawn.
    pub fn answer(mut self, decision: ApprovalDecision) -> Result<(), AskError> {
        let withdrawn = AskError::new(AskErrorKind::Withdrawn);
        let answer = self.answer.take().ok_or(withdrawn)?;
        answer.send(decision).map_err(|_| withdrawn)
    }

    /// Goes away without an answer.
    fn forget(mut self) {
        self.answer = None;
    }
}

impl Drop for PendingApproval {
    fn drop(&mut self) {
        if let Some(answer) = self.answer.take() {
            let _ = answer.send(ApprovalDecision::decline().with_note("nobody answered"));
        }
    }
}

impl fmt::Debug for PendingApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingApproval")
            .field("request", &self.request)
            .finish_non_exhaustive()
    }
}
