//! Asking whether an agent may go on.

mod ended;
mod future;
mod run;

use std::{
    error::Error,
    fmt,
    hash::{BuildHasher, RandomState},
    sync::Arc,
    task::{Context, Poll},
};

use tower_layer::Layer;
use tower_service::Service;

use self::run::Asking;
pub use self::{
    ended::RunEnded,
    future::ContinuationFuture,
    run::{Iteration, Run},
};
use crate::{
    ApprovalDecision, ApprovalRequest, Args, Decision, Grants, MemoryLayer, PromptLayer, Rule,
    ToolBlocked, ToolCall, Vote, ask_once::ask_once, release::release,
};

/// The tool under whose name somebody is asked.
const TOOL: &str = "continue";
const LAYER: &str = "continuation";

/// Lets a run make so many iterations, and asks before it makes more.
///
/// Stands around a service that does one iteration of an agent's loop. Iterations whose number is
/// below the limit pass. Before the next one somebody is asked, by a question about the tool
/// `continue` with the arguments `iteration` (counted from one), `limit` and `extend_by`.
///
/// - A yes adds `extend_by` to the limit of this [`Run`] and of no other. Whoever answers may edit
///   it; what is not a positive whole number counts as the configured amount.
/// - Anything else ends the run, and stays so: a no, an answer that is late, a handler that fails
///   or panics, a call that is given up meanwhile. The error is a [`RunEnded`], and whichever
///   iteration of the run comes afterwards gets one too.
///
/// Once more means once: no answer is remembered.
///
/// Deadline, turns and mode are those of a [`PromptLayer`]: in strict mode the run ends without
/// anybody being asked, and approve-all extends the limit without asking.
///
/// # Example
///
/// ```
/// use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
/// use toolgate::{
///     ApprovalDecision, ApprovalRequest, BlockedKind, ContinuationLayer, Iteration, Origin, Run,
///     RunEnded,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let human = service_fn(|_: ApprovalRequest| async {
///     Ok::<_, std::io::Error>(ApprovalDecision::decline())
/// });
/// let mut agent = ServiceBuilder::new()
///     .layer(ContinuationLayer::new(2, human))
///     .service_fn(|iteration: Iteration| async move { Ok::<_, RunEnded>(iteration.number()) });
///
/// let run = Run::new(Origin::new().with_session("s-1"));
/// for number in 0..2 {
///     assert_eq!(agent.ready().await.unwrap().call(run.iteration(number)).await.unwrap(), number);
/// }
/// let ended = agent.ready().await.unwrap().call(run.iteration(2)).await.unwrap_err();
/// assert_eq!(ended.kind(), BlockedKind::Declined);
/// println!("{}", ended.message());
/// # }
/// ```
#[derive(Clone)]
#[must_use = "a layer does nothing until it wraps a service"]
pub struct ContinuationLayer<H> {
    limit: u64,
    extension: u64,
    prompt: PromptLayer<H>,
}

impl<H> ContinuationLayer<H> {
    /// Lets `limit` iterations pass, and asks `handler` before there are more.
    pub fn new(limit: u64, handler: H) -> Self {
        Self::from_prompt(limit, PromptLayer::new(handler))
    }

    /// Lets `limit` iterations pass, and asks as `prompt` does: its handler, with its deadline, its
    /// mode and its turns, which a stack of tools may share.
    pub fn from_prompt(limit: u64, prompt: PromptLayer<H>) -> Self {
        Self {
            limit,
            extension: limit.max(1),
            prompt,
        }
    }

    /// Sets by how much a yes extends the limit, at least by one. Without this, by the limit
    /// itself.
    pub fn with_extension(mut self, extension: u64) -> Self {
        self.extension = extension.max(1);
        self
    }
}

impl<H> fmt::Debug for ContinuationLayer<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContinuationLayer")
            .field("limit", &self.limit)
            .field("extension", &self.extension)
            .field("prompt", &self.prompt)
            .finish()
    }
}

impl<S, H: Clone> Layer<S> for ContinuationLayer<H> {
    type Service = ContinuationService<S, H>;

    fn layer(&self, inner: S) -> Self::Service {
        ContinuationService {
            inner,
            shared: Arc::new(Shared {
                number: RandomState::new().hash_one(()),
                layer: self.clone(),
            }),
        }
    }
}

