//! Puts stacks together, from the tool outward.

use std::sync::Arc;

use serde_json::Value;
use toolgate::{
    ApprovalRequest, AsyncPolicyLayer, Authorized, BlockedAsResultLayer, Decision, GateLayer,
    Policy, PolicyLayer, PromptLayer, ReviewLayer, Reviewing, ToolBlocked, ToolCall,
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
}

impl Stack {
    /// Starts with a tool that returns `ok`, or fails.
    pub(crate) fn new(gate: &GateLayer, fails: Option<Fault>) -> Self {
        let log = Arc::<Log>::default();
        let spy = {
            let log = Arc::clone(&log);
            service_fn(move |call: ToolCall<Authorized>| {
                log.run(Run {
                    args: call.args().clone(),
                    by: call.allowed_by(),
                    labels: call.labels().iter().cloned().collect(),
                });
                let result = fails.clone().map_or(Ok(Value::from("ok")), Err);
                async move { result.map_err(BoxError::from) }
            })
        };
        Self {
            inside: BoxCloneSyncService::new(gate.layer(spy)),
            log,
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
        }
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
        let log = Arc::clone(&self.log);
        let handler = service_fn(move |request: ApprovalRequest| {
            let log = Arc::clone(&log);
            async move { log.ask(request).await }
        });
        self.layer(&PromptLayer::new(handler))
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
        }
    }
}
