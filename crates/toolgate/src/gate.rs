//! The only place that makes an authorised call.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;
use smallvec::SmallVec;
use tower_layer::Layer;
use tower_service::Service;

use crate::{
    AllowedBy, Authorized, BlockedError, BlockedKind, Effect, Reviewing, Rule, ToolBlocked,
    ToolCall, Vote,
    blocked::Stage,
    future::Guarded,
    memory::Ticket,
    release::release,
    round::{Answer, AnsweredBy, Reach, Requirement},
};

/// Makes authorised calls, and nothing else does.
///
/// Stands inside all policies, and decides in this order:
///
/// 1. Somebody was asked and said no: blocked.
/// 2. A layer put other arguments in place: the call goes back, so that everybody judges them.
/// 3. Somebody asks: the call runs if an answer that was not used yet, for exactly these arguments,
///    or what is [remembered](crate::MemoryLayer) covers every rule that asks; otherwise it goes
///    back, so that somebody is asked.
/// 4. Somebody allows: the call runs.
/// 5. Nobody spoke: the default. That is to ask.
///
/// A deny has ended the call before it comes here.
#[derive(Clone, Debug)]
#[must_use = "a layer does nothing until it wraps a service"]
pub struct GateLayer {
    default: Default,
    default_rule: Rule,
    tool_rule: Rule,
}

/// What happens to a call that nobody spoke for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Default {
    Ask,
    Deny,
    Allow,
}

/// The name of the gate in trails.
pub(crate) const GATE: &str = "gate";

/// The rule by which the gate asks about what nobody spoke for.
pub(crate) const DEFAULT_RULE: &str = "default";

/// The rule by which the gate asks because the tool wants it.
pub(crate) const TOOL_RULE: &str = "tool requires approval";

impl GateLayer {
    /// Asks about what nobody spoke for.
    pub fn new() -> Self {
        Self::with_default(Default::Ask)
    }

    /// Denies what nobody spoke for.
    pub fn deny_by_default() -> Self {
        Self::with_default(Default::Deny)
    }

    /// Lets run what nobody spoke for. A tool that was forgotten in every policy then runs.
    pub fn dangerous_allow_by_default() -> Self {
        Self::with_default(Default::Allow)
    }

    fn with_default(default: Default) -> Self {
        Self {
            default,
            default_rule: Rule::new(DEFAULT_RULE),
            tool_rule: Rule::new(TOOL_RULE),
        }
    }

    fn judge(&self, call: &mut ToolCall<Reviewing>) -> Result<AllowedBy, Held> {
        if let Some(deny) = call.trail().saying(Effect::Deny).next() {
            return Err(Held::Blocked(
                BlockedKind::Denied,
                deny.vote().shared_reason(),
            ));
        }
        if let Some(answer) = declined(call) {
            let note = answer.note().map(Arc::from);
            // Nobody decides any more, but whoever reads the trail sees what was asked.
            self.speak_for_the_tool(call);
            if call.trail().is_empty() {
                self.ask_by_default(call);
            }
            return Err(Held::Blocked(BlockedKind::Declined, note));
        }
        if call.round().rewritten {
            return Err(Held::Pending(Stage::ReviewOwed));
        }
        self.speak_for_the_tool(call);
        match call.trail().strictest() {
            Some(Effect::Allow) => Ok(AllowedBy::Rules),
            Some(_) => approved(call),
            None => self.speak_for_nobody(call),
        }
    }

    /// The tool itself may want somebody to be asked.
    fn speak_for_the_tool(&self, call: &mut ToolCall<Reviewing>) {
        let round = call.round_mut();
        if round.requirement == Requirement::Approval {
            let vote = Vote::ask("the tool requires approval").by(self.tool_rule.clone());
            round.trail.push(GATE, vote);
        }
    }

    fn ask_by_default(&self, call: &mut ToolCall<Reviewing>) {
        let vote = Vote::ask("no rule speaks for it").by(self.default_rule.clone());
        call.round_mut().trail.push(GATE, vote);
    }

    fn speak_for_nobody(&self, call: &mut ToolCall<Reviewing>) -> Result<AllowedBy, Held> {
        match self.default {
            Default::Allow => Ok(AllowedBy::Default),
            Default::Deny => {
                let vote = Vote::deny("no rule allows it").by(self.default_rule.clone());
                let reason = vote.shared_reason();
                call.round_mut().trail.push(GATE, vote);
                Err(Held::Blocked(BlockedKind::Denied, reason))
            }
            Default::Ask => {
                self.ask_by_default(call);
                approved(call)
            }
        }
    }
}

/// The answer of somebody who was asked and said no.
fn declined(call: &ToolCall<Reviewing>) -> Option<&Answer> {
    call.round()
        .answer
        .as_ref()
        .filter(|answer| !answer.approved())
}

/// Why the gate does not let a call through.
enum Held {
    Blocked(BlockedKind, Option<Arc<str>>),
    Pending(Stage),
}

