//! Asking because of what a tool says of itself.

use crate::{Annotations, Decision, Policy, PolicyLayer, Reviewing, Rule, ToolCall, Vote};

/// Applies [`AnnotationRules`] to every call.
pub type AnnotationLayer = PolicyLayer<AnnotationRules>;

/// Asks about tools that say of themselves that they destroy, or reach out into the world.
///
/// A hint can only raise what is required: there is no way to allow because of one. What a tool
/// claims for itself, such as that it only reads, changes nothing.
///
/// # Example
///
/// ```
/// use toolgate::{AnnotationLayer, AnnotationRules};
///
/// let layer = AnnotationLayer::new(AnnotationRules::new().ask_if_open_world());
/// # let _ = layer;
/// ```
#[derive(Clone, Debug)]
#[must_use = "a policy does nothing until a layer applies it"]
pub struct AnnotationRules {
    open_world: bool,
    destructive_rule: Rule,
    open_world_rule: Rule,
}

impl AnnotationRules {
    /// Asks about tools that say that they may destroy something.
    pub fn new() -> Self {
        Self {
            open_world: false,
            destructive_rule: Rule::new("destructive"),
            open_world_rule: Rule::new("open world"),
        }
    }

    /// Asks about tools that say that they reach out into the world, too.
    pub fn ask_if_open_world(mut self) -> Self {
        self.open_world = true;
        self
    }

    fn votes(&self, hints: Annotations) -> Decision {
        let mut decision = Decision::abstain();
        if hints.destructive() == Some(true) {
            let vote = Vote::ask("the tool says that it may destroy something");
            decision = decision.and(vote.by(self.destructive_rule.clone()));
        }
        if self.open_world && hints.open_world() == Some(true) {
            let vote = Vote::ask("the tool says that it reaches out into the world");
            decision = decision.and(vote.by(self.open_world_rule.clone()));
        }
        decision
    }
}

impl Default for AnnotationRules {
    fn default() -> Self {
        Self::new()
    }
}

impl Policy for AnnotationRules {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        self.votes(call.annotations())
    }

    fn name(&self) -> &'static str {
        "annotations"
    }

    fn denies_by_args(&self) -> bool {
        false
    }
}
