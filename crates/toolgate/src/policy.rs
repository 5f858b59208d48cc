//! A policy: one function that decides, and the layer that applies it.

use std::{
    fmt,
    sync::Arc,
    task::{Context, Poll},
};

use tower_layer::Layer;
use tower_service::Service;

use crate::{
    Decision, ToolBlocked, ToolCall, call::Reviewing, future::Guarded, release::release,
    round::Denied,
};

/// Decides on calls, synchronously and fast.
///
/// A policy sees the call as it would run, with the labels of all sources. It returns its vote,
/// or none, and apart from that other arguments to put in place, or none. Every policy of a
/// stack is heard: an allow never skips anybody, and a deny cannot be outvoted.
///
/// A policy must say the same whenever it is asked about the same call: a call is judged again
/// whenever its arguments changed or somebody was asked.
///
/// A closure is a policy:
///
/// ```
/// use toolgate::{Decision, PolicyLayer, ToolCall, Reviewing};
///
/// let no_weekend_deploys = |call: &ToolCall<Reviewing>| {
///     if call.tool().name() == "deploy" {
///         Decision::ask("deploys are asked about")
///     } else {
///         Decision::abstain()
///     }
/// };
/// let layer = PolicyLayer::new(no_weekend_deploys).named("deploys");
/// # let _ = layer;
/// ```
///
/// A policy that has to wait for something is a service; see
/// [`AsyncPolicyLayer`](crate::AsyncPolicyLayer).
pub trait Policy: Send + Sync + 'static {
    /// Says what the policy thinks of `call`.
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision;

    /// The name under which the votes appear in the trail.
    fn name(&self) -> &'static str {
        "policy"
    }

    /// Whether a call may be denied because of its arguments. Then an answer is offered to be
    /// remembered for exactly the arguments it was given for, and for nothing broader. Whoever does
    /// not know says yes.
    fn denies_by_args(&self) -> bool {
        true
    }
}

impl<F> Policy for F
where
    F: Fn(&ToolCall<Reviewing>) -> Decision + Send + Sync + 'static,
{
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        self(call)
    }
}

impl<P: Policy + ?Sized> Policy for Arc<P> {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        (**self).decide(call)
    }

    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn denies_by_args(&self) -> bool {
        (**self).denies_by_args()
    }
}

/// Applies a [`Policy`] to every call.
///
/// Forwards what the policy does not deny, with its vote taken down.
#[must_use = "a layer does nothing until it wraps a service"]
pub struct PolicyLayer<P> {
    policy: Arc<P>,
    name: &'static str,
    denies_by_args: bool,
}

impl<P: Policy> PolicyLayer<P> {
    /// Makes a layer of a policy.
    pub fn new(policy: P) -> Self {
        Self {
            name: policy.name(),
            denies_by_args: policy.denies_by_args(),
            policy: Arc::new(policy),
        }
    }

    /// Sets the name under which the votes appear in the trail.
    pub fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }
}

impl<P> Clone for PolicyLayer<P> {
    fn clone(&self) -> Self {
        Self {
            policy: Arc::clone(&self.policy),
            name: self.name,
            denies_by_args: self.denies_by_args,
        }
    }
}

impl<P> fmt::Debug for PolicyLayer<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyLayer")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<S, P> Layer<S> for PolicyLayer<P> {
    type Service = PolicyService<S, P>;

    fn layer(&self, inner: S) -> Self::Service {
        PolicyService {
            inner,
            policy: self.clone(),
        }
    }
}

/// The service that [`PolicyLayer`] makes.
pub struct PolicyService<S, P> {
    inner: S,
    policy: PolicyLayer<P>,
}

impl<S: Clone, P> Clone for PolicyService<S, P> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            policy: self.policy.clone(),
        }
    }
}

impl<S: fmt::Debug, P> fmt::Debug for PolicyService<S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyService")
            .field("policy", &self.policy.name)
            .field("inner", &self.inner)
            .finish()
    }
}

impl<S, P> Service<ToolCall<Reviewing>> for PolicyService<S, P>
where
    S: Service<ToolCall<Reviewing>> + Clone,
    S::Error: From<ToolBlocked>,
    P: Policy,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Guarded<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ToolCall<Reviewing>) -> Self::Future {
        let decision = self.policy.policy.decide(&call);
        call.round_mut().denies_by_args |= self.policy.denies_by_args;
        if let Err(Denied) = call.take_down(self.policy.name, decision) {
            release(&mut self.inner);
            return Guarded::refuse(ToolBlocked::by_vote(call));
        }
        Guarded::forward(self.inner.call(call))
    }
}
