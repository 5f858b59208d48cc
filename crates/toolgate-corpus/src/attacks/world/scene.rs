//! What holds for all stacks, and can change while calls are on their way.

use std::sync::Mutex;

use toolgate::{Args, Decision, Policy as _, ReviewLayer, Reviewing, ToolCall};
use toolgate_policy::{FilePolicy, Reloading, Settings};

use super::super::{
    disk::Disk,
    policy::{self, Refused, Spec},
    step::{Behaviour, Word},
};
use crate::bench::lock;

/// What holds for all stacks.
pub(in crate::attacks) struct Scene {
    disk: Disk,
    state: Mutex<State>,
}

struct State {
    spec: Spec,
    policy: InForce,
    hook: Option<Hook>,
    checker: Behaviour,
    cwd: Option<String>,
    /// Variables of the environment that commands run in.
    variables: Vec<(String, String)>,
}

/// What decides.
#[derive(Clone)]
pub(in crate::attacks) enum InForce {
    /// What was loaded, or why everything is refused.
    Loaded(Result<FilePolicy, Refused>),
    /// What was loaded last from files that may change.
    Reloading(Reloading<FilePolicy>),
}

/// A hook that looks at every call.
#[derive(Clone)]
pub(in crate::attacks) struct Hook {
    pub(in crate::attacks) decision: Option<Word>,
    pub(in crate::attacks) args: Option<Args>,
}

impl InForce {
    /// What decides now.
    pub(in crate::attacks) fn current(&self) -> Result<FilePolicy, Refused> {
        match self {
            Self::Loaded(loaded) => loaded.clone(),
            Self::Reloading(reloading) => Ok(FilePolicy::clone(&reloading.current())),
        }
    }

    /// What it decides. Without a policy, everything is refused.
    pub(super) fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        match self.current() {
            Ok(policy) => policy.decide(call),
            Err(_) => Decision::deny("the policy cannot be loaded"),
        }
    }
}

impl Scene {
    pub(super) fn new(spec: Spec) -> Self {
        let disk = Disk::default();
        let policy = spec.load(&policy::settings(disk.clone()));
        Self {
            disk,
            state: Mutex::new(State {
                spec,
                policy: InForce::Loaded(policy),
                hook: None,
                checker: Behaviour::Decides,
                cwd: None,
                variables: Vec::new(),
            }),
        }
    }

    /// The file system that paths are looked up in.
    pub(in crate::attacks) fn disk(&self) -> Disk {
        self.disk.clone()
    }

    /// What is known of the world around every policy.
    pub(in crate::attacks) fn settings(&self) -> Settings {
        policy::settings(self.disk())
    }

    /// Loads a policy in these surroundings.
    pub(super) fn load(&self, spec: &Spec) -> InForce {
        InForce::Loaded(spec.load(&self.settings()))
    }

    /// The policy as it is written.
    pub(in crate::attacks) fn spec(&self) -> Spec {
        lock(&self.state).spec.clone()
    }

    /// What decides now.
    pub(in crate::attacks) fn policy(&self) -> Result<FilePolicy, Refused> {
        lock(&self.state).policy.current()
    }

    /// Puts another policy in place, for calls on their way as well.
    pub(in crate::attacks) fn set_policy(&self, spec: Spec) {
        let policy = self.load(&spec);
        let mut state = lock(&self.state);
        state.spec = spec;
        state.policy = policy;
    }

    /// Has something else decide that the case does not write as a policy.
    pub(in crate::attacks) fn set_in_force(&self, policy: InForce) {
        lock(&self.state).policy = policy;
    }

    /// Says what whoever runs the machine decides, in place of what they decided before.
    pub(in crate::attacks) fn set_managed(
        &self,
        allow: &[String],
        ask: &[String],
        deny: &[String],
    ) {
        self.set_in_force(self.load(&self.spec().managed(allow, ask, deny)));
    }

    /// Adds a hook.
    pub(in crate::attacks) fn set_hook(&self, hook: Hook) {
        lock(&self.state).hook = Some(hook);
    }

    /// Has the checker do this.
    pub(in crate::attacks) fn set_checker(&self, behaviour: Behaviour) {
        lock(&self.state).checker = behaviour;
    }

    /// Says where commands run.
    pub(in crate::attacks) fn set_cwd(&self, cwd: String) {
        lock(&self.state).cwd = Some(cwd);
    }

    /// Says with which variable commands run.
    pub(in crate::attacks) fn set_variable(&self, name: String, value: String) {
        lock(&self.state).variables.push((name, value));
    }

    pub(super) fn checker(&self) -> Behaviour {
        lock(&self.state).checker
    }

    /// A shell line that the policy allows.
    pub(in crate::attacks) fn allowed_line(&self) -> Option<String> {
        lock(&self.state).spec.allowed_line()
    }

    /// The entry of a stack, which knows what the policy says of tools.
    pub(super) fn review(&self) -> ReviewLayer {
        self.policy()
            .map_or_else(|_| ReviewLayer::new(), |policy| policy.review())
    }

    /// What the policy decides.
    pub(super) fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        let policy = lock(&self.state).policy.clone();
        policy.decide(call)
    }

    /// What the hook says.
    pub(super) fn hooked(&self, _: &ToolCall<Reviewing>) -> Decision {
        let Some(hook) = lock(&self.state).hook.clone() else {
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

    /// Puts among the arguments what the host adds to them when it runs the tool, so that it is
    /// judged, shown and approved like everything else.
    pub(super) fn complete(&self, call: &ToolCall<Reviewing>) -> Decision {
        let (cwd, variables) = {
            let state = lock(&self.state);
            (state.cwd.clone(), state.variables.clone())
        };
        let tool = call.tool();
        let mut args = call.args().clone();
        if tool.server().is_some() || !IN_A_DIRECTORY.contains(&tool.name()) {
            return Decision::abstain();
        }
        if let (Some(cwd), None) = (cwd, args.get("cwd")) {
            args = args.with("cwd", cwd);
        }
        if let (false, Some(line)) = (variables.is_empty(), args.get("command")) {
            let assigned = assignments(&variables);
            let line = line.as_str().unwrap_or_default();
            if !line.starts_with(&assigned) {
                args = args.clone().with("command", format!("{assigned}{line}"));
            }
        }
        match args == *call.args() {
            true => Decision::abstain(),
            false => Decision::abstain().with_args(args),
        }
    }
}

/// The tools that work in a directory.
const IN_A_DIRECTORY: &[&str] = &[
    "shell",
    "exec",
    "read_file",
    "list_directory",
    "write_file",
    "delete_file",
    "copy_path",
    "move_path",
];

/// Variables as they are written before a command.
fn assignments(variables: &[(String, String)]) -> String {
    let quoted = |value: &str| value.replace('\'', r"'\''");
    let one = |(name, value): &(String, String)| format!("{name}='{}' ", quoted(value));
    variables.iter().map(one).collect()
}
