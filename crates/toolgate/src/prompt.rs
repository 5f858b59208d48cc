//! Asking somebody.

mod ask;
mod declines;
mod error;
mod future;
mod turns;

use std::{
    error::Error,
    fmt,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use tower_layer::Layer;
use tower_service::Service;

use self::declines::Declines;
pub(crate) use self::turns::Turn;
pub use self::{
    error::{AskError, AskErrorKind},
    future::PromptFuture,
    turns::Turns,
};
use crate::{ApprovalDecision, ApprovalRequest, BlockedError, ModeSwitch, Reviewing, ToolCall};

/// Asks somebody about calls that are still open.
///
/// The handler is any `Service<ApprovalRequest, Response = ApprovalDecision>`; a closure through
/// [`tower::service_fn`] is one, and Tower's `timeout`, `retry`, `load_shed` and `buffer` shape it.
/// It is shown the final arguments and every rule that asked. Its answer travels with the call,
/// which goes round again: every policy judges it once more, and the gate lets it through only if
/// the answer covers every rule that asks, for the very arguments that were shown.
///
/// The layer itself owns what the laws depend on:
///
/// - the **deadline**, five minutes unless [set](Self::with_deadline), which counts waiting for a
///   turn as well;
/// - the **turn**: questions of one [session](crate::Origin::session) are asked one at a time, in
///   order; when its turn comes after waiting, a call is reviewed once more before anybody is asked,
///   so that one "always" settles all equal calls behind it;
/// - the **[mode](crate::Mode)**, which can be switched while calls are in flight.
///
/// Nobody is asked about a call that is too large to be [shown in full](crate::Rendering); it is
/// blocked. A handler that fails, panics or is late has not approved anything. While it thinks, nothing of
/// the inner service is reserved. Dropping the call withdraws the question. A call that was
/// declined is not asked about again in the same [turn of the session](crate::Origin::turn).
///
/// Waiting needs tokio's clock: a runtime with time enabled.
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
#[derive(Clone)]
#[must_use = "a layer does nothing until it wraps a service"]
pub struct PromptLayer<H> {
    handler: H,
    settings: Settings,
}

#[derive(Clone, Debug)]
struct Settings {
    deadline: Option<Duration>,
    mode: ModeSwitch,
    turns: Turns,
    declines: Declines,
    editable: bool,
    any_size: bool,
}

impl<H> PromptLayer<H> {
    /// How long somebody may think, unless something else is said.
    const DEADLINE: Duration = Duration::from_secs(5 * 60);

    /// Asks `handler`.
    pub fn new(handler: H) -> Self {
        let settings = Settings {
            deadline: Some(Self::DEADLINE),
            mode: ModeSwitch::default(),
            turns: Turns::new(),
            declines: Declines::default(),
            editable: true,
            any_size: false,
        };
        Self { handler, settings }
    }

    /// Sets how long a call may wait for its turn and its answer together.
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.settings.deadline = Some(deadline);
        self
    }

    /// Waits for as long as it takes.
    pub fn without_deadline(mut self) -> Self {
        self.settings.deadline = None;
        self
    }

    /// Lets `switch` say whether anybody is asked.
    pub fn with_mode(mut self, switch: ModeSwitch) -> Self {
        self.settings.mode = switch;
        self
    }

    /// Shares the turns of other stacks, so that a session that uses several is still asked one
    /// thing at a time.
    pub fn with_turns(mut self, turns: Turns) -> Self {
        self.settings.turns = turns;
        self
    }

    /// Asks even about calls that are too large to be [shown in full](crate::Rendering).
    ///
    /// For handlers that are no people, or that show calls in a way of their own.
    pub fn dangerous_any_size(mut self) -> Self {
        self.settings.any_size = true;
        self
    }

    /// Takes no answer that comes with other arguments.
    pub fn without_editing(mut self) -> Self {
        self.settings.editable = false;
        self
    }
}

impl<H> fmt::Debug for PromptLayer<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptLayer")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl<S, H: Clone> Layer<S> for PromptLayer<H> {
    type Service = PromptService<S, H>;

    fn layer(&self, inner: S) -> Self::Service {
        PromptService {
            inner,
            prompt: Arc::new(self.clone()),
        }
    }
}

/// The service that [`PromptLayer`] makes.
pub struct PromptService<S, H> {
    inner: S,
    prompt: Arc<PromptLayer<H>>,
}

impl<S: Clone, H> Clone for PromptService<S, H> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            prompt: Arc::clone(&self.prompt),
        }
    }
}

impl<S: fmt::Debug, H> fmt::Debug for PromptService<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptService")
            .field("prompt", &self.prompt)
            .field("inner", &self.inner)
            .finish()
    }
}

impl<S, H> Service<ToolCall<Reviewing>> for PromptService<S, H>
where
    S: Service<ToolCall<Reviewing>>,
    S::Error: BlockedError,
    H: Service<ApprovalRequest, Response = ApprovalDecision> + Clone + Send + Sync + 'static,
    H::Error: Into<Box<dyn Error + Send + Sync>>,
    H::Future: Send,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = PromptFuture<S::Future, H>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ToolCall<Reviewing>) -> Self::Future {
        let round = call.round_mut();
        round.modes.push(self.prompt.settings.mode.clone());
        let token = round.token;
        PromptFuture::new(self.inner.call(call), Arc::clone(&self.prompt), token)
    }
}

#[cfg(test)]
mod tests;
