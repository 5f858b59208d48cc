//! Tools that know themselves when to ask.

use std::{fmt, sync::Arc};

use crate::{Args, Decision, Policy, PolicyLayer, Reviewing, ToolCall, Vote};

/// The name of the layer in trails.
pub(crate) const CHECK_APPROVAL: &str = "check approval";

/// Applies [`CheckApproval`] to every call.
pub type CheckApprovalLayer<T> = PolicyLayer<CheckApproval<T>>;

/// Tools that know themselves when to ask.
///
/// # Example
///
/// ```
/// use toolgate::{
///     Approval, Args, CheckApproval, CheckApprovalLayer, MemoryView, NoMemory, Reviewing,
///     SelfChecking, ToolCall, Vote,
/// };
///
/// struct Sandbox;
///
/// impl SelfChecking for Sandbox {
///     fn check_approval(&self, call: &ToolCall<Reviewing>, _: &dyn MemoryView) -> Approval {
///         match call.args().get("path").and_then(|path| path.as_str()) {
///             Some(path) if path.starts_with("/etc") => Approval::Blocked("outside".into()),
///             Some(path) => {
///                 let vote = Vote::ask(format!("write {path}?"));
///                 Approval::Ask(vote.with_payload(Args::new().with("path", path)))
///             }
///             None => Approval::NotNeeded,
///         }
///     }
/// }
///
/// let layer = CheckApprovalLayer::new(CheckApproval::new(Sandbox, NoMemory::new()));
/// # let _ = layer;
/// ```
pub trait SelfChecking: Send + Sync + 'static {
    /// Says what `call` needs. `memory` shows what was answered before.
    fn check_approval(&self, call: &ToolCall<Reviewing>, memory: &dyn MemoryView) -> Approval;
}

/// What a tool says that a call needs.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub enum Approval {
    /// It is not one of its calls: nothing is said.
    NotMine,
    /// Nobody needs to be asked. Another layer may still ask or deny.
    NotNeeded,
    /// Somebody is asked, with this vote's reason and request. A vote that does not ask counts
    /// as a deny.
    Ask(Vote),
    /// The call never runs, whatever anybody says.
    Blocked(Arc<str>),
}

/// What was answered before, to look at.
pub trait MemoryView: Send + Sync + 'static {
    /// What was answered to the tool's own asks for this operation, and still holds where the call
    /// comes from.
    fn lookup(&self, call: &ToolCall<Reviewing>, payload: &Args) -> Option<Remembered>;
}

/// An answer that is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remembered {
    /// Somebody said yes.
    Approved,
    /// Somebody said no.
    Denied,
}

/// Remembers nothing.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct NoMemory {}

impl NoMemory {
    /// Makes a memory that remembers nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl MemoryView for NoMemory {
    fn lookup(&self, _: &ToolCall<Reviewing>, _: &Args) -> Option<Remembered> {
        None
    }
}

/// Lets [tools that know themselves when to ask](SelfChecking) say so.
#[derive(Clone)]
#[must_use = "a policy does nothing until a layer applies it"]
pub struct CheckApproval<T> {
    tools: T,
    memory: Arc<dyn MemoryView>,
}

impl<T: SelfChecking> CheckApproval<T> {
    /// Lets `tools` say what they need, with a view of `memory`.
    pub fn new(tools: T, memory: impl MemoryView) -> Self {
        Self {
            tools,
            memory: Arc::new(memory),
        }
    }
}

impl<T> fmt::Debug for CheckApproval<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckApproval").finish_non_exhaustive()
    }
}

impl<T: SelfChecking> Policy for CheckApproval<T> {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        match self.tools.check_approval(call, &*self.memory) {
            Approval::NotMine => Decision::abstain(),
            Approval::NotNeeded => Decision::allow(),
            Approval::Ask(vote) if vote.effect() == crate::Effect::Ask => vote.into(),
            Approval::Ask(_) => Decision::deny("the tool asked with a vote that does not ask"),
            Approval::Blocked(reason) => Decision::deny(reason),
        }
    }

    fn name(&self) -> &'static str {
        CHECK_APPROVAL
    }
}
