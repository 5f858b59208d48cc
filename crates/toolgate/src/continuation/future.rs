//! One iteration that may have to be asked about.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use tower::util::Oneshot;
use tower_service::Service;

use super::{Iteration, RunEnded};

type Asking = Pin<Box<dyn Future<Output = Result<Iteration, RunEnded>> + Send>>;

pin_project! {
    /// The future of a [`ContinuationService`](crate::ContinuationService).
    #[must_use = "futures do nothing unless polled"]
    pub struct ContinuationFuture<S>
    where
        S: Service<Iteration>,
    {
        #[pin]
        state: State<S>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S>
    where
        S: Service<Iteration>,
    {
        Within { #[pin] future: S::Future },
        Asking { asking: Asking, inner: Option<S> },
        /// Beyond the limit, through a clone that is driven to readiness first.
        Beyond { #[pin] future: Oneshot<S, Iteration> },
    }
}

impl<S: Service<Iteration>> ContinuationFuture<S> {
    pub(super) fn within(future: S::Future) -> Self {
        Self {
            state: State::Within { future },
        }
    }

    pub(super) fn asking(
        inner: S,
        asking: impl Future<Output = Result<Iteration, RunEnded>> + Send + 'static,
    ) -> Self {
        Self {
            state: State::Asking {
                asking: Box::pin(asking),
                inner: Some(inner),
            },
        }
    }
}

impl<S> Future for ContinuationFuture<S>
where
    S: Service<Iteration>,
    S::Error: From<RunEnded>,
{
    type Output = Result<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        loop {
            match state.as_mut().project() {
                StateProj::Within { future } => return future.poll(cx),
                StateProj::Beyond { future } => return future.poll(cx),
                StateProj::Asking { asking, inner } => {
                    let iteration = match ready!(asking.as_mut().poll(cx)) {
                        Ok(iteration) => iteration,
                        Err(ended) => return Poll::Ready(Err(ended.into())),
                    };
                    let Some(inner) = inner.take() else {
                        return Poll::Pending;
                    };
                    let future = Oneshot::new(inner, iteration);
                    state.set(State::Beyond { future });
                }
            }
        }
    }
}

impl<S: Service<Iteration>> fmt::Debug for ContinuationFuture<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContinuationFuture").finish_non_exhaustive()
    }
}
