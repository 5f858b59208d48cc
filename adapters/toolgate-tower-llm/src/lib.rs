//! Authorises tool calls of [tower-llm] agents.
//!
//! [`ToolGate`] stands before each tool that an agent is given. The tool runs only if a stack that
//! ends in [`Authorize`](toolgate::Authorize) lets it, with the authorised arguments.
//!
//! A call that is blocked has a result with an `error` in it: an `Err` would end the whole step of
//! the agent, and the model would never read why. Arguments that tower-llm could not parse reach
//! tools as null; they are refused, and so is everything else that is no object.
//!
//! # Example
//!
//! ```
//! # fn f(tools: Vec<tower_llm::ToolDef>) -> Result<(), Box<dyn std::error::Error>> {
//! use toolgate::{Authorize, GateLayer, Origin, ReviewLayer, ToolConfig, ToolRules, ToolRulesLayer};
//! use toolgate_tower_llm::ToolGate;
//! use tower::ServiceBuilder;
//!
//! let rules = ToolRules::new([("read_*", ToolConfig::pre_approved())])?;
//! let stack = ServiceBuilder::new()
//!     .layer(ReviewLayer::new())
//!     .layer(ToolRulesLayer::new(rules))
//!     .layer(GateLayer::deny_by_default())
//!     .service(Authorize::new());
//!
//! let origin = Origin::new().with_session("s-1").with_agent("root");
//! let gate = ToolGate::new(stack).with_origin(origin);
//! let tools = tools.into_iter().map(|tool| gate.guard(tool)).collect::<Result<Vec<_>, _>>()?;
//! # let _ = tools;
//! # Ok(())
//! # }
//! ```
//!
//! [tower-llm]: https://docs.rs/tower-llm

use std::fmt;

use serde_json::json;
use toolgate::{Args, Authorized, Authorizer, Definition, Origin, Refusal, ToolCall, authorize};
use tower::{ServiceExt, service_fn, util::BoxCloneService};
use tower_llm::{ToolDef, ToolInvocation, ToolOutput, ToolSvc};

/// Stands before tools. See the [crate docs](crate) for an example.
#[derive(Clone)]
#[must_use = "only tools that it guards are authorised"]
pub struct ToolGate<A> {
    stack: A,
    origin: Origin,
}

impl<A: Authorizer> ToolGate<A> {
    /// Authorises with `stack`.
    pub fn new(stack: A) -> Self {
        Self {
            stack,
            origin: Origin::new(),
        }
    }

    /// Says where the calls come from. Tools of another agent are guarded by a gate with another
    /// origin, such as a [child](Origin::child) of this one.
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.origin = origin;
        self
    }

    /// The same tool, behind the gate. Its name, description and schema are its definition.
    ///
    /// # Errors
    ///
    /// If the definition cannot be digested.
    pub fn guard(&self, tool: ToolDef) -> Result<ToolDef, Refusal> {
        let listed = json!({
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters_schema,
        });
        let definition = Definition::of(tool.name.into(), &listed)?;
        let (gate, inner) = (self.clone(), tool.service);
        let service = service_fn(move |invocation: ToolInvocation| {
            let (gate, definition, inner) = (gate.clone(), definition.clone(), inner.clone());
            async move { gate.run(&definition, inner, invocation).await }
        });
        Ok(ToolDef {
            service: BoxCloneService::new(service),
            ..tool
        })
    }

    async fn run(
        self,
        definition: &Definition,
        inner: ToolSvc,
        mut invocation: ToolInvocation,
    ) -> Result<ToolOutput, tower::BoxError> {
        match self.authorize(definition, &invocation).await {
            Ok(call) => {
                invocation.arguments = call.args().as_map().clone().into();
                // Nobody else waits until the tool is ready.
                inner.oneshot(invocation).await
            }
            Err(refusal) => Ok(ToolOutput {
                id: invocation.id,
                result: json!({ "error": refusal.for_model() }),
            }),
        }
    }

    async fn authorize(
        self,
        definition: &Definition,
        invocation: &ToolInvocation,
    ) -> Result<ToolCall<Authorized>, Refusal> {
        let tool = definition.tool();
        if invocation.name != tool.name() {
            return Err(Refusal::unknown_tool(invocation.name.as_str().into()));
        }
        let args = Args::try_from(invocation.arguments.clone())
            .map_err(|error| Refusal::unreadable_args(tool.clone(), error))?;
        let call = definition
            .call(args)
            .with_id(invocation.id.as_str())
            .with_origin(self.origin);
        authorize(self.stack, call).await
    }
}

impl<A> fmt::Debug for ToolGate<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolGate")
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}
