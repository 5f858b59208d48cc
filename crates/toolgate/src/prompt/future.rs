//! One call that may have to be asked about.

use std::{
    error::Error,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use tower_service::Service;

use super::PromptLayer;
use crate::{
    ApprovalDecision, ApprovalRequest, BlockedError, Reviewing, ToolBlocked, ToolCall,
    blocked::{Pending, Stage},
    round::{Reach, Token},
};

pin_project! {
    /// The future of a [`PromptService`](crate::PromptService).
    #[must_use = "futures do nothing unless polled"]
    pub struct PromptFuture<F, H> {
        #[pin]
        state: State<F>,
        prompt: Arc<PromptLayer<H>>,
        token: Token,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<F> {
        Inside { #[pin] future: F },
        // Boxed: asking is rare, and whoever is not asked about does not carry it along.
        Asking { asking: Pin<Box<dyn Future<Output = ToolBlocked> + Send>> },
    }
}

impl<F, H> PromptFuture<F, H> {
    pub(super) fn new(future: F, prompt: Arc<PromptLayer<H>>, token: Token) -> Self {
        Self {
            state: State::Inside { future },
            prompt,
            token,
        }
    }
}

impl<F, R, E, H> Future for PromptFuture<F, H>
where
    F: Future<Output = Result<R, E>>,
    E: BlockedError,
    H: Service<ApprovalRequest, Response = ApprovalDecision> + Clone + Send + Sync + 'static,
    H::Error: Into<Box<dyn Error + Send + Sync>>,
    H::Future: Send,
{
    type Output = Result<R, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let StateProj::Inside { future } = this.state.as_mut().project() {
            let call = match open_call(ready!(future.poll(cx)), *this.token) {
                Ok(call) => call,
                Err(result) => return Poll::Ready(result),
            };
            if call.round().reach == Reach::Judge {
                return Poll::Ready(Err(this.prompt.judge(call).into()));
            }
            let asking = Box::pin(Arc::clone(this.prompt).ask(call));
            // Drops the finished future, and with it every permit that it held.
            this.state.set(State::Asking { asking });
        }
        match this.state.project() {
            StateProj::Asking { asking } => {
                asking.as_mut().poll(cx).map(|blocked| Err(blocked.into()))
            }
            StateProj::Inside { .. } => Poll::Pending,
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

impl<F, H> fmt::Debug for PromptFuture<F, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptFuture")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}
