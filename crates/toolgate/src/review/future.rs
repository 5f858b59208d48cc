//! The rounds of one call.

use std::{
    error::Error,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use tower::util::Oneshot;
use tower_service::Service;
use tracing::Span;

use super::{
    Shared,
    describing::{attach, failed},
    trace::CallSpan,
};
use crate::{
    BlockedError, BlockedKind, Description, Reviewing, ToolBlocked, ToolCall,
    approval::Terms,
    blocked::{Pending, Stage},
    round::Token,
};

pin_project! {
    /// The future of a [`ReviewService`](crate::ReviewService): the rounds of one call.
    #[must_use = "futures do nothing unless polled"]
    pub struct ReviewFuture<S, A>
    where
        S: Service<ToolCall<Reviewing>>,
        A: Service<ToolCall<Reviewing>>,
    {
        #[pin]
        state: State<S, A>,
        shared: Arc<Shared<S, A>>,
        token: Token,
        span: CallSpan,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S, A>
    where
        S: Service<ToolCall<Reviewing>>,
        A: Service<ToolCall<Reviewing>>,
    {
        /// An asynchronous describer is at work.
        Describing { #[pin] future: Oneshot<A, ToolCall<Reviewing>>, call: Option<ToolCall<Reviewing>> },
        /// The first round, through the service that was ready.
        First { #[pin] future: S::Future },
        /// A later round, through a clone that is driven to readiness first.
        Again { #[pin] future: Oneshot<S, ToolCall<Reviewing>> },
        Refused { blocked: Option<ToolBlocked> },
    }
}

impl<S, A> ReviewFuture<S, A>
where
    S: Service<ToolCall<Reviewing>> + Clone,
    A: Service<ToolCall<Reviewing>> + Clone,
{
    pub(super) fn first(
        shared: Arc<Shared<S, A>>,
        token: Token,
        span: CallSpan,
        future: S::Future,
    ) -> Self {
        Self {
            state: State::First { future },
            shared,
            token,
            span,
        }
    }

    pub(super) fn refused(
        shared: Arc<Shared<S, A>>,
        token: Token,
        span: CallSpan,
        blocked: ToolBlocked,
    ) -> Self {
        Self {
            state: State::Refused {
                blocked: Some(blocked),
            },
            shared,
            token,
            span,
        }
    }

    pub(super) fn describing(
        shared: Arc<Shared<S, A>>,
        token: Token,
        span: CallSpan,
        call: ToolCall<Reviewing>,
    ) -> Self {
        Self {
            state: shared.round(call),
            shared,
            token,
            span,
        }
    }
}

impl<S, A> Shared<S, A>
where
    S: Service<ToolCall<Reviewing>> + Clone,
    A: Service<ToolCall<Reviewing>> + Clone,
{
    /// Describes the call and sends it in.
    fn round(&self, mut call: ToolCall<Reviewing>) -> State<S, A> {
        if let Err(blocked) = self.describers.describe(&mut call) {
            return State::Refused {
                blocked: Some(blocked),
            };
        }
        match self.describers.start(&call) {
            Some(future) => State::Describing {
                future,
                call: Some(call),
            },
            None => State::Again {
                future: Oneshot::new(self.spare.clone(), call),
            },
        }
    }

    /// Sends in a call that an asynchronous describer is done with.
    fn described<E>(
        &self,
        mut call: ToolCall<Reviewing>,
        description: Result<Description, E>,
    ) -> State<S, A>
    where
        E: Into<Box<dyn Error + Send + Sync>>,
    {
        match description {
            Ok(description) => {
                attach(&mut call, description);
                State::Again {
                    future: Oneshot::new(self.spare.clone(), call),
                }
            }
            Err(error) => State::Refused {
                blocked: Some(failed(&call, error)),
            },
        }
    }

    /// Takes up a call that came back.
    fn next(&self, pending: Pending) -> State<S, A> {
        let Pending { mut call, stage } = pending;
        if stage == Stage::Open {
            return State::Refused {
                blocked: Some(nobody_to_ask(&call)),
            };
        }
        // Whoever waited for a turn has not been judged for it.
        if stage != Stage::TurnCame {
            if call.round().is_last {
                let blocked = Some(ToolBlocked::unsettled(&call));
                return State::Refused { blocked };
            }
            call.round_mut().count(self.max_rounds);
        }
        call.round_mut().again();
        self.round(call)
    }
}

fn nobody_to_ask(call: &ToolCall<Reviewing>) -> ToolBlocked {
    let request = call.question(&Terms::default()).ok();
    ToolBlocked::new(call, BlockedKind::NoHandler, call.first_ask_reason()).with_request(request)
}

impl<S, A> Future for ReviewFuture<S, A>
where
    S: Service<ToolCall<Reviewing>> + Clone,
    S::Error: BlockedError,
    A: Service<ToolCall<Reviewing>, Response = Description> + Clone,
    A::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Output = Result<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let span = this.span.listened_to();
        let _entered = span.as_ref().map(Span::enter);
        loop {
            let next = match ready!(this.state.as_mut().poll_round(cx)) {
                RoundEnd::Described(call, description) => this.shared.described(call, description),
                RoundEnd::Returned(result) => match own_pending(result, *this.token) {
                    Ok(pending) => {
                        this.span.came_back(&pending);
                        this.shared.next(pending)
                    }
                    Err(result) => return Poll::Ready(this.span.close(result)),
                },
            };
            // Drops what is finished, and with it every permit that it held.
            this.state.set(next);
        }
    }
}

/// What one state comes to.
enum RoundEnd<S, A>
where
    S: Service<ToolCall<Reviewing>>,
    A: Service<ToolCall<Reviewing>>,
{
    /// Only the description is there yet.
    Described(ToolCall<Reviewing>, Result<A::Response, A::Error>),
    /// The stack is done with the call, or gives it back.
    Returned(Result<S::Response, S::Error>),
}

impl<S, A> State<S, A>
where
    S: Service<ToolCall<Reviewing>>,
    S::Error: From<ToolBlocked>,
    A: Service<ToolCall<Reviewing>>,
{
    fn poll_round(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<RoundEnd<S, A>> {
        let result = match self.project() {
            StateProj::First { future } => ready!(future.poll(cx)),
            StateProj::Again { future } => ready!(future.poll(cx)),
            StateProj::Refused { blocked } => match blocked.take() {
                Some(blocked) => Err(blocked.into()),
                None => return Poll::Pending,
            },
            StateProj::Describing { future, call } => {
                let description = ready!(future.poll(cx));
                return match call.take() {
                    Some(call) => Poll::Ready(RoundEnd::Described(call, description)),
                    None => Poll::Pending,
                };
            }
        };
        Poll::Ready(RoundEnd::Returned(result))
    }
}

/// Takes out a call that came back from this very review. An open call of another one, such as
/// that of a sub-agent behind the tool, is only an error here.
fn own_pending<R, E: BlockedError>(
    result: Result<R, E>,
    token: Token,
) -> Result<Pending, Result<R, E>> {
    match result {
        Ok(response) => Err(Ok(response)),
        Err(error) => match error.into_blocked() {
            Ok(blocked) if blocked.is_settled() => Err(Err(blocked.into())),
            Ok(blocked) => blocked
                .into_pending(token)
                .map_err(|blocked| Err(blocked.into())),
            Err(error) => Err(Err(error)),
        },
    }
}

impl<S, A> fmt::Debug for ReviewFuture<S, A>
where
    S: Service<ToolCall<Reviewing>>,
    A: Service<ToolCall<Reviewing>>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReviewFuture")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}
