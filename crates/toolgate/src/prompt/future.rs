//! One call that may have to be asked about.

use std::{
    error::Error,
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use tokio::time::Instant;
use tower::util::Oneshot;
use tower_service::Service;

use crate::{
    ApprovalDecision, ApprovalRequest, Asked, BlockedError, BlockedKind, Reviewing, ToolBlocked,
    ToolCall,
    blocked::{Pending, Stage},
    review::trace::record_waiting,
    round::{Answer, Token},
};

pin_project! {
    /// The future of a [`PromptService`](crate::PromptService).
    #[must_use = "futures do nothing unless polled"]
    pub struct PromptFuture<F, H>
    where
        H: Service<ApprovalRequest>,
    {
        #[pin]
        state: State<F, H>,
        handler: Arc<H>,
        token: Token,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<F, H>
    where
        H: Service<ApprovalRequest>,
    {
        Inside { #[pin] future: F },
        Asking { #[pin] handler: Oneshot<H, ApprovalRequest>, question: Option<Question> },
    }
}

/// What is waiting for an answer.
struct Question {
    call: ToolCall<Reviewing>,
    asks: Vec<Asked>,
    since: Instant,
}

impl<F, H> PromptFuture<F, H>
where
    H: Service<ApprovalRequest>,
{
    pub(super) fn new(future: F, handler: Arc<H>, token: Token) -> Self {
        Self {
            state: State::Inside { future },
            handler,
            token,
        }
    }
}

impl<F, R, E, H> Future for PromptFuture<F, H>
where
    F: Future<Output = Result<R, E>>,
    E: BlockedError,
    H: Service<ApprovalRequest, Response = ApprovalDecision> + Clone,
    H::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Output = Result<R, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            match this.state.as_mut().project() {
                StateProj::Inside { future } => {
                    let call = match open_call(ready!(future.poll(cx)), *this.token) {
                        Ok(call) => call,
                        Err(result) => return Poll::Ready(result),
                    };
                    match ask(this.handler, call) {
                        // Drops the finished future, and with it every permit that it held.
                        Ok(asking) => this.state.set(asking),
                        Err(blocked) => return Poll::Ready(Err(blocked.into())),
                    }
                }
                StateProj::Asking { handler, question } => {
                    let polled = catch_unwind(AssertUnwindSafe(|| handler.poll(cx)));
                    let answered = match polled {
                        Ok(poll) => ready!(poll).map_err(Into::into),
                        Err(_) => Err("the handler panicked".into()),
                    };
                    let Some(question) = question.take() else {
                        return Poll::Pending;
                    };
                    return Poll::Ready(Err(question.close(answered).into()));
                }
            }
        }
    }
}

/// Takes out a call that is open and belongs to this review.
fn open_call<R, E: BlockedError>(
    result: Result<R, E>,
    token: Token,
) -> Result<ToolCall<Reviewing>, Result<R, E>> {
    let error = match result {
        Ok(response) => return Err(Ok(response)),
        Err(error) => error,
    };
    let blocked = error.into_blocked().map_err(Err)?;
    match blocked.into_pending(token) {
        Ok(Pending {
            call,
            stage: Stage::Open,
        }) => Ok(call),
        Ok(Pending { call, stage }) => Err(Err(ToolBlocked::pending(call, stage).into())),
        Err(blocked) => Err(Err(blocked.into())),
    }
}

/// Puts the question to the handler.
fn ask<F, H>(handler: &Arc<H>, call: ToolCall<Reviewing>) -> Result<State<F, H>, ToolBlocked>
where
    H: Service<ApprovalRequest> + Clone,
{
    if call.round().is_last {
        return Err(ToolBlocked::unsettled(&call));
    }
    let request = match call.question() {
        Ok(request) => request,
        Err(error) => return Err(failed(&call, error.into())),
    };
    let question = Question {
        call,
        asks: request.asks.clone(),
        since: Instant::now(),
    };
    let handler = Oneshot::new(H::clone(handler), request);
    Ok(State::Asking {
        handler,
        question: Some(question),
    })
}

fn failed(call: &ToolCall<Reviewing>, error: Box<dyn Error + Send + Sync>) -> ToolBlocked {
    ToolBlocked::new(call, BlockedKind::HandlerFailed, None).with_source(error)
}

impl Question {
    /// Attaches the answer to the call, and sends it back out to be reviewed again.
    fn close(
        self,
        answered: Result<ApprovalDecision, Box<dyn Error + Send + Sync>>,
    ) -> ToolBlocked {
        let Self {
            mut call,
            asks,
            since,
        } = self;
        let round = call.round_mut();
        round.waited += since.elapsed();
        record_waiting(&round.span, round.waited);
        let decision = match answered {
            Ok(decision) => decision,
            Err(error) => return failed(&call, error),
        };
        let answer = Answer::new(asks, call.args(), decision);
        if answer.approved() {
            call.rewrite(answer.args().clone());
        }
        call.round_mut().answer = Some(answer);
        ToolBlocked::pending(call, Stage::Answered)
    }
}

impl<F, H> fmt::Debug for PromptFuture<F, H>
where
    H: Service<ApprovalRequest>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptFuture")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}
