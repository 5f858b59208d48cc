//! The stacks of a world, from the tool outward.

use std::{future::pending, panic::resume_unwind, sync::Arc, time::Duration};

use serde_json::Value;
use tokio::time::sleep;
use toolgate::{
    AsyncPolicyLayer, Decision, GateLayer, MemoryLayer, PolicyLayer, PromptLayer, Reviewing,
    ToolCall, ceiling,
};
use tower::{BoxError, service_fn, util::BoxCloneSyncService};
use tower_layer::Layer;

use super::{super::step::Behaviour, DEADLINE, World, scene::InForce};
use crate::fault::Fault;

/// A stack with its entry.
type Complete = BoxCloneSyncService<ToolCall, Value, BoxError>;

/// A stack without its entry.
type Inside = BoxCloneSyncService<ToolCall<Reviewing>, Value, BoxError>;

impl World {
    /// The stack of an agent. One that was started for another can do no more than that one.
    pub(super) fn stack_for(&self, agent: Option<&str>, deadline: Duration) -> Complete {
        let main = || self.complete(self.main(), deadline);
        let Some(agent) = agent.and_then(|name| self.agents.get(name)) else {
            return main();
        };
        // What says nothing itself inherits, at any depth.
        let between = (1..agent.depth).fold(main(), |parent, _| {
            self.complete(self.child(None, parent), deadline)
        });
        self.complete(self.child(agent.policy.clone(), between), deadline)
    }

    fn main(&self) -> Inside {
        let (scene, hooks) = (Arc::clone(&self.scene), Arc::clone(&self.scene));
        let inside = self.remembering(&GateLayer::new());
        let policy = move |call: &ToolCall<Reviewing>| scene.decide(call);
        let inside = boxed(PolicyLayer::new(policy).named("rules").layer(inside));
        let inside = boxed(PolicyLayer::new(self.servers.clone()).layer(inside));
        let hook = move |call: &ToolCall<Reviewing>| hooks.hooked(call);
        let inside = boxed(PolicyLayer::new(hook).named("hook").layer(inside));
        let scene = Arc::clone(&self.scene);
        let host = move |call: &ToolCall<Reviewing>| scene.complete(call);
        let inside = boxed(PolicyLayer::new(host).named("host").layer(inside));
        let scene = Arc::clone(&self.scene);
        let checker = service_fn(move |_: ToolCall<Reviewing>| check(scene.checker()));
        boxed(AsyncPolicyLayer::new(checker).layer(inside))
    }

    fn child(&self, policy: Option<InForce>, parent: Complete) -> Inside {
        let gate = match policy {
            Some(_) => GateLayer::new(),
            None => GateLayer::dangerous_allow_by_default(),
        };
        let inside = self.remembering(&gate);
        let inside = match policy {
            Some(policy) => {
                let decide = move |call: &ToolCall<Reviewing>| policy.decide(call);
                boxed(PolicyLayer::new(decide).named("own rules").layer(inside))
            }
            None => inside,
        };
        boxed(ceiling(parent).layer(inside))
    }

    fn remembering(&self, gate: &GateLayer) -> Inside {
        let memory = MemoryLayer::new(self.store.clone());
        boxed(memory.layer(gate.layer(self.executor.clone())))
    }

    /// Adds whoever is asked, if there is anybody, and the entry. An answer is yes or no: it never
    /// comes with other arguments.
    fn complete(&self, inside: Inside, deadline: Duration) -> Complete {
        let review = self.scene.review();
        if self.hand.is_absent() {
            return BoxCloneSyncService::new(review.layer(inside));
        }
        let prompt = PromptLayer::new(self.hand.clone())
            .with_deadline(deadline)
            .with_turns(self.turns.clone())
            .without_editing();
        BoxCloneSyncService::new(review.layer(prompt.layer(inside)))
    }
}

fn boxed<S>(service: S) -> Inside
where
    S: tower_service::Service<ToolCall<Reviewing>, Response = Value, Error = BoxError>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send + 'static,
{
    BoxCloneSyncService::new(service)
}

/// A checker that says nothing, or that fails in the way that a case wants.
async fn check(behaviour: Behaviour) -> Result<Decision, Fault> {
    match behaviour {
        Behaviour::Decides | Behaviour::Absent => Ok(Decision::abstain()),
        Behaviour::Panic | Behaviour::MalformedInputRender => {
            // Without a word on the terminal: it is what the case wants.
            resume_unwind(Box::new("as the case wants it"))
        }
        Behaviour::Hang => pending().await,
        Behaviour::Timeout => {
            sleep(DEADLINE * 2).await;
            Err(Fault::NoAnswer)
        }
        other => Err(Fault::raised("Error", format!("{other:?}"))),
    }
}
