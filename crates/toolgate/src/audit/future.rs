//! One call that is watched to its end.

use std::{
    fmt,
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::SystemTime,
};

use pin_project_lite::pin_project;

use super::{AuditRecord, Settings, record::End};
use crate::{
    ToolCall,
    observed::{Observation, Observed},
};

pin_project! {
    /// The future of an [`AuditService`](crate::AuditService).
    #[must_use = "futures do nothing unless polled"]
    pub struct AuditFuture<F> {
        #[pin]
        future: F,
        // After the future: by the time this is dropped, everything inside has said its last.
        recorder: Recorder,
    }
}

impl<F> AuditFuture<F> {
    pub(super) fn new(future: F, mut recorder: Recorder) -> Self {
        recorder.end = Some(End::Dropped);
        Self { future, recorder }
    }
}

impl<F, R, E> Future for AuditFuture<F>
where
    F: Future<Output = Result<R, E>>,
{
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        // If this panics, it stays so.
        let before = this.recorder.end.replace(End::Failed);
        let polled = this.future.poll(cx);
        this.recorder.end = before;
        if let Poll::Ready(result) = &polled {
            this.recorder.record(match result {
                Ok(_) => End::Returned,
                Err(_) => End::Failed,
            });
        }
        polled
    }
}

impl<F> fmt::Debug for AuditFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuditFuture").finish_non_exhaustive()
    }
}

/// Makes one record of one call, at the latest when it is dropped.
pub(super) struct Recorder {
    settings: Arc<Settings>,
    call: ToolCall,
    observed: Arc<Observed>,
    began: SystemTime,
    /// How the call ends if nothing more is heard of it; none once it is recorded.
    end: Option<End>,
}

impl Recorder {
    pub(super) fn new(settings: Arc<Settings>, call: &mut ToolCall) -> Self {
        let observed = call.observe();
        observed.came_again();
        Self {
            settings,
            call: call.unobserved(),
            observed,
            began: SystemTime::now(),
            end: Some(End::Failed),
        }
    }

    fn record(&mut self, end: End) {
        if self.end.take().is_none() {
            return;
        }
        let seen = self.observed.take_stock();
        if !seen.settled {
            return write(&self.settings, &self.call, self.began, end, seen);
        }
        // It comes again to run; that is its one outcome, unless it is given up before.
        if self.call.is_of_a_batch() {
            let (settings, call) = (Arc::clone(&self.settings), self.call.clone());
            let began = self.began;
            self.observed
                .if_given_up(move || write(&settings, &call, began, End::Dropped, seen));
        }
    }
}

fn write(settings: &Settings, call: &ToolCall, began: SystemTime, end: End, seen: Observation) {
    let record = || {
        let record = AuditRecord::new(settings, call, began, end, seen);
        settings.sink.record(&record);
    };
    if catch_unwind(AssertUnwindSafe(record)).is_err() {
        tracing::error!(tool = %call.tool(), "the sink of the audit panicked");
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(end) = self.end {
            self.record(end);
        }
    }
}
