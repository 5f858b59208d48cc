//! One call on its way past the memory.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use tower::util::Oneshot;
use tower_service::Service;

use crate::{Reviewing, ToolBlocked, ToolCall, future::Guarded};

type Consulting = Pin<Box<dyn Future<Output = Result<ToolCall<Reviewing>, ToolBlocked>> + Send>>;

pin_project! {
    /// The future of a [`MemoryService`](crate::MemoryService).
    #[must_use = "futures do nothing unless polled"]
    pub struct MemoryFuture<S>
    where
        S: Service<ToolCall<Reviewing>>,
    {
        #[pin]
        state: State<S>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S>
    where
        S: Service<ToolCall<Reviewing>>,
    {
        AtOnce { #[pin] future: Guarded<S::Future> },
        Consulting { consulting: Consulting, inner: Option<S> },
        Inside { #[pin] future: Oneshot<S, ToolCall<Reviewing>> },
    }
}

impl<S> MemoryFuture<S>
where
    S: Service<ToolCall<Reviewing>>,
{
    pub(super) fn at_once(future: Guarded<S::Future>) -> Self {
        Self {
            state: State::AtOnce { future },
        }
    }

    pub(super) fn later(
        inner: S,
        consulting: impl Future<Output = Result<ToolCall<Reviewing>, ToolBlocked>> + Send + 'static,
    ) -> Self {
        let consulting = Box::pin(consulting);
        Self {
            state: State::Consulting {
                consulting,
                inner: Some(inner),
            },
        }
    }
}

impl<S> Future for MemoryFuture<S>
where
    S: Service<ToolCall<Reviewing>>,
    S::Error: From<ToolBlocked>,
{
    type Output = Result<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        loop {
            match state.as_mut().project() {
                StateProj::AtOnce { future } => return future.poll(cx),
                StateProj::Inside { future } => return future.poll(cx),
                StateProj::Consulting { consulting, inner } => {
                    let call = match ready!(consulting.as_mut().poll(cx)) {
                        Ok(call) => call,
                        Err(blocked) => return Poll::Ready(Err(blocked.into())),
                    };
                    let Some(inner) = inner.take() else {
                        return Poll::Pending;
                    };
                    state.set(State::Inside {
                        future: Oneshot::new(inner, call),
                    });
                }
            }
        }
    }
}

impl<S> fmt::Debug for MemoryFuture<S>
where
    S: Service<ToolCall<Reviewing>>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryFuture").finish_non_exhaustive()
    }
}
