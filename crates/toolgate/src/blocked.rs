//! Why a call did not run.

use std::{error::Error, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    ApprovalRequest, Args, Effect, Rule, ToolCall, ToolId, Trail, call::Reviewing, round::Token,
};

type Source = Box<dyn Error + Send + Sync>;

/// The ways in which a call can be blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum BlockedKind {
    /// A policy denies it.
    Denied,
    /// Somebody was asked and said no.
    Declined,
    /// Somebody was asked before, said no, and wanted that to be remembered.
    RememberedDenial,
    /// Somebody would have to be asked, and there is nobody to ask.
    NoHandler,
    /// Somebody would have to be asked, and the [mode](crate::Mode) is strict.
    Strict,
    /// Whoever was asked did not answer in time.
    TimedOut,
    /// The question was taken back before anybody answered.
    Withdrawn,
    /// Too many questions were waiting already.
    Overloaded,
    /// It is too large to be shown in full to anybody, and so nobody can approve it.
    TooLarge,
    /// Whoever was asked failed to answer.
    HandlerFailed,
    /// A policy, or a source of labels, failed to decide.
    PolicyFailed,
    /// The arguments kept changing while they were judged.
    Unsettled,
}

impl BlockedKind {
    /// What the model is told, before the reason.
    fn sentence(self) -> &'static str {
        match self {
            Self::Denied => "policy does not permit this call; do not try it again unchanged",
            Self::Declined => "the person who was asked said no; do not try it again unchanged",
            Self::RememberedDenial => "the person who was asked before said no to this, for good",
            Self::Strict => "this call needs an approval, and nothing is asked about at the moment",
            Self::TimedOut => "this call needs an approval, and nobody answered in time",
            Self::Withdrawn => "this call needs an approval, and the question was taken back",
            Self::Overloaded => "this call needs an approval, and too many others are waiting",
            Self::TooLarge => "this call needs an approval, and is too large to be shown in full",
            Self::NoHandler => "this call needs an approval, and nobody is there to give it",
            Self::HandlerFailed => "this call needs an approval, and asking for it failed",
            Self::PolicyFailed => "whether this call is permitted could not be decided",
            Self::Unsettled => "the arguments of this call kept changing while they were judged",
        }
    }
}

impl fmt::Display for BlockedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Denied => "denied",
            Self::Declined => "declined",
            Self::RememberedDenial => "denied before",
            Self::NoHandler => "nobody to ask",
            Self::Strict => "strict mode",
            Self::TimedOut => "timed out",
            Self::Withdrawn => "withdrawn",
            Self::Overloaded => "too many questions",
            Self::TooLarge => "too large to be shown",
            Self::HandlerFailed => "asking failed",
            Self::PolicyFailed => "deciding failed",
            Self::Unsettled => "unsettled",
        })
    }
}

/// The error of a call that did not run.
///
/// Says which tool, why, in which way, and who voted what. Never quotes an argument.
pub struct ToolBlocked(Box<Fields>);

struct Fields {
    tool: ToolId,
    kind: BlockedKind,
    reason: Option<Arc<str>>,
    trail: Trail,
    request: Option<Box<ApprovalRequest>>,
    source: Option<Source>,
    pending: Option<Pending>,
    inside_tool: bool,
}

/// A call on its way back out, which its own review may send in again.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) call: ToolCall<Reviewing>,
    pub(crate) stage: Stage,
}

/// Why a call is on its way back out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Somebody has to be asked.
    Open,
    /// The arguments changed, and everybody has to judge them again.
    ReviewOwed,
    /// Somebody was asked, and the answer is with the call.
    Answered,
    /// It would run, and was only to be settled.
    Settled,
    /// It waited for its turn to ask, which has come: the question may no longer stand.
    TurnCame,
}

impl ToolBlocked {
    /// Refuses `call` for a reason. For services that stand where a policy stands.
    pub fn denied(call: &ToolCall<Reviewing>, reason: impl Into<Arc<str>>) -> Self {
        Self::new(call, BlockedKind::Denied, Some(reason.into()))
    }

    pub(crate) fn new(
        call: &ToolCall<Reviewing>,
        kind: BlockedKind,
        reason: Option<Arc<str>>,
    ) -> Self {
        Self::with_trail(call, kind, reason, call.trail().clone())
    }

    fn with_trail(
        call: &ToolCall<Reviewing>,
        kind: BlockedKind,
        reason: Option<Arc<str>>,
        trail: Trail,
    ) -> Self {
        Self(Box::new(Fields {
            tool: call.tool().clone(),
            kind,
            reason,
            trail,
            request: None,
            source: None,
            pending: None,
            inside_tool: false,
        }))
    }

    /// Refuses a call that some vote in its trail denies.
    pub(crate) fn by_vote(mut call: ToolCall<Reviewing>) -> Self {
        let trail = std::mem::take(&mut call.round_mut().trail);
        let reason = trail.saying(Effect::Deny).next();
        let reason = reason.and_then(|entry| entry.vote().shared_reason());
        Self::with_trail(&call, BlockedKind::Denied, reason, trail)
    }

    pub(crate) fn unsettled(call: &ToolCall<Reviewing>) -> Self {
        let reason = Some("the arguments would not settle".into());
        Self::new(call, BlockedKind::Unsettled, reason)
    }

    pub(crate) fn pending(call: ToolCall<Reviewing>, stage: Stage) -> Self {
        let mut blocked = Self::new(&call, BlockedKind::NoHandler, None);
        blocked.0.pending = Some(Pending { call, stage });
        blocked
    }

