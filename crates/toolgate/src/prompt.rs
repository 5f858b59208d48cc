//! Asking somebody.

mod future;

use std::{
    error::Error,
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

use tower_layer::Layer;
use tower_service::Service;

pub use self::future::PromptFuture;
use crate::{ApprovalDecision, ApprovalRequest, BlockedError, Reviewing, ToolCall};

/// Asks somebody about calls that are still open.
///
/// The handler is any `Service<ApprovalRequest, Response = ApprovalDecision>`; a closure through
/// [`tower::service_fn`] is one. It is shown the final arguments and every rule that asked. Its
/// answer travels with the call, which goes round again: every policy judges it once more, and
/// the gate lets it through only if the answer covers every rule that asks, for the very
/// arguments that were shown.
///
/// A handler that fails or panics has not approved anything. While it thinks, nothing of the
/// inner service is reserved.
///
/// # Example
///
/// ```
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
/// use toolgate::{
///     ApprovalDecision, ApprovalRequest, Args, Authorize, GateLayer, PromptLayer, ReviewLayer,
///     ToolBlocked, ToolCall,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ToolBlocked> {
/// let human = service_fn(|request: ApprovalRequest| async move {
///     println!("may it run {}?", request.description);
///     Ok::<_, std::io::Error>(ApprovalDecision::approve())
/// });
///
/// let stack = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(PromptLayer::new(human))
///     .layer(GateLayer::new())
///     .service(Authorize::new());
///
/// let call = stack.oneshot(ToolCall::new("send_email", Args::new())).await?;
/// assert_eq!(call.allowed_by(), toolgate::AllowedBy::Human);
/// # Ok(())
/// # }
/// ```
#[must_use = "a layer does nothing until it wraps a service"]
pub struct PromptLayer<H> {
    handler: Arc<H>,
}

impl<H> PromptLayer<H> {
    /// Asks `handler`.
    pub fn new(handler: H) -> Self {
        Self {
            handler: Arc::new(handler),
        }
    }
}

impl<H> Clone for PromptLayer<H> {
    fn clone(&self) -> Self {
        Self {
            handler: Arc::clone(&self.handler),
        }
    }
}

impl<H> fmt::Debug for PromptLayer<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptLayer").finish_non_exhaustive()
    }
}

impl<S, H> Layer<S> for PromptLayer<H> {
    type Service = PromptService<S, H>;

    fn layer(&self, inner: S) -> Self::Service {
        PromptService {
            inner,
            handler: Arc::clone(&self.handler),
        }
    }
}

/// The service that [`PromptLayer`] makes.
pub struct PromptService<S, H> {
    inner: S,
    handler: Arc<H>,
}

impl<S: Clone, H> Clone for PromptService<S, H> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            handler: Arc::clone(&self.handler),
        }
    }
}

impl<S: fmt::Debug, H> fmt::Debug for PromptService<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptService")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<S, H> Service<ToolCall<Reviewing>> for PromptService<S, H>
where
    S: Service<ToolCall<Reviewing>>,
    S::Error: BlockedError,
    H: Service<ApprovalRequest, Response = ApprovalDecision> + Clone,
    H::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = PromptFuture<S::Future, H>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<Reviewing>) -> Self::Future {
        let token = call.round().token;
        PromptFuture::new(self.inner.call(call), Arc::clone(&self.handler), token)
    }
}

#[cfg(test)]
mod tests;
