//! What holds for all stacks, and can change while calls are on their way.

use std::sync::Mutex;

use toolgate::{Args, Decision, Reviewing, ToolCall};

use super::super::{
    rules::Spec,
    step::{Behaviour, Word},
};
use crate::bench::lock;

/// What holds for all stacks.
pub(in crate::attacks) struct Scene(Mutex<State>);

struct State {
    policy: Spec,
    managed: Vec<String>,
    hook: Option<Hook>,
    checker: Behaviour,
    cwd: Option<String>,
}

/// A hook that looks at every call.
#[derive(Clone)]
pub(in crate::attacks) struct Hook {
    pub(in crate::attacks) decision: Option<Word>,
    pub(in crate::attacks) args: Option<Args>,
}

impl Scene {
    pub(super) fn new(policy: Spec) -> Self {
        Self(Mutex::new(State {
            policy,
            managed: Vec::new(),
            hook: None,
            checker: Behaviour::Decides,
            cwd: None,
        }))
    }

    /// Puts another policy in place, for calls on their way as well.
    pub(in crate::attacks) fn set_policy(&self, policy: Spec) {
        lock(&self.0).policy = policy;
    }

    /// Says what somebody else allows, in place of what they allowed before.
    pub(in crate::attacks) fn set_managed(&self, allow: Vec<String>) {
        lock(&self.0).managed = allow;
    }

    /// Adds a hook.
    pub(in crate::attacks) fn set_hook(&self, hook: Hook) {
        lock(&self.0).hook = Some(hook);
    }

    /// Has the checker do this.
    pub(in crate::attacks) fn set_checker(&self, behaviour: Behaviour) {
        lock(&self.0).checker = behaviour;
    }

    /// Says where commands run.
    pub(in crate::attacks) fn set_cwd(&self, cwd: String) {
        lock(&self.0).cwd = Some(cwd);
    }

    pub(super) fn checker(&self) -> Behaviour {
        lock(&self.0).checker
    }

    /// A shell line that the policy allows.
    pub(in crate::attacks) fn allowed_line(&self) -> Option<String> {
        lock(&self.0).policy.allowed_line()
    }

    /// What the policy decides.
    pub(super) fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        let (mut policy, managed, cwd) = {
            let state = lock(&self.0);
            let managed = state.managed.clone();
            (state.policy.clone(), managed, state.cwd.clone())
        };
        policy.allow_lines(&managed);
        policy.decide(call.tool().name(), call.args(), cwd.as_deref())
    }

    /// What the hook says.
    pub(super) fn hooked(&self, _: &ToolCall<Reviewing>) -> Decision {
        let Some(hook) = lock(&self.0).hook.clone() else {
            return Decision::abstain();
        };
        let decision = match hook.decision {
            Some(Word::Allow) => Decision::allow(),
            Some(Word::Ask) => Decision::ask("the hook asks"),
            Some(Word::Deny) => Decision::deny("the hook denies"),
            None => Decision::abstain(),
        };
        match hook.args {
            Some(args) => decision.with_args(args),
            None => decision,
        }
    }
}
