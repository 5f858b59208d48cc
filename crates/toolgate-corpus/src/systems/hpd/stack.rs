//! The stack of this system.

use serde_json::Value;
use toolgate::{
    Broker, Decision, GateLayer, Grants, ReviewLayer, Reviewing, ToolCall, ToolConfig, ToolRules,
};

use super::{
    Hpd, Version,
    declined::Declined,
    given::{Given, Override},
};
use crate::{
    answer::seconds,
    bench::{Bench, Stack},
    case::{Act, Case, Invalid, Turn},
    systems::marked::Marked,
};

/// What stacks of a case are built from.
pub(super) struct Build<'a> {
    given: &'a Given,
    pub(super) voice: Hpd,
    /// Whether an answer is remembered for a function, whatever its arguments.
    by_function: bool,
    /// Whether anything can be remembered.
    remembers: bool,
    pub(super) declined: Declined,
}

impl<'a> Build<'a> {
    /// Builds for a case.
    pub(super) fn new(case: &Case, given: &'a Given, version: Version) -> Self {
        let fingerprints = given.request_fingerprint.is_some();
        let no_store = case.gives("session_store") && given.session_store.is_none();
        Self {
            given,
            voice: Hpd { version },
            by_function: !case.is_corrected() && !fingerprints,
            remembers: !no_store,
            declined: Declined::default(),
        }
    }

    /// A stack for the calls of `turns`.
    pub(super) fn bench(
        &self,
        turns: &[Turn<'_>],
        interrupts: bool,
        grants: &Grants,
    ) -> Result<Bench, Invalid> {
        let rules = self.rules();
        override_for(self.given, turns, &rules);
        let deadline = self.given.timeout_s.map(seconds).transpose()?;
        let stack = self.policies(&rules, grants).asking_within(deadline);
        Ok(self.complete(stack, rules, interrupts))
    }

    /// A stack in which nothing is overridden, to have answers remembered.
    pub(super) fn seeding(&self, grants: &Grants) -> Bench {
        let rules = self.rules();
        let stack = self.policies(&rules, grants).asking();
        self.complete(stack, rules, true)
    }

    /// A stack that asks by events.
    pub(super) fn brokered(&self, broker: &Broker) -> Bench {
        let rules = self.rules();
        let stack = self.policies(&rules, &Grants::new());
        self.complete(stack.asking_through(broker), rules, true)
    }

    /// A stack with a policy of one's own, outside the others.
    pub(super) fn under(&self, policy: impl toolgate::Policy) -> Bench {
        let rules = self.rules();
        let stack = self.policies(&rules, &Grants::new()).policy(policy);
        self.complete(stack.asking(), rules, true)
    }

    fn policies(&self, rules: &ToolRules, grants: &Grants) -> Stack {
        let mut stack = Stack::new(&GateLayer::dangerous_allow_by_default(), None);
        if self.remembers {
            stack = stack.remembering(grants);
        }
        if !self.given.is_registered_directly() {
            stack = stack.policy(rules.clone());
        }
        if self.by_function && self.voice.version != Version::C {
            stack = stack.policy(self.declined.clone());
        }
        if let Some(actions) = self.given.known_actions.clone() {
            stack = stack.policy(move |call: &ToolCall<Reviewing>| known_action(call, &actions));
        }
        stack
    }

    fn complete(&self, stack: Stack, rules: ToolRules, interrupts: bool) -> Bench {
        let review = ReviewLayer::new()
            .describe(Marked(self.given.requires()))
            .with_tool_rules(rules);
        let voice = self.voice;
        if interrupts {
            stack.build(&review)
        } else {
            stack.build_telling(&review, move |blocked| Value::from(voice.result(blocked)))
        }
    }

    /// Rules that say what identifies an operation, and can be overridden.
    fn rules(&self) -> ToolRules {
        let every_call = ToolConfig::undecided().remember_by([] as [&str; 0]);
        let entries = self.by_function.then_some(("*", every_call));
        ToolRules::new(entries).unwrap_or_default()
    }
}

/// Overrides what is required of all functions that are called.
fn override_for(given: &Given, turns: &[Turn<'_>], rules: &ToolRules) {
    // Full access for a run asks about nothing, and forgets nothing.
    let full_access = given.mode.as_ref().map(|_| Override::Disable);
    for turn in turns {
        let Act::Call(call) = &turn.act else { continue };
        for change in [given.builder_override, given.run_override(), full_access] {
            match change {
                Some(Override::Require) => rules.require_for(&*call.tool),
                Some(Override::Disable) => rules.disable_for(&*call.tool),
                Some(Override::Cleared) => {
                    rules.require_for(&*call.tool);
                    rules.clear_override(&*call.tool);
                }
                None => {}
            }
        }
    }
}

/// Refuses an action that cannot be told apart from others.
fn known_action(call: &ToolCall<Reviewing>, actions: &[String]) -> Decision {
    let action = call.args().get("action").and_then(|action| action.as_str());
    match action {
        Some(action) if actions.iter().any(|known| known == action) => Decision::abstain(),
        _ => Decision::deny(format!(
            "Client tool request rejected: Unknown compound tool action '{}'.",
            action.unwrap_or_default()
        )),
    }
}
