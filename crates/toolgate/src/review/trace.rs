//! One span per call.

use std::time::Duration;

use tokio::time::Instant;
use tracing::{Span, field::Empty, span::Entered};

use crate::{BlockedError, Reviewing, ToolBlocked, ToolCall, blocked::Pending};

/// The span of one call: the tool, the outcome and the times; never an argument.
#[derive(Clone, Debug)]
pub(super) struct CallSpan {
    span: Span,
    /// Taken only if somebody listens.
    started: Option<Instant>,
    rounds: u32,
    waited: Duration,
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
            elapsed_us = Empty,
            waited_us = Empty,
        );
        let started = (!span.is_disabled()).then(Instant::now);
        if started.is_some() {
            call.round_mut().span = span.clone();
        }
        Self {
            span,
            started,
            rounds: 1,
            waited: Duration::ZERO,
        }
    }

    pub(super) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        self.span.in_scope(work)
    }

    pub(super) fn enter(&self) -> Entered<'_> {
        self.span.enter()
    }

    pub(super) fn came_back(&mut self, pending: &Pending) {
        self.rounds = pending.call.round().number + 1;
        self.waited = pending.call.round().waited;
    }

    /// Writes down how the call ended.
    pub(super) fn close<R, E: BlockedError>(&self, result: Result<R, E>) -> Result<R, E> {
        let Some(started) = self.started else {
            return result;
        };
        self.span.record("rounds", self.rounds);
        self.span.record("elapsed_us", micros(started.elapsed()));
        self.span.record("waited_us", micros(self.waited));
        let error = match result {
            Ok(response) => return Ok(response),
            Err(error) => error,
        };
        match error.into_blocked() {
            Ok(blocked) => {
                self.record_blocked(&blocked);
                Err(blocked.into())
            }
            Err(error) => {
                self.span.record("kind", "tool failed");
                Err(error)
            }
        }
    }

    fn record_blocked(&self, blocked: &ToolBlocked) {
        if blocked.is_from_inside_tool() {
            self.span.record("kind", "tool failed");
            return;
        }
        self.span.record("decision", "blocked");
        self.span
            .record("kind", tracing::field::display(blocked.kind()));
        if let Some(rule) = blocked.deciding_rule() {
            self.span.record("rule", tracing::field::display(rule));
        }
        tracing::info!(kind = %blocked.kind(), "tool call blocked");
    }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
