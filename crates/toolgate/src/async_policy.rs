//! A policy that has to wait for something.

use std::{
    error::Error,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use tower::util::Oneshot;
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    BlockedKind, Decision, Reviewing, ToolBlocked, ToolCall, release::release, round::Denied,
};

/// Applies a policy that has to wait for something: a service that takes a copy of the call and
/// returns a [`Decision`].
///
/// Tower's layers shape it: give it a timeout, a limit, a cache. If it fails, the call is
/// blocked. While it thinks, nothing of the inner service is reserved.
///
/// # Example
///
/// ```
/// use toolgate::{AsyncPolicyLayer, Decision, Reviewing, ToolCall};
///
/// let office_hours = tower::service_fn(|call: ToolCall<Reviewing>| async move {
///     // … ask the calendar …
///     let open = call.origin().principal() == Some("ann");
///     Ok::<_, std::io::Error>(if open { Decision::abstain() } else { Decision::deny("closed") })
/// });
/// let layer = AsyncPolicyLayer::new(office_hours).named("office hours");
/// # let _ = layer;
/// ```
#[derive(Clone)]
#[must_use = "a layer does nothing until it wraps a service"]
pub struct AsyncPolicyLayer<P> {
    policy: P,
    name: &'static str,
}

impl<P> AsyncPolicyLayer<P>
where
    P: Service<ToolCall<Reviewing>, Response = Decision> + Clone,
{
    /// Makes a layer of a service that decides.
    pub fn new(policy: P) -> Self {
        Self {
            policy,
            name: "async policy",
        }
    }

    /// Sets the name under which the votes appear in the trail.
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }
}

impl<P> fmt::Debug for AsyncPolicyLayer<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncPolicyLayer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<S, P: Clone> Layer<S> for AsyncPolicyLayer<P> {
    type Service = AsyncPolicyService<S, P>;

    fn layer(&self, inner: S) -> Self::Service {
        AsyncPolicyService {
            inner,
            policy: self.clone(),
        }
    }
}

/// The service that [`AsyncPolicyLayer`] makes.
#[derive(Clone)]
pub struct AsyncPolicyService<S, P> {
    inner: S,
    policy: AsyncPolicyLayer<P>,
}

impl<S: fmt::Debug, P> fmt::Debug for AsyncPolicyService<S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncPolicyService")
            .field("policy", &self.policy.name)
            .field("inner", &self.inner)
            .finish()
    }
}

impl<S, P> Service<ToolCall<Reviewing>> for AsyncPolicyService<S, P>
where
    S: Service<ToolCall<Reviewing>> + Clone,
    S::Error: From<ToolBlocked>,
    P: Service<ToolCall<Reviewing>, Response = Decision> + Clone,
    P::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = AsyncPolicyFuture<S, P>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<Reviewing>) -> Self::Future {
        // Others can run while the policy thinks.
        release(&mut self.inner);
        let inner = self.inner.clone();
        let decision = Oneshot::new(self.policy.policy.clone(), call.copy_to_look_at());
        let waiting = Some(Waiting {
            call,
            inner,
            layer: self.policy.name,
        });
        AsyncPolicyFuture {
            state: State::Deciding { decision, waiting },
        }
    }
}

pin_project! {
    /// The future of an [`AsyncPolicyService`].
    #[must_use = "futures do nothing unless polled"]
    pub struct AsyncPolicyFuture<S, P>
    where
        S: Service<ToolCall<Reviewing>>,
        P: Service<ToolCall<Reviewing>>,
    {
        #[pin]
        state: State<S, P>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S, P>
    where
        S: Service<ToolCall<Reviewing>>,
        P: Service<ToolCall<Reviewing>>,
    {
        Deciding { #[pin] decision: Oneshot<P, ToolCall<Reviewing>>, waiting: Option<Waiting<S>> },
        Inside { #[pin] future: Oneshot<S, ToolCall<Reviewing>> },
    }
}

struct Waiting<S> {
    call: ToolCall<Reviewing>,
    inner: S,
    layer: &'static str,
}

impl<S> Waiting<S> {
    /// Takes down what the policy decided, or refuses.
    fn take_down(
        mut self,
        decided: Result<Decision, Box<dyn Error + Send + Sync>>,
    ) -> Result<(S, ToolCall<Reviewing>), ToolBlocked> {
        self.call.round_mut().denies_by_args = true;
        let decision = decided.map_err(|error| {
            let reason = Some(format!("the policy `{}` failed", self.layer).into());
            ToolBlocked::new(&self.call, BlockedKind::PolicyFailed, reason).with_source(error)
        })?;
        match self.call.take_down(self.layer, decision) {
            Ok(()) => Ok((self.inner, self.call)),
            Err(Denied) => Err(ToolBlocked::by_vote(self.call)),
        }
    }
}

impl<S, P> Future for AsyncPolicyFuture<S, P>
where
    S: Service<ToolCall<Reviewing>>,
    S::Error: From<ToolBlocked>,
    P: Service<ToolCall<Reviewing>, Response = Decision>,
    P::Error: Into<Box<dyn Error + Send + Sync>>,
{
    type Output = Result<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.project().state;
        loop {
            match state.as_mut().project() {
                StateProj::Inside { future } => return future.poll(cx),
                StateProj::Deciding { decision, waiting } => {
                    let decided = ready!(decision.poll(cx)).map_err(Into::into);
                    let Some(waiting) = waiting.take() else {
                        return Poll::Pending;
                    };
                    match waiting.take_down(decided) {
                        Ok((inner, call)) => {
                            state.set(State::Inside {
                                future: Oneshot::new(inner, call),
                            });
                        }
                        Err(blocked) => return Poll::Ready(Err(blocked.into())),
                    }
                }
            }
        }
    }
}

impl<S, P> fmt::Debug for AsyncPolicyFuture<S, P>
where
    S: Service<ToolCall<Reviewing>>,
    P: Service<ToolCall<Reviewing>>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AsyncPolicyFuture").finish_non_exhaustive()
    }
}