    pub(crate) fn with_request(mut self, request: Option<ApprovalRequest>) -> Self {
        self.0.request = request.map(Box::new);
        self
    }

    pub(crate) fn with_source(mut self, source: impl Into<Source>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Says that the tool ran, and that this came from inside it.
    pub(crate) fn mark_inside_tool(mut self) -> Self {
        self.0.inside_tool = true;
        self
    }

    /// Takes out the call on its way back, if it is one of the review `token`.
    pub(crate) fn into_pending(mut self, token: Token) -> Result<Pending, Self> {
        match self
            .0
            .pending
            .take_if(|pending| pending.call.round().token == token)
        {
            Some(pending) => Ok(pending),
            None => Err(self),
        }
    }

    /// Takes out a call that was only to be settled, and would run.
    pub(crate) fn into_settled(mut self) -> Result<ToolCall<Reviewing>, Self> {
        match self
            .0
            .pending
            .take_if(|pending| pending.stage == Stage::Settled)
        {
            Some(pending) => Ok(pending.call),
            None => Err(self),
        }
    }

    /// Whether the call was only to be settled, and would run. Then this is no refusal.
    pub(crate) fn is_settled(&self) -> bool {
        self.0
            .pending
            .as_ref()
            .is_some_and(|pending| pending.stage == Stage::Settled)
    }

    /// The arguments with which the call would run, if it was only to be settled.
    pub(crate) fn settled_args(&self) -> Option<&Args> {
        let pending = self.0.pending.as_ref();
        pending
            .filter(|pending| pending.stage == Stage::Settled)
            .map(|pending| pending.call.args())
    }

    /// The tool that did not run.
    #[must_use]
    pub fn tool(&self) -> &ToolId {
        &self.0.tool
    }

    /// In which way the call was blocked.
    #[must_use]
    pub fn kind(&self) -> BlockedKind {
        self.0.kind
    }

    /// Why: the words of the rule, or of the person. None if nobody gave a reason.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.0.reason.as_deref()
    }

    pub(crate) fn shared_reason(&self) -> Option<Arc<str>> {
        self.0.reason.clone()
    }

    /// Every vote on the call.
    #[must_use]
    pub fn trail(&self) -> &Trail {
        &self.0.trail
    }

    /// The rule behind the strictest vote, if it has a name.
    #[must_use]
    pub fn deciding_rule(&self) -> Option<&Rule> {
        let strictest = self.trail().strictest()?;
        self.trail()
            .saying(strictest)
            .find_map(|entry| entry.vote().rule())
    }

    /// What somebody would have been asked, if there was nobody to ask.
    #[must_use]
    pub fn request(&self) -> Option<&ApprovalRequest> {
        self.0.request.as_deref()
    }

    /// Whether this comes from inside a tool that itself was allowed and ran, such as a
    /// sub-agent with a stack of its own.
    #[must_use]
    pub fn is_from_inside_tool(&self) -> bool {
        self.0.inside_tool
    }

    /// A sentence for the model.
    #[must_use]
    pub fn for_model(&self) -> String {
        let sentence = self.kind().sentence();
        match self.reason() {
            Some(reason) => format!(
                "`{}` did not run: {sentence}. Reason: {reason}",
                self.tool()
            ),
            None => format!("`{}` did not run: {sentence}.", self.tool()),
        }
    }
}

impl fmt::Display for ToolBlocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tool `{}` blocked: {}", self.tool(), self.kind())?;
        match self.reason() {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for ToolBlocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolBlocked")
            .field("tool", self.tool())
            .field("kind", &self.kind())
            .field("reason", &self.reason())
            .finish_non_exhaustive()
    }
}

impl Error for ToolBlocked {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// An error in which a [`ToolBlocked`] can be found again.
///
/// Stacks need this of the error type of the tool they guard. It is there for [`ToolBlocked`]
/// itself, for boxed errors, and for [`ToolboxError`](crate::ToolboxError); an enum of one's own
/// takes a few lines. An error that hides a [`ToolBlocked`] is only an error: the call is
/// blocked, and nobody is asked.
///
/// # Example
///
/// ```
/// use toolgate::{BlockedError, ToolBlocked};
///
/// enum MyError {
///     Blocked(ToolBlocked),
///     Io(std::io::Error),
/// }
///
/// impl From<ToolBlocked> for MyError {
///     fn from(blocked: ToolBlocked) -> Self {
///         Self::Blocked(blocked)
///     }
/// }
///
/// impl BlockedError for MyError {
///     fn into_blocked(self) -> Result<ToolBlocked, Self> {
///         match self {
///             Self::Blocked(blocked) => Ok(blocked),
///             other => Err(other),
///         }
///     }
/// }
/// ```
pub trait BlockedError: From<ToolBlocked> {
    /// Takes out the [`ToolBlocked`], or gives the error back.
    ///
    /// # Errors
    ///
    /// The error itself, if it is another one.
    fn into_blocked(self) -> Result<ToolBlocked, Self>;
}

impl BlockedError for ToolBlocked {
    fn into_blocked(self) -> Result<ToolBlocked, Self> {
        Ok(self)
    }
}

impl BlockedError for Source {
    fn into_blocked(self) -> Result<ToolBlocked, Self> {
        self.downcast::<ToolBlocked>().map(|blocked| *blocked)
    }
}
