//! Puts stacks together, from the tool outward.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use serde_json::Value;
use tokio::time::sleep;
use toolgate::{
    ApprovalDecision, ApprovalRequest, AsyncPolicyLayer, Authorized, BlockedAsResultLayer, Broker,
    Decision, GateLayer, Grants, MemoryLayer, Mode, ModeSwitch, Policy, PolicyLayer, PromptLayer,
    ReviewLayer, Reviewing, ToolBlocked, ToolCall,
};
use tower::{BoxError, ServiceBuilder, service_fn, util::BoxCloneSyncService};
use tower_layer::Layer;
use tower_service::Service;

use super::{Bench, Log, Run};
use crate::fault::Fault;

/// A stack with its entry.
pub(crate) type Complete = BoxCloneSyncService<ToolCall, Value, BoxError>;

/// A stack without its entry.
type Inside = BoxCloneSyncService<ToolCall<Reviewing>, Value, BoxError>;

/// A stack that is being put together. What is added stands further out.
#[derive(Debug)]
pub(crate) struct Stack {
    inside: Inside,
    log: Arc<Log>,
    grants: Grants,
}

/// What a tool does: how long it takes, and what it returns.
type Tool = dyn Fn(&ToolCall<Authorized>) -> (Duration, Result<Value, Fault>) + Send + Sync;

impl Stack {
    /// Starts with a tool that returns `ok`, or fails.
    pub(crate) fn new(gate: &GateLayer, fails: Option<Fault>) -> Self {
        let result = fails.map_or(Ok(Value::from("ok")), Err);
        Self::with_tool(gate, Box::new(move |_| (Duration::ZERO, result.clone())))
    }

    /// Starts with a tool of one's own.
    pub(crate) fn with_tool(gate: &GateLayer, tool: Box<Tool>) -> Self {
        let (log, tool) = (Arc::<Log>::default(), Arc::<Tool>::from(tool));
        let spy = {
            let log = Arc::clone(&log);
            service_fn(move |call: ToolCall<Authorized>| {
                log.run(Run {
                    tool: call.tool().name().to_owned(),
                    call_id: call.id().map(|id| id.as_str().to_owned()),
                    args: call.args().clone(),
                    by: call.allowed_by(),
                    labels: call.labels().iter().cloned().collect(),
                });
                let (takes, result) = tool(&call);
                async move {
                    sleep(takes).await;
                    result.map_err(BoxError::from)
                }
            })
        };
        Self {
            inside: BoxCloneSyncService::new(gate.layer(spy)),
            log,
            grants: Grants::new(),
        }
    }

    /// Makes the whole of this stack the tool of another one.
    pub(crate) fn inside_another(self, gate: &GateLayer) -> Self {
        let log = Arc::clone(&self.log);
        let inner = ReviewLayer::new().layer(self.inside);
        let tool = service_fn(move |call: ToolCall<Authorized>| {
            let mut inner = inner.clone();
            let call = ToolCall::new(call.tool().clone(), call.args().clone());
            async move {
                std::future::poll_fn(|cx| inner.poll_ready(cx)).await?;
                inner.call(call).await
            }
        });
        Self {
            inside: BoxCloneSyncService::new(gate.layer(tool)),
            log,
            grants: self.grants,
        }
    }

    /// Adds a layer.
    pub(crate) fn layer<L>(self, layer: &L) -> Self
    where
        L: Layer<Inside>,
        L::Service: Service<ToolCall<Reviewing>, Response = Value, Error = BoxError>
            + Clone
            + Send
            + Sync
            + 'static,
        <L::Service as Service<ToolCall<Reviewing>>>::Future: Send + 'static,
    {
        Self {
            inside: BoxCloneSyncService::new(layer.layer(self.inside)),
            log: self.log,
            grants: self.grants,
        }
    }

    /// Adds a memory. It stands inside all policies.
    pub(crate) fn remembering(mut self, grants: &Grants) -> Self {
        self.grants = grants.clone();
        self.layer(&MemoryLayer::new(grants.clone()))
    }

    /// Adds a policy.
    pub(crate) fn policy(self, policy: impl Policy) -> Self {
        self.layer(&PolicyLayer::new(policy))
    }

    /// Adds a policy that takes time or fails.
    pub(crate) fn waiting_policy<F>(
        self,
        decide: impl Fn(ToolCall<Reviewing>) -> F + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Decision, Fault>> + Send + 'static,
    {
        self.layer(&AsyncPolicyLayer::new(service_fn(decide)))
    }

    /// Adds somebody to ask, who follows the script of each call.
    pub(crate) fn asking(self) -> Self {
        self.asking_within(None)
    }

    /// Adds somebody to ask, who has so much time.
    pub(crate) fn asking_within(self, deadline: Option<Duration>) -> Self {
        let prompt = PromptLayer::new(Follows(Arc::clone(&self.log)));
        match deadline {
            Some(deadline) => self.layer(&prompt.with_deadline(deadline)),
            None => self.layer(&prompt),
        }
    }

    /// Adds a mode, with somebody who is asked if it says so.
    pub(crate) fn asking_in(self, mode: Mode) -> Self {
        let prompt = PromptLayer::new(Follows(Arc::clone(&self.log)));
        self.layer(&prompt.with_mode(ModeSwitch::new(mode)))
    }

    /// Adds somebody who is asked by events.
    pub(crate) fn asking_through(self, broker: &Broker) -> Self {
        self.layer(&PromptLayer::new(broker.prompt("tools")))
    }

    /// Adds somebody to ask, if there is to be one.
    pub(crate) fn asking_if(self, somebody: bool) -> Self {
        if somebody { self.asking() } else { self }
    }

    /// Completes the stack. A refusal is an error.
    pub(crate) fn build(self, review: &ReviewLayer) -> Bench {
        Bench {
            stack: BoxCloneSyncService::new(review.layer(self.inside)),
            log: self.log,
            grants: self.grants,
        }
    }

    /// Completes the stack. A refusal is a result for the model.
    pub(crate) fn build_telling(
        self,
        review: &ReviewLayer,
        tell: impl Fn(&ToolBlocked) -> Value + Send + Sync + 'static,
    ) -> Bench {
        let log = Arc::clone(&self.log);
        let result = move |blocked: ToolBlocked| {
            let result = tell(&blocked);
            log.refuse(blocked);
            result
        };
        let stack = ServiceBuilder::new()
            .layer(BlockedAsResultLayer::new(result))
            .layer(review.clone())
            .service(self.inside);
        Bench {
            stack: BoxCloneSyncService::new(stack),
            log: self.log,
            grants: self.grants,
        }
    }
}

/// Somebody who follows the script of each call.
#[derive(Clone)]
struct Follows(Arc<Log>);

impl Service<ApprovalRequest> for Follows {
    type Response = ApprovalDecision;
    type Error = Fault;
    type Future = Pin<Box<dyn Future<Output = Result<ApprovalDecision, Fault>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Fault>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ApprovalRequest) -> Self::Future {
        let log = Arc::clone(&self.0);
        Box::pin(async move { log.ask(request).await })
    }
}
