//! Authorises tool calls of [rig] agents.
//!
//! [`ToolgateHook`] is a hook of an agent. Before a tool runs, a stack that ends in
//! [`Authorize`](toolgate::Authorize) is asked, and the call goes on with the authorised arguments.
//! A call that is blocked is skipped, and the model reads why.
//!
//! A tool is known by the definition that the model was shown in this run; one that was not shown
//! is refused. Arguments are raw JSON text in rig: they are read strictly, and refused if they are
//! not one object.
//!
//! **Add it as the last hook.** A later one could change the arguments after they were authorised.
//!
//! # Example
//!
//! ```
//! # fn f(model: rig_agent::test_utils::MockCompletionModel) -> Result<(), Box<dyn std::error::Error>> {
//! use rig_agent::agent::AgentBuilder;
//! use toolgate::{Authorize, GateLayer, Origin, ReviewLayer, ToolConfig, ToolRules, ToolRulesLayer};
//! use toolgate_rig::ToolgateHook;
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
//! let agent = AgentBuilder::new(model)
//!     .add_hook(ToolgateHook::new(stack).with_origin(origin))
//!     .build();
//! # let _ = agent;
//! # Ok(())
//! # }
//! ```
//!
//! [rig]: https://docs.rs/rig

use std::{fmt, sync::Arc};

use rig_agent::agent::{AgentHook, DispatchAction, DispatchEvent, HookContext};
use rig_core::{completion::CompletionRequest, effect::EffectKind};
use serde_json::Value;
use toolgate::{Args, Authorized, Authorizer, Definitions, Origin, Refusal, ToolCall, authorize};

type OriginOf = dyn Fn(&HookContext) -> Origin + Send + Sync;

/// Authorises the tool calls of an agent. See the [crate docs](crate) for an example.
#[derive(Clone)]
#[must_use = "a hook does nothing until an agent has it"]
pub struct ToolgateHook<A> {
    stack: A,
    origin: Arc<OriginOf>,
}

/// What the model was shown in this run.
#[derive(Clone)]
struct Shown(Arc<Definitions>);

impl<A: Authorizer> ToolgateHook<A> {
    /// Authorises with `stack`.
    pub fn new(stack: A) -> Self {
        Self {
            stack,
            origin: Arc::new(|_| Origin::new()),
        }
    }

    /// Says where every call of the agent comes from. A run is a turn of its session.
    pub fn with_origin(self, origin: Origin) -> Self {
        self.with_origin_of(move |context| origin.clone().with_turn(context.run_id().to_string()))
    }

    /// Says where a call comes from, by the run it belongs to.
    pub fn with_origin_of(
        mut self,
        origin: impl Fn(&HookContext) -> Origin + Send + Sync + 'static,
    ) -> Self {
        self.origin = Arc::new(origin);
        self
    }

    async fn authorize(
        &self,
        context: &HookContext,
        event: &DispatchEvent<'_>,
        name: &str,
        args: &str,
    ) -> Result<ToolCall<Authorized>, Refusal> {
        let shown = context.scratchpad().get::<Shown>();
        let shown = shown.ok_or_else(|| Refusal::unknown_tool(name.into()))?;
        let definition = shown.0.get(name)?;
        let args = Args::parse(args)
            .map_err(|error| Refusal::unreadable_args(definition.tool().clone(), error))?;
        let mut call = definition.call(args).with_origin((self.origin)(context));
        if let Some(id) = event.call_id {
            call = call.with_id(id.to_string());
        }
        authorize(self.stack.clone(), call).await
    }
}

impl<A: Authorizer> AgentHook for ToolgateHook<A> {
    async fn on_dispatch(&self, context: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        let (name, args) = match event.kind {
            EffectKind::ToolCall { name, args } => (name, args),
            EffectKind::Completion { request, .. } => return show(context, request),
            _ => return DispatchAction::proceed(),
        };
        match self.authorize(context, &event, name, args).await {
            Ok(call) => {
                let args = Value::Object(call.args().as_map().clone());
                DispatchAction::rewrite_tool_args(event.kind, args)
            }
            Err(refusal) => DispatchAction::skip(refusal.for_model()),
        }
    }
}

/// Keeps what the model is about to be shown, in the run's own storage.
fn show(context: &HookContext, request: &CompletionRequest) -> DispatchAction {
    let listed = request.tools.iter().map(|tool| (&*tool.name, tool));
    match Definitions::new(None, listed) {
        Ok(definitions) => {
            context.scratchpad().insert(Shown(Arc::new(definitions)));
        }
        Err(_) => {
            // Then nothing is known, and every call is refused.
            context.scratchpad().remove::<Shown>();
        }
    }
    DispatchAction::proceed()
}

impl<A> fmt::Debug for ToolgateHook<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolgateHook").finish_non_exhaustive()
    }
}
