//! A tool call, whose state is in its type.

use std::{fmt, marker::PhantomData, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{
    Annotations, Args, CallId, Labels, Origin, ToolId, Trail,
    observed::Observed,
    round::{Reach, Round, Token},
};

/// The state of a call as a runtime makes it.
#[derive(Debug)]
pub enum Proposed {}

/// The state of a call inside a stack, between [`ReviewLayer`](crate::ReviewLayer) and
/// [`GateLayer`](crate::GateLayer).
#[derive(Debug)]
pub enum Reviewing {}

/// The state of a call that the gate let through.
#[derive(Debug)]
pub enum Authorized {}

/// A tool call, whose state is in its type.
///
/// - `ToolCall` is what a runtime makes.
/// - [`ToolCall<Reviewing>`] exists only inside a stack. Policies see it.
/// - [`ToolCall<Authorized>`] is made only by the gate. Tools take it. It cannot be cloned, its
///   arguments cannot be changed, and it says how it came to be allowed.
///
/// A call is one pointer wide, and changing its state costs nothing.
///
/// # Example
///
/// ```
/// use toolgate::{Args, Origin, ToolCall};
///
/// let call = ToolCall::new("read_file", Args::parse(r#"{"path": "notes.txt"}"#)?)
///     .with_id("call-7")
///     .with_origin(Origin::new().with_session("s-1"));
/// assert_eq!(call.tool().name(), "read_file");
/// # Ok::<(), toolgate::ArgsError>(())
/// ```
#[must_use = "a call does nothing until a service takes it"]
pub struct ToolCall<State = Proposed> {
    parts: Box<Parts>,
    state: PhantomData<fn() -> State>,
}

#[derive(Clone)]
struct Parts {
    id: Option<CallId>,
    tool: ToolId,
    args: Args,
    origin: Origin,
    annotations: Annotations,
    round: Round,
}

impl ToolCall {
    /// Makes a call of `tool` with `args`.
    pub fn new(tool: impl Into<ToolId>, args: Args) -> Self {
        Self::from_parts(Parts {
            id: None,
            tool: tool.into(),
            args,
            origin: Origin::default(),
            annotations: Annotations::default(),
            round: Round::default(),
        })
    }

    /// Sets the id that the runtime gave the call.
    pub fn with_id(mut self, id: impl Into<Arc<str>>) -> Self {
        self.parts.id = Some(CallId::new(id));
        self
    }

    /// Sets where the call comes from.
    pub fn with_origin(mut self, origin: Origin) -> Self {
        self.parts.origin = origin;
        self
    }

    /// Sets what the tool says of itself.
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.parts.annotations = annotations;
        self
    }

    /// Lets the call go only so far.
    pub(crate) fn reaching(mut self, reach: Reach) -> Self {
        self.parts.round.reach = reach;
        self
    }

    /// Hangs a place onto the call where the layers further in write what happened. An audit
    /// further out may have done so already; then both read from the same.
    pub(crate) fn observe(&mut self) -> Arc<Observed> {
        let observed = &mut self.parts.round.observed;
        Arc::clone(observed.get_or_insert_with(|| Arc::new(Observed::new())))
    }

    /// A copy onto which nobody hung a place to write to.
    pub(crate) fn unobserved(&self) -> Self {
        let mut copy = self.clone();
        copy.parts.round.observed = None;
        copy
    }

    /// Whether the call is only to be settled now, and comes again to run.
    pub(crate) fn is_of_a_batch(&self) -> bool {
        self.parts.round.reach == Reach::Settle
    }

    fn from_parts(parts: Parts) -> Self {
        Self {
            parts: Box::new(parts),
            state: PhantomData,
        }
    }

    /// Starts the review that `token` stands for, of `max_rounds` at most.
    pub(crate) fn review(mut self, token: Token, max_rounds: u32) -> ToolCall<Reviewing> {
        // Nothing has been collected yet. A call of a batch that was settled brings its answer.
        self.parts.round.begin(token, max_rounds);
        self.into_state()
    }
}

impl<State> ToolCall<State> {
    /// What the call is known by, if the runtime gave it an id.
    #[must_use]
    pub fn id(&self) -> Option<&CallId> {
        self.parts.id.as_ref()
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &ToolId {
        &self.parts.tool
    }

    /// The arguments.
    #[must_use]
    pub fn args(&self) -> &Args {
        &self.parts.args
    }

    /// Where the call comes from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.parts.origin
    }

    /// What the tool says of itself. Untrusted.
    pub fn annotations(&self) -> Annotations {
        self.parts.annotations
    }

    fn into_state<Other>(self) -> ToolCall<Other> {
        ToolCall {
            parts: self.parts,
            state: PhantomData,
        }
    }
}

