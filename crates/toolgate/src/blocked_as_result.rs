//! A refusal as a normal result.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use crate::{BlockedError, ToolBlocked, ToolCall};

/// Turns a refusal into a normal result, so that the model can read it and go on.
///
/// Other errors pass through, and so does a refusal from *inside* a tool that itself was allowed
/// and ran: the model must not be told that it did not.
///
/// # Example
///
/// ```
/// use tower::{ServiceBuilder, ServiceExt};
/// use toolgate::{
///     Args, Authorized, BlockedAsResultLayer, GateLayer, ReviewLayer, ToolBlocked, ToolCall,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ToolBlocked> {
/// let tools = ServiceBuilder::new()
///     .layer(BlockedAsResultLayer::new(|blocked: ToolBlocked| blocked.for_model()))
///     .layer(ReviewLayer::new())
///     .layer(GateLayer::deny_by_default())
///     .service_fn(|_: ToolCall<Authorized>| async { Ok::<_, ToolBlocked>("ran".to_owned()) });
///
/// let said = tools.oneshot(ToolCall::new("rm", Args::new())).await?;
/// assert!(said.starts_with("`rm` did not run"));
/// # Ok(())
/// # }
/// ```
#[must_use = "a layer does nothing until it wraps a service"]
pub struct BlockedAsResultLayer<F> {
    result: Arc<F>,
}

impl<F> BlockedAsResultLayer<F> {
    /// Makes a result of a refusal with `result`.
    pub fn new<R>(result: F) -> Self
    where
        F: Fn(ToolBlocked) -> R,
    {
        Self {
            result: Arc::new(result),
        }
    }
}

impl<R: From<ToolBlocked>> BlockedAsResultLayer<fn(ToolBlocked) -> R> {
    /// Makes a result of a refusal with `R::from`.
    pub fn from_blocked() -> Self {
        Self {
            result: Arc::new(R::from),
        }
    }
}

impl<F> Clone for BlockedAsResultLayer<F> {
    fn clone(&self) -> Self {
        Self {
            result: Arc::clone(&self.result),
        }
    }
}

impl<F> fmt::Debug for BlockedAsResultLayer<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockedAsResultLayer")
            .finish_non_exhaustive()
    }
}

impl<S, F> Layer<S> for BlockedAsResultLayer<F> {
    type Service = BlockedAsResultService<S, F>;

    fn layer(&self, inner: S) -> Self::Service {
        BlockedAsResultService {
            inner,
            result: Arc::clone(&self.result),
        }
    }
}

/// The service that [`BlockedAsResultLayer`] makes.
pub struct BlockedAsResultService<S, F> {
    inner: S,
    result: Arc<F>,
}

impl<S: Clone, F> Clone for BlockedAsResultService<S, F> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            result: Arc::clone(&self.result),
        }
    }
}

impl<S: fmt::Debug, F> fmt::Debug for BlockedAsResultService<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockedAsResultService")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<S, F> Service<ToolCall> for BlockedAsResultService<S, F>
where
    S: Service<ToolCall>,
    S::Error: BlockedError,
    F: Fn(ToolBlocked) -> S::Response,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = BlockedAsResultFuture<S::Future, F>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        BlockedAsResultFuture {
            future: self.inner.call(call),
            result: Arc::clone(&self.result),
        }
    }
}

pin_project! {
    /// The future of a [`BlockedAsResultService`].
    #[must_use = "futures do nothing unless polled"]
    pub struct BlockedAsResultFuture<I, F> {
        #[pin]
        future: I,
        result: Arc<F>,
    }
}

impl<I, F, R, E> Future for BlockedAsResultFuture<I, F>
where
    I: Future<Output = Result<R, E>>,
    E: BlockedError,
    F: Fn(ToolBlocked) -> R,
{
    type Output = Result<R, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let error = match ready!(this.future.poll(cx)) {
            Ok(response) => return Poll::Ready(Ok(response)),
            Err(error) => error,
        };
        Poll::Ready(match error.into_blocked() {
            Ok(blocked) if blocked.is_from_inside_tool() || blocked.is_settled() => {
                Err(blocked.into())
            }
            Ok(blocked) => Ok((this.result)(blocked)),
            Err(error) => Err(error),
        })
    }
}

impl<I, F> fmt::Debug for BlockedAsResultFuture<I, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockedAsResultFuture")
            .finish_non_exhaustive()
    }
}
