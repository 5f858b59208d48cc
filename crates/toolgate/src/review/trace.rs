//! One span per call, and what an audit is told.

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;
use tracing::{
    Span,
    field::{Empty, display},
};

use crate::{
    BlockedError, BlockedKind, Reviewing, ToolBlocked, ToolCall, blocked::Pending,
    observed::Observed, round::Reach,
};

/// The span of one call: the tool, the outcome and the times; never an argument.
#[derive(Clone, Debug)]
pub(super) struct CallSpan {
    span: Span,
    /// Taken only if somebody listens.
    started: Option<Instant>,
    rounds: u32,
    observed: Option<Arc<Observed>>,
    /// Whether the call is only judged, and ends elsewhere.
    judged: bool,
}

impl CallSpan {
    pub(super) fn new(call: &mut ToolCall<Reviewing>) -> Self {
        let span = tracing::info_span!(
            "tool_call",
            tool = %call.tool(),
            decision = Empty,
            rule = Empty,
            kind = Empty,
            rounds = Empty,
            failed = Empty,
            elapsed_us = Empty,
            waited_us = 0_u64,
        );
        let started = (!span.is_disabled()).then(Instant::now);
        if started.is_some() {
            call.round_mut().span = span.clone();
        }
        let observed = call.round().observed.clone();
        if let Some(observed) = &observed {
            observed.begin();
        }
        Self {
            span,
            started,
            rounds: 1,
            observed,
            judged: call.round().reach == Reach::Judge,
        }
    }

    pub(super) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        self.span.in_scope(work)
    }

    /// The span, if anybody listens.
    pub(super) fn listened_to(&self) -> Option<Span> {
        self.started.map(|_| self.span.clone())
    }

    pub(super) fn came_back(&mut self, pending: &Pending) {
        self.rounds = pending.call.round().number + 1;
    }

    /// Writes down how the call ended.
    pub(super) fn close<R, E: BlockedError>(&self, result: Result<R, E>) -> Result<R, E> {
        if self.started.is_none() && self.observed.is_none() {
            return result;
        }
        if let Some(started) = self.started {
            self.span.record("rounds", self.rounds);
            self.span.record("elapsed_us", micros(started.elapsed()));
        }
        let error = match result {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        match error.into_blocked() {
            Ok(blocked) if blocked.is_settled() => {
                self.span.record("decision", "settled");
                if let Some(observed) = &self.observed {
                    observed.settle();
                }
                Err(blocked.into())
            }
            Ok(blocked) if !blocked.is_from_inside_tool() => {
                self.record_blocked(&blocked);
                Err(blocked.into())
            }
            other => {
                self.span.record("failed", true);
                other.map_or_else(Err, |blocked| Err(blocked.into()))
            }
        }
    }

    fn record_blocked(&self, blocked: &ToolBlocked) {
        match &self.observed {
            // It would be asked about; whether it is, and what comes of it, shows elsewhere.
            Some(seen) if self.judged && blocked.kind() == BlockedKind::NoHandler => seen.settle(),
            Some(seen) => seen.block(blocked),
            None => {}
        }
        if self.started.is_none() {
            return;
        }
        self.span.record("decision", "blocked");
        self.span.record("kind", display(blocked.kind()));
        if let Some(rule) = blocked.deciding_rule() {
            self.span.record("rule", display(rule));
        }
        tracing::info!("tool call blocked");
    }
}

/// Writes down how long somebody has been asked, in all rounds.
pub(crate) fn record_waiting(span: &Span, waited: Duration) {
    span.record("waited_us", micros(waited));
}

pub(crate) fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
