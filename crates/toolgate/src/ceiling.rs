//! A child can do no more than its parent.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;
use tower::util::Oneshot;
use tower_service::Service;

use crate::{
    ApprovalRequest, Args, Asked, AsyncPolicyLayer, BlockedError, BlockedKind, Decision, Reviewing,
    Rule, ToolBlocked, ToolCall, Vote, memory::rule_name, round::Reach,
};

/// Makes a layer for the stack of a child agent: a policy that votes what the parent's stack would
/// decide, live.
///
/// What the parent denies, the child cannot do. What the parent would ask about, its default
/// included, is asked about here. What the parent allows is no vote: the child's own policies have
/// to allow it as well. If the parent puts other arguments in place, they are put in place here
/// too. The parent's stack is only asked for its judgement: it asks nobody, and
/// its tool does not run. It sees the child's origin, so that a grant of the parent counts only if
/// it may be passed on.
///
/// To judge, the parent's stack has to be ready. If a limit inside of it has no permit left because
/// the parent's tool waits for this very child, neither ever goes on: give a stack of the same
/// layers that ends in [`Authorize`](crate::Authorize), as below, and not in the limited tool.
///
/// # Example
///
/// ```
/// use toolgate::{
///     Args, Authorize, BlockedKind, Decision, GateLayer, PolicyLayer, Reviewing, ReviewLayer,
///     ToolCall, ceiling,
/// };
/// use tower::{ServiceBuilder, ServiceExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let no_mail = |call: &ToolCall<Reviewing>| match call.tool().name() {
///     "send_email" => Decision::deny("not from here"),
///     _ => Decision::allow(),
/// };
/// let parent = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(PolicyLayer::new(no_mail))
///     .layer(GateLayer::new())
///     .service(Authorize::new());
///
/// let child = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(ceiling(parent))
///     .layer(PolicyLayer::new(|_: &ToolCall<Reviewing>| Decision::allow()))
///     .layer(GateLayer::new())
///     .service(Authorize::new());
///
/// assert!(child.clone().oneshot(ToolCall::new("read", Args::new())).await.is_ok());
/// let blocked = child.oneshot(ToolCall::new("send_email", Args::new())).await.unwrap_err();
/// assert_eq!(blocked.kind(), BlockedKind::Denied);
/// # }
/// ```
pub fn ceiling<S>(parent: S) -> AsyncPolicyLayer<Ceiling<S>>
where
    S: Service<ToolCall> + Clone,
    S::Error: BlockedError,
{
    AsyncPolicyLayer::new(Ceiling { parent }).named(CEILING)
}

/// The name of the layer in trails.
const CEILING: &str = "ceiling";

/// The policy that [`ceiling`] applies.
#[derive(Clone)]
pub struct Ceiling<S> {
    parent: S,
}

impl<S> fmt::Debug for Ceiling<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ceiling").finish_non_exhaustive()
    }
}

impl<S> Service<ToolCall<Reviewing>> for Ceiling<S>
where
    S: Service<ToolCall> + Clone,
    S::Error: BlockedError,
{
    type Response = Decision;
    type Error = ParentFailed;
    type Future = CeilingFuture<S>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ParentFailed>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall<Reviewing>) -> Self::Future {
        let proposal = call.to_proposal().reaching(Reach::Judge);
        CeilingFuture {
            future: Oneshot::new(self.parent.clone(), proposal),
            args: call.args().clone(),
        }
    }
}

pin_project! {
    /// The future of a [`Ceiling`].
    #[must_use = "futures do nothing unless polled"]
    pub struct CeilingFuture<S>
    where
        S: Service<ToolCall>,
    {
        #[pin]
        future: Oneshot<S, ToolCall>,
        args: Args,
    }
}

impl<S> Future for CeilingFuture<S>
where
    S: Service<ToolCall>,
    S::Error: BlockedError,
{
    type Output = Result<Decision, ParentFailed>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let judged = ready!(this.future.poll(cx));
        // A judgement always comes as a refusal to run. Anything else is not a stack of ours.
        let error = judged.err().ok_or(ParentFailed {});
        let blocked = error.and_then(|error| error.into_blocked().map_err(|_| ParentFailed {}));
        Poll::Ready(blocked.map(|blocked| vote(&blocked, this.args)))
    }
}

/// What the parent's judgement is worth in the child's stack.
fn vote(blocked: &ToolBlocked, proposed: &Args) -> Decision {
    // What the parent would only run in another form is put in that form here as well.
    let with = |decision: Decision, args: &Args| match args == proposed {
        true => decision,
        false => decision.with_args(args.clone()),
    };
    if let Some(args) = blocked.settled_args() {
        return with(Decision::abstain(), args);
    }
    if let (BlockedKind::NoHandler, Some(request)) = (blocked.kind(), blocked.request()) {
        return with(asks(request), &request.args);
    }
    let reason = blocked
        .reason()
        .unwrap_or("not permitted to the parent agent");
    let rule = blocked.deciding_rule().cloned();
    Decision::deny(reason).by(rule.unwrap_or_else(|| Rule::new("parent")))
}

/// Every rule by which the parent would ask.
fn asks(request: &ApprovalRequest) -> Decision {
    let vote = |ask: &Asked| {
        let name = rule_name(ask.rule.as_ref(), ask.reason.as_deref());
        let reason = ask
            .reason
            .as_deref()
            .unwrap_or("the parent agent would ask");
        let vote = Vote::ask(reason).by(Rule::new(format!("{}: {name}", ask.layer)));
        let vote = vote
            .with_payload(ask.payload.clone())
            .with_description(request.description.shared())
            .of_parent();
        match &ask.subject {
            Some(subject) => vote.with_subject(Arc::clone(subject)),
            None => vote,
        }
    };
    request
        .asks
        .iter()
        .map(vote)
        .fold(Decision::abstain(), Decision::and)
}

/// The parent's stack could not say what it would decide.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ParentFailed {}

impl fmt::Display for ParentFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the stack of the parent agent could not judge the call")
    }
}

impl std::error::Error for ParentFailed {}

impl<S> fmt::Debug for CeilingFuture<S>
where
    S: Service<ToolCall>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CeilingFuture").finish_non_exhaustive()
    }
}
