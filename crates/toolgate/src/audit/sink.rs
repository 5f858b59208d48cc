//! Where records go.

use std::sync::Arc;

use super::{AuditOutcome, AuditRecord};
use crate::{CallId, visible::visible};

/// Takes records.
///
/// It is called where the call ends, on whatever thread that is: it should be quick. A panic is
/// caught, and the call goes on as if nothing had happened.
///
/// # Example
///
/// ```
/// use toolgate::{AuditLayer, AuditRecord};
///
/// let layer = AuditLayer::new(|record: &AuditRecord| println!("{:?}", record.outcome));
/// # let _ = layer;
/// ```
pub trait AuditSink: Send + Sync + 'static {
    /// Takes one record.
    fn record(&self, record: &AuditRecord);
}

impl<F> AuditSink for F
where
    F: Fn(&AuditRecord) + Send + Sync + 'static,
{
    fn record(&self, record: &AuditRecord) {
        self(record);
    }
}

impl<K: AuditSink + ?Sized> AuditSink for Arc<K> {
    fn record(&self, record: &AuditRecord) {
        (**self).record(record);
    }
}

/// Makes one `tracing` event of each record, at info. It shows neither arguments nor reasons,
/// which may quote them.
///
/// # Example
///
/// ```
/// use toolgate::{AuditLayer, TracingSink};
///
/// let layer = AuditLayer::new(TracingSink::new());
/// # let _ = layer;
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct TracingSink {}

impl TracingSink {
    /// Makes a sink.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl AuditSink for TracingSink {
    fn record(&self, record: &AuditRecord) {
        let rule = record.rules.iter().find_map(|rule| rule.rule.as_deref());
        let (end, by, kind) = parts(record.outcome);
        tracing::info!(
            tool = %record.tool,
            call_id = record.call_id.as_ref().map(CallId::to_string),
            session = record.origin.session().map(|name| visible(name).into_owned()),
            agent = %record.origin.agent(),
            end,
            by,
            kind,
            rule,
            runs = record.runs,
            waited_us = record.waited_us,
            ran_us = record.ran_us,
            digest = %record.digest,
            "tool call ended"
        );
    }
}

fn parts(outcome: AuditOutcome) -> (&'static str, Option<String>, Option<String>) {
    let word = |by| format!("{by:?}");
    match outcome {
        AuditOutcome::Allowed { by } => ("allowed", Some(word(by)), None),
        AuditOutcome::Blocked { kind } => ("blocked", None, Some(kind.to_string())),
        AuditOutcome::Failed { by } => ("failed", by.map(word), None),
        AuditOutcome::Dropped { by } => ("dropped", by.map(word), None),
        AuditOutcome::Unreviewed => ("unreviewed", None, None),
    }
}