/// The service that [`ContinuationLayer`] makes.
pub struct ContinuationService<S, H> {
    inner: S,
    shared: Arc<Shared<H>>,
}

struct Shared<H> {
    /// Under which a run keeps by how much this layer was extended.
    number: u64,
    layer: ContinuationLayer<H>,
}

impl<H> Shared<H> {
    fn limit(&self, run: &Run) -> u64 {
        self.layer.limit.saturating_add(run.extended(self.number))
    }
}

impl<S: Clone, H> Clone for ContinuationService<S, H> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<S: fmt::Debug, H> fmt::Debug for ContinuationService<S, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ContinuationService")
            .field("layer", &self.shared.layer)
            .field("inner", &self.inner)
            .finish()
    }
}

impl<S, H> Service<Iteration> for ContinuationService<S, H>
where
    S: Service<Iteration> + Clone,
    S::Error: From<RunEnded>,
    H: Service<ApprovalRequest, Response = ApprovalDecision> + Clone + Send + Sync + 'static,
    H::Error: Into<Box<dyn Error + Send + Sync>>,
    H::Future: Send,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = ContinuationFuture<S>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, iteration: Iteration) -> Self::Future {
        let run = iteration.run();
        if run.ended().is_none() && iteration.number() < self.shared.limit(run) {
            return ContinuationFuture::within(self.inner.call(iteration));
        }
        // Somebody may think for long: what `poll_ready` reserved is given back meanwhile.
        release(&mut self.inner);
        let asking = Arc::clone(&self.shared).ask(iteration);
        ContinuationFuture::asking(self.inner.clone(), asking)
    }
}

impl<H> Shared<H>
where
    H: Service<ApprovalRequest, Response = ApprovalDecision> + Clone + Send + Sync + 'static,
    H::Error: Into<Box<dyn Error + Send + Sync>>,
    H::Future: Send,
{
    /// Asks whether the run may go on. Gives the iteration back if it may.
    async fn ask(self: Arc<Self>, iteration: Iteration) -> Result<Iteration, RunEnded> {
        let (run, number) = (iteration.run().clone(), iteration.number());
        let limit = self.limit(&run);
        if let Some(kind) = run.ended() {
            return Err(RunEnded::before(kind, number, limit));
        }
        let asking = Asking::begin(&run);
        match self.put(&iteration, limit).await {
            Ok(extension) => {
                run.extend(self.number, extension);
                asking.go_on();
                Ok(iteration)
            }
            Err(blocked) => {
                let kind = asking.end(blocked.kind());
                Err(RunEnded::new(kind, blocked, number, limit))
            }
        }
    }

    /// Puts the question. Says by how much the limit is extended.
    async fn put(self: &Arc<Self>, iteration: &Iteration, limit: u64) -> Result<u64, ToolBlocked> {
        let args = Args::new()
            .with("iteration", iteration.number().saturating_add(1))
            .with("limit", limit)
            .with("extend_by", self.layer.extension);
        let origin = iteration.run().origin().clone();
        let call = ToolCall::new(TOOL, args).with_origin(origin);
        let (prompt, memory) = (self.layer.prompt.clone(), MemoryLayer::new(Grants::new()));
        let decide = Arc::clone(self).policy(iteration.clone(), limit);
        let answered = ask_once(prompt, memory, LAYER, decide, call).await?;
        // Another iteration of the run was asked about meanwhile, and that yes covers this one.
        if answered.allowed_by() == crate::AllowedBy::Rules {
            return Ok(0);
        }
        let wanted = answered
            .args()
            .get("extend_by")
            .and_then(serde_json::Value::as_u64);
        Ok(wanted.filter(|by| *by > 0).unwrap_or(self.layer.extension))
    }

    fn policy(
        self: Arc<Self>,
        iteration: Iteration,
        limit: u64,
    ) -> impl Fn() -> Decision + Send + Sync + 'static {
        let agent = iteration.run().origin().agent().to_string();
        let ask = Vote::ask(format!("the run has made {limit} iterations, its limit"))
            .by(Rule::new("limit"))
            .with_subject(agent)
            .with_description(format!(
                "go on with iteration {}",
                iteration.number().saturating_add(1)
            ));
        move || match (iteration.run().ended(), self.limit(iteration.run())) {
            (Some(_), _) => Decision::deny("the run was ended"),
            (_, now) if iteration.number() < now => Decision::allow(),
            _ => ask.clone().into(),
        }
    }
}