impl ToolCall<Reviewing> {
    /// What the call can do, from all sources.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.parts.round.labels
    }

    /// The votes that were cast so far in this round.
    #[must_use]
    pub fn trail(&self) -> &Trail {
        &self.parts.round.trail
    }

    pub(crate) fn round(&self) -> &Round {
        &self.parts.round
    }

    pub(crate) fn round_mut(&mut self) -> &mut Round {
        &mut self.parts.round
    }

    /// Adds what the tool says of itself.
    pub(crate) fn annotate(&mut self, annotations: Annotations) {
        self.parts.annotations = self.parts.annotations.and(annotations);
    }

    /// Puts `args` in place. They count as a rewrite only if they differ.
    pub(crate) fn rewrite(&mut self, args: Args) {
        if args != self.parts.args {
            self.parts.args = args;
            self.parts.round.rewritten = true;
        }
    }

    /// A copy to look at, which carries no answer.
    pub(crate) fn copy_to_look_at(&self) -> Self {
        let mut copy = self.clone();
        copy.parts.round.answer = None;
        copy.parts.round.turn = None;
        copy.parts.round.observed = None;
        copy
    }

    /// The call as it was settled, with its answer, to be reviewed once more and then to run.
    pub(crate) fn into_settled(mut self) -> ToolCall {
        let round = &mut self.parts.round;
        round.again();
        round.reach = Reach::Run;
        // Should it have to ask after all, it asks anew.
        round.deadline = None;
        round.release_turn();
        self.into_state()
    }

    /// The same call, as a runtime would have made it.
    pub(crate) fn to_proposal(&self) -> ToolCall {
        let Parts {
            id,
            tool,
            args,
            origin,
            annotations,
            round: _,
        } = Parts::clone(&self.parts);
        let round = Round::default();
        ToolCall::from_parts(Parts {
            id,
            tool,
            args,
            origin,
            annotations,
            round,
        })
    }

    /// Only the gate calls this.
    pub(crate) fn authorize(mut self, by: AllowedBy) -> ToolCall<Authorized> {
        self.parts.round.allowed_by = Some(by);
        // The next question may be asked while the tool runs.
        self.parts.round.release_turn();
        self.into_state()
    }
}

impl ToolCall<Authorized> {
    /// How the call came to be allowed.
    #[must_use]
    pub fn allowed_by(&self) -> AllowedBy {
        // The gate sets it whenever it makes such a call.
        self.parts.round.allowed_by.unwrap_or(AllowedBy::Default)
    }

    /// Every vote on the arguments that now run.
    #[must_use]
    pub fn trail(&self) -> &Trail {
        &self.parts.round.trail
    }

    /// What the call can do, from all sources.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.parts.round.labels
    }

    /// What the person who approved had to say, if anybody was asked.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        self.parts
            .round
            .answer
            .as_ref()
            .and_then(|answer| answer.note())
    }
}

/// How a call came to be allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum AllowedBy {
    /// A rule allowed it, and none asked.
    Rules,
    /// Somebody was asked and said yes.
    Human,
    /// Somebody was asked before, said yes, and wanted that to be remembered.
    Memory,
    /// Somebody asked, and the [mode](crate::Mode) approves of everything.
    ApproveAll,
    /// Nobody spoke, and the gate was told to let such calls through.
    Default,
}

impl Clone for ToolCall<Proposed> {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
            state: PhantomData,
        }
    }
}

/// A clone carries the same answer, which still counts only once.
impl Clone for ToolCall<Reviewing> {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
            state: PhantomData,
        }
    }
}

/// Shows the tool and the id, never an argument.
impl<State> fmt::Debug for ToolCall<State> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("ToolCall");
        debug.field("tool", self.tool());
        if let Some(id) = self.id() {
            debug.field("id", id);
        }
        debug.finish_non_exhaustive()
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename = "ToolCall", deny_unknown_fields)]
struct Wire {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<CallId>,
    tool: ToolId,
    args: Args,
    #[serde(default)]
    origin: Origin,
    #[serde(default)]
    annotations: Annotations,
}

impl Serialize for ToolCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Parts {
            id,
            tool,
            args,
            origin,
            annotations,
            round: _,
        } = Parts::clone(&self.parts);
        Wire {
            id,
            tool,
            args,
            origin,
            annotations,
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Wire {
            id,
            tool,
            args,
            origin,
            annotations,
        } = Wire::deserialize(deserializer)?;
        let round = Round::default();
        Ok(Self::from_parts(Parts {
            id,
            tool,
            args,
            origin,
            annotations,
            round,
        }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn is_one_pointer_wide_in_every_state() {
        assert_eq!(size_of::<ToolCall>(), size_of::<usize>());
        assert_eq!(
            size_of::<Option<ToolCall<Authorized>>>(),
            size_of::<usize>()
        );
    }

    #[test]
    fn crosses_a_process_but_only_as_a_proposal() {
        let json = json!({"id": "c", "tool": {"name": "t", "server": "s"}, "args": {"x": 1}});
        let call: ToolCall = serde_json::from_value(json).unwrap();
        assert_eq!(call.tool(), &ToolId::new("t").on_server("s"));
        let back: ToolCall = serde_json::from_str(&serde_json::to_string(&call).unwrap()).unwrap();
        assert_eq!(back.args(), call.args());
        for json in [
            json!({"tool": {"name": "t"}}),
            json!({"tool": {"name": "t"}, "args": []}),
            json!({"tool": {"name": "t"}, "args": {}, "approved": true}),
        ] {
            assert!(serde_json::from_value::<ToolCall>(json).is_err());
        }
    }

    #[test]
    fn a_copy_to_look_at_carries_no_answer() {
        let mut call = ToolCall::new("t", Args::new()).review(Token::default(), 8);
        let yes = crate::ApprovalDecision::approve();
        call.round_mut().answer = Some(crate::round::Answer::new(
            Vec::new(),
            &Args::new(),
            yes,
            crate::round::AnsweredBy::Mode,
        ));
        assert!(call.clone().round().answer.is_some());
        assert!(call.copy_to_look_at().round().answer.is_none());
    }

    #[test]
    fn debug_shows_no_argument() {
        let args = Args::new().with("token", "hunter2");
        let shown = format!("{:?}", ToolCall::new("t", args));
        assert!(
            !shown.contains("token") && !shown.contains("hunter2"),
            "{shown}"
        );
    }
}
