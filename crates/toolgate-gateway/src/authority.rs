//! The stack that decides about calls. It ends in an authorisation, and runs nothing.

use toolgate::{
    AnnotationRules, Authorize, Authorized, Decision, MemoryLayer, Policy, PolicyLayer, Reviewing,
    ToolBlocked, ToolCall,
};
use tower::{ServiceBuilder, util::BoxCloneSyncService};

use crate::{ask::Asker, core::Core};

/// Decides about a call.
pub(crate) type Authority = BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>;

/// Builds the stack of a session.
pub(crate) fn build(core: &Core, asker: Asker) -> Authority {
    let policy = &core.policy;
    // An answer is one of a few words. It never brings arguments of its own.
    let prompt = policy.prompt(asker).without_editing();
    let stack = ServiceBuilder::new()
        .layer(policy.review())
        .layer(prompt.with_turns(core.turns.clone()))
        .layer(PolicyLayer::new(Hints(
            core.asks_by_hint.then(AnnotationRules::new),
        )))
        .layer(policy.layer())
        .layer(MemoryLayer::new(core.grants.clone()))
        .layer(policy.gate())
        .service(Authorize::new());
    BoxCloneSyncService::new(stack)
}

/// Asks about tools that say that they destroy something, if that is wanted.
#[derive(Clone, Debug)]
struct Hints(Option<AnnotationRules>);

impl Policy for Hints {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        match &self.0 {
            Some(rules) => rules.decide(call),
            None => Decision::abstain(),
        }
    }

    fn name(&self) -> &'static str {
        "annotations"
    }

    fn denies_by_args(&self) -> bool {
        false
    }
}