impl Held {
    fn into_blocked(self, call: ToolCall<Reviewing>) -> ToolBlocked {
        match self {
            Self::Blocked(kind, reason) => ToolBlocked::new(&call, kind, reason),
            Self::Pending(stage) => ToolBlocked::pending(call, stage),
        }
    }
}

/// Uses up the answer and what is remembered, if they cover every rule that asks, for these very
/// arguments.
fn approved(call: &ToolCall<Reviewing>) -> Result<AllowedBy, Held> {
    let round = call.round();
    // Strict means strict: not even an answer that was given before the switch counts.
    if round.is_strict() {
        return Err(Held::Pending(Stage::Open));
    }
    let answer = round
        .answer
        .as_ref()
        .filter(|answer| round.still_holds(answer) && answer.knows(&round.labels));
    let answer = answer.filter(|answer| answer.args() == call.args());
    let mut tickets: SmallVec<[&Ticket; 2]> = SmallVec::new();
    let mut answered = None;
    for entry in call.trail().iter() {
        if entry.vote().effect() != Effect::Ask {
            continue;
        }
        let covers = |answer: &&Answer| answer.covers(call, entry);
        let granted = &call.round().granted;
        let granted = granted
            .iter()
            .find(|yes| yes.answers(call, entry.layer(), entry.vote()));
        match (answer.filter(covers), granted) {
            (Some(answer), _) => answered = Some(answer),
            (None, Some(granted)) => tickets.push(&granted.ticket),
            (None, None) => return Err(Held::Pending(Stage::Open)),
        }
    }
    // What is only settled uses nothing up: it is judged again before it runs.
    let uses = call.round().reach == Reach::Run;
    if uses && (answered.is_some_and(|answer| !answer.use_up()) || !take_all(&tickets)) {
        return Err(Held::Pending(Stage::Open));
    }
    Ok(match answered.map(Answer::by) {
        Some(AnsweredBy::Handler) => AllowedBy::Human,
        Some(AnsweredBy::Mode) => AllowedBy::ApproveAll,
        None => AllowedBy::Memory,
    })
}

/// Takes one use of each grant, or none at all.
fn take_all(tickets: &[&Ticket]) -> bool {
    for (taken, ticket) in tickets.iter().enumerate() {
        if !ticket.take() {
            tickets
                .iter()
                .take(taken)
                .for_each(|ticket| ticket.give_back());
            return false;
        }
    }
    true
}

impl std::default::Default for GateLayer {
    fn default() -> Self {
        Self::new()
    }
}

impl<S> Layer<S> for GateLayer {
    type Service = GateService<S>;

    fn layer(&self, inner: S) -> GateService<S> {
        GateService {
            inner,
            gate: Arc::new(self.clone()),
        }
    }
}

/// The service that [`GateLayer`] makes.
#[derive(Clone, Debug)]
pub struct GateService<S> {
    inner: S,
    gate: Arc<GateLayer>,
}

impl<S> Service<ToolCall<Reviewing>> for GateService<S>
where
    S: Service<ToolCall<Authorized>> + Clone,
    S::Error: BlockedError,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = GateFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ToolCall<Reviewing>) -> Self::Future {
        let future = match self.gate.judge(&mut call) {
            Ok(_) if call.round().reach != Reach::Run => {
                release(&mut self.inner);
                call.round_mut().release_turn();
                Guarded::refuse(ToolBlocked::pending(call, Stage::Settled))
            }
            Ok(by) => {
                trace(&call, by);
                if let Some(observed) = &call.round().observed {
                    observed.allow(&call, by);
                }
                Guarded::forward(self.inner.call(call.authorize(by)))
            }
            Err(held) => {
                release(&mut self.inner);
                Guarded::refuse(held.into_blocked(call))
            }
        };
        GateFuture { future }
    }
}

fn trace(call: &ToolCall<Reviewing>, by: AllowedBy) {
    let span = &call.round().span;
    if span.is_none() {
        return;
    }
    span.record("decision", "allowed");
    span.record("kind", tracing::field::debug(by));
    let strictest = call.trail().strictest();
    let mut votes = call
        .trail()
        .iter()
        .filter(|e| Some(e.vote().effect()) == strictest);
    if let Some(rule) = votes.find_map(|entry| entry.vote().rule()) {
        span.record("rule", tracing::field::display(rule));
    }
}

pin_project! {
    /// The future of a [`GateService`].
    ///
    /// Marks a [`ToolBlocked`] that comes out of the tool itself, so that nobody further out
    /// takes it for a refusal of this call, which ran.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct GateFuture<F> {
        #[pin]
        future: Guarded<F>,
    }
}

impl<F, R, E> Future for GateFuture<F>
where
    F: Future<Output = Result<R, E>>,
    E: BlockedError,
{
    type Output = Result<R, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        let refused = future.refuses();
        future
            .poll(cx)
            .map_err(|error| if refused { error } else { mark(error) })
    }
}

fn mark<E: BlockedError>(error: E) -> E {
    match error.into_blocked() {
        Ok(blocked) => blocked.mark_inside_tool().into(),
        Err(error) => error,
    }
}
