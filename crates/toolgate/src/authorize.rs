//! The terminal service for runtimes with a request type of their own.

use std::{
    future::{Ready, ready},
    task::{Context, Poll},
};

use tower_service::Service;

use crate::{Authorized, ToolBlocked, ToolCall};

/// The end of a stack whose response *is* the authorised call.
///
/// For runtimes that run tools in a way of their own: call the stack, take the arguments of
/// the authorised call (never the original ones), and go on.
///
/// # Example
///
/// ```
/// use tower::{ServiceBuilder, ServiceExt};
/// use toolgate::{Args, Authorize, Decision, GateLayer, PolicyLayer, Reviewing, ReviewLayer, ToolCall};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), toolgate::ToolBlocked> {
/// let authorize = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(PolicyLayer::new(|_: &ToolCall<Reviewing>| Decision::allow()))
///     .layer(GateLayer::new())
///     .service(Authorize::new());
///
/// let authorized = authorize.oneshot(ToolCall::new("ls", Args::new())).await?;
/// println!("running {} with {} arguments", authorized.tool(), authorized.args().len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[must_use = "a service does nothing until a stack is built around it"]
pub struct Authorize {}

impl Authorize {
    /// Makes the end of a stack.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Service<ToolCall<Authorized>> for Authorize {
    type Response = ToolCall<Authorized>;
    type Error = ToolBlocked;
    type Future = Ready<Result<ToolCall<Authorized>, ToolBlocked>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ToolBlocked>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall<Authorized>) -> Self::Future {
        ready(Ok(call))
    }
}
