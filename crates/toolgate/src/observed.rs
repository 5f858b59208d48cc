//! What the layers of a stack let an audit around it know.

use std::{fmt, sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::{
    AllowedBy, Args, BlockedKind, Reviewing, ToolBlocked, ToolCall, Trail,
    round::{Answer, AnsweredBy},
    sync::{Mutex, lock},
};

/// A place that an audit hangs onto a call, where the layers further in write what nobody outside
/// could see. A call without an audit has none, and writes nothing.
pub(crate) struct Observed {
    seen: Mutex<Observation>,
    unfinished: Mutex<Vec<Unfinished>>,
}

/// Makes the record of a call that was settled, and never came again.
type Unfinished = Box<dyn FnOnce() + Send>;

/// What was written so far.
#[derive(Clone, Debug)]
pub(crate) struct Observation {
    pub(crate) allowed: Option<AllowedBy>,
    pub(crate) blocked: Option<(BlockedKind, Option<Arc<str>>)>,
    pub(crate) answered: Option<AnsweredBy>,
    pub(crate) answered_as: Option<Arc<str>>,
    /// The votes that decided, or that wait for an answer.
    pub(crate) trail: Trail,
    /// The arguments that the gate let through.
    pub(crate) args: Option<Args>,
    /// Whether the call was only settled, and will come again to run.
    pub(crate) settled: bool,
    /// How often the gate let the call through.
    pub(crate) runs: u32,
    pub(crate) waited: Duration,
    pub(crate) ran: Duration,
    phase: Phase,
    since: Instant,
}

/// What a call is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Judged,
    Waiting,
    Running,
}

impl Observation {
    fn enter(&mut self, phase: Phase) {
        let now = Instant::now();
        let spent = now - self.since;
        match self.phase {
            Phase::Judged => {}
            Phase::Waiting => self.waited += spent,
            Phase::Running => self.ran += spent,
        }
        (self.phase, self.since) = (phase, now);
    }
}

impl Observed {
    pub(crate) fn new() -> Self {
        let seen = Mutex::new(Observation {
            allowed: None,
            blocked: None,
            answered: None,
            answered_as: None,
            trail: Trail::default(),
            args: None,
            settled: false,
            runs: 0,
            waited: Duration::ZERO,
            ran: Duration::ZERO,
            phase: Phase::Judged,
            since: Instant::now(),
        });
        Self {
            seen,
            unfinished: Mutex::default(),
        }
    }

    /// What is done if the call was settled and is given up before it comes again.
    pub(crate) fn if_given_up(&self, record: impl FnOnce() + Send + 'static) {
        lock(&self.unfinished).push(Box::new(record));
    }

    /// The call came again.
    pub(crate) fn came_again(&self) {
        lock(&self.unfinished).clear();
    }

    /// A review begins. If it is not the first, somebody tries the call again.
    pub(crate) fn begin(&self) {
        let mut seen = lock(&self.seen);
        seen.enter(Phase::Judged);
        (seen.allowed, seen.blocked, seen.answered) = (None, None, None);
        seen.answered_as = None;
        seen.settled = false;
        seen.trail.clear();
    }

    /// The gate lets the call through.
    pub(crate) fn allow(&self, call: &ToolCall<Reviewing>, by: AllowedBy) {
        let mut seen = lock(&self.seen);
        seen.enter(Phase::Running);
        seen.allowed = Some(by);
        seen.trail = call.trail().clone();
        seen.args = Some(call.args().clone());
        if by == AllowedBy::Human {
            // In a batch, somebody answered before this review began.
            let answer = call.round().answer.as_ref();
            seen.answered_as = answer.and_then(|answer| answer.decision().by.clone());
        }
        seen.runs = seen.runs.saturating_add(1);
    }

    /// The call would run, and was only to be settled.
    pub(crate) fn settle(&self) {
        lock(&self.seen).settled = true;
    }

    /// The review ends with a refusal.
    pub(crate) fn block(&self, blocked: &ToolBlocked) {
        let mut seen = lock(&self.seen);
        seen.enter(Phase::Judged);
        seen.blocked = Some((blocked.kind(), blocked.shared_reason()));
        seen.trail = blocked.trail().clone();
    }

    /// Somebody answered, or the mode did in their place.
    pub(crate) fn answer(&self, answer: &Answer) {
        let mut seen = lock(&self.seen);
        seen.answered = Some(answer.by());
        seen.answered_as.clone_from(&answer.decision().by);
    }

    /// Everything up to now.
    pub(crate) fn take_stock(&self) -> Observation {
        let mut seen = lock(&self.seen);
        seen.enter(Phase::Judged);
        seen.clone()
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        let unfinished = std::mem::take(&mut *lock(&self.unfinished));
        for record in unfinished {
            record();
        }
    }
}

impl fmt::Debug for Observed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observed").finish_non_exhaustive()
    }
}

/// Counts as waiting until it is dropped, which happens as well when the call is given up.
pub(crate) struct Waiting(Option<Arc<Observed>>);

impl Waiting {
    pub(crate) fn begin(call: &ToolCall<Reviewing>) -> Self {
        let observed = call.round().observed.clone();
        if let Some(observed) = &observed {
            let mut seen = lock(&observed.seen);
            seen.enter(Phase::Waiting);
            seen.trail = call.trail().clone();
        }
        Self(observed)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(observed) = &self.0 {
            lock(&observed.seen).enter(Phase::Judged);
        }
    }
}
