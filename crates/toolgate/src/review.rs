//! The entry of a stack.

mod describing;
mod future;
pub(crate) mod trace;

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use tower_layer::Layer;
use tower_service::Service;

use self::{describing::Describers, trace::CallSpan};
pub use self::{describing::NoAsyncDescriber, future::ReviewFuture};
use crate::{
    BlockedError, Describe, Description, Reviewing, ToolCall, ToolRules, release::release,
    round::Token,
};

/// The entry of a stack: describes each call and sends it in, in rounds, until it is settled.
///
/// At the start of every round the call is described anew, so that every policy, wherever it
/// stands, sees what the call can do with the arguments it then has. A call comes back for
/// another round if a policy put other arguments in place, or if somebody was asked and
/// answered. After a few rounds a call that will not settle is blocked.
///
/// # Example
///
/// ```
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
/// use toolgate::{
///     Args, Authorized, GateLayer, ReviewLayer, ToolBlocked, ToolCall, ToolConfig, ToolRules,
///     ToolRulesLayer,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let rules = ToolRules::new([("echo", ToolConfig::pre_approved())])?;
/// let tools = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(ToolRulesLayer::new(rules))
///     .layer(GateLayer::new())
///     .service_fn(|call: ToolCall<Authorized>| async move {
///         Ok::<_, ToolBlocked>(call.tool().to_string())
///     });
///
/// let ran = tools.clone().oneshot(ToolCall::new("echo", Args::new())).await?;
/// assert_eq!(ran, "echo");
///
/// // Nobody spoke for this one, and there is nobody to ask.
/// let blocked = tools.oneshot(ToolCall::new("format_disk", Args::new())).await.unwrap_err();
/// assert_eq!(blocked.kind(), toolgate::BlockedKind::NoHandler);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "a layer does nothing until it wraps a service"]
pub struct ReviewLayer<A = NoAsyncDescriber> {
    describers: Describers<A>,
    max_rounds: u32,
}

impl ReviewLayer {
    /// How often a call is sent in before it counts as one that will not settle.
    const MAX_ROUNDS: u32 = 8;

    /// Makes the entry of a stack, without describers.
    pub fn new() -> Self {
        Self {
            describers: Describers::default(),
            max_rounds: Self::MAX_ROUNDS,
        }
    }
}

impl Default for ReviewLayer {
    fn default() -> Self {
        Self::new()
    }
}

impl<A> ReviewLayer<A> {
    /// Adds a source of labels. What all sources say adds up.
    pub fn describe(mut self, describer: impl Describe) -> Self {
        self.describers.add(Arc::new(describer));
        self
    }

    /// Adds a source of labels that has to wait for something: a service that takes a copy of
    /// the call and returns a [`Description`]. There is one at most; a second replaces it.
    ///
    /// If it fails, the call is blocked.
    pub fn describe_async<B>(self, describer: B) -> ReviewLayer<B>
    where
        B: Service<ToolCall<Reviewing>, Response = Description> + Clone,
    {
        let Self {
            describers,
            max_rounds,
        } = self;
        ReviewLayer {
            describers: describers.with_async(describer),
            max_rounds,
        }
    }

    /// Attaches the capabilities that `rules` give to tools, shows describers their entries, and
    /// takes from them what identifies an operation when an answer is remembered.
    pub fn with_tool_rules(mut self, rules: ToolRules) -> Self {
        self.describers.set_tool_rules(rules);
        self
    }

    /// Sets how often a call is sent in before it counts as one that will not settle. At least
    /// once.
    pub fn with_max_rounds(mut self, rounds: u32) -> Self {
        self.max_rounds = rounds.max(1);
        self
    }
}

impl<S: Clone, A: Clone> Layer<S> for ReviewLayer<A> {
    type Service = ReviewService<S, A>;

    fn layer(&self, inner: S) -> Self::Service {
        let shared = Shared {
            spare: inner.clone(),
            describers: self.describers.clone(),
            max_rounds: self.max_rounds,
            number: RandomState::new().hash_one(()),
            calls: AtomicU64::new(0),
        };
        ReviewService {
            inner,
            shared: Arc::new(shared),
        }
    }
}

/// The service that [`ReviewLayer`] makes.
pub struct ReviewService<S, A = NoAsyncDescriber> {
    inner: S,
    shared: Arc<Shared<S, A>>,
}

/// What the clones of a review share. Behind one pointer, so that a call takes it along cheaply.
struct Shared<S, A> {
    /// Never made ready, so that nothing is reserved while a call waits: later rounds take a
    /// clone of it.
    spare: S,
    describers: Describers<A>,
    max_rounds: u32,
    number: u64,
    calls: AtomicU64,
}

impl<S, A> Shared<S, A> {
    fn token(&self) -> Token {
        Token(self.number, self.calls.fetch_add(1, Ordering::Relaxed))
    }
}

impl<S: Clone, A> Clone for ReviewService<S, A> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<S: fmt::Debug, A> fmt::Debug for ReviewService<S, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReviewService")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<S, A> Service<ToolCall> for ReviewService<S, A>
where
    S: Service<ToolCall<Reviewing>> + Clone,
    S::Error: BlockedError,
    A: Service<ToolCall<Reviewing>, Response = Description> + Clone,
    A::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ReviewFuture<S, A>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall) -> Self::Future {
        let token = self.shared.token();
        let mut call = call.review(token, self.shared.max_rounds);
        let span = CallSpan::new(&mut call);
        let shared = Arc::clone(&self.shared);
        if shared.describers.is_async() {
            // Describing may take long: what `poll_ready` reserved is given back meanwhile.
            release(&mut self.inner);
            return ReviewFuture::describing(shared, token, span, call);
        }
        let described = span.in_scope(|| shared.describers.describe(&mut call));
        match described {
            Ok(()) => {
                let first = span.in_scope(|| self.inner.call(call));
                ReviewFuture::first(shared, token, span, first)
            }
            Err(blocked) => {
                release(&mut self.inner);
                ReviewFuture::refused(shared, token, span, blocked)
            }
        }
    }
}

#[cfg(test)]
mod tests;
