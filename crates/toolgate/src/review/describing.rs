//! Attaching what is known of a call.

use std::{
    convert::Infallible,
    error::Error,
    fmt,
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use tower::util::Oneshot;
use tower_service::Service;

use crate::{
    Annotations, BlockedKind, Describe, Description, Reviewing, ToolBlocked, ToolCall, ToolRules,
    round::Requirement,
};

/// Everybody who says what a call can do.
#[derive(Clone)]
pub(super) struct Describers<A> {
    synchronous: Vec<Arc<dyn Describe>>,
    tool_rules: Option<ToolRules>,
    asynchronous: Option<A>,
}

impl Default for Describers<NoAsyncDescriber> {
    fn default() -> Self {
        Self {
            synchronous: Vec::new(),
            tool_rules: None,
            asynchronous: None,
        }
    }
}

impl<A> fmt::Debug for Describers<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Describers")
            .field("synchronous", &self.synchronous.len())
            .field("tool_rules", &self.tool_rules)
            .field("asynchronous", &self.asynchronous.is_some())
            .finish()
    }
}

impl<A> Describers<A> {
    pub(super) fn add(&mut self, describer: Arc<dyn Describe>) {
        self.synchronous.push(describer);
    }

    pub(super) fn set_tool_rules(&mut self, rules: ToolRules) {
        self.tool_rules = Some(rules);
    }

    pub(super) fn with_async<B>(self, describer: B) -> Describers<B> {
        let Self {
            synchronous,
            tool_rules,
            asynchronous: _,
        } = self;
        Describers {
            synchronous,
            tool_rules,
            asynchronous: Some(describer),
        }
    }

    pub(super) fn is_async(&self) -> bool {
        self.asynchronous.is_some()
    }

    /// Attaches what can be said at once.
    pub(super) fn describe(&self, call: &mut ToolCall<Reviewing>) -> Result<(), ToolBlocked> {
        let entries = self
            .tool_rules
            .as_ref()
            .map(|rules| rules.of(call.tool()))
            .unwrap_or_default();
        if !entries.is_empty() {
            let round = call.round_mut();
            entries.add_labels(&mut round.labels);
            round.payload_keys.extend(entries.payload_keys().cloned());
        }
        for describer in &self.synchronous {
            match describer.describe(call, &entries) {
                Ok(description) => attach(call, description),
                Err(error) => return Err(failed(call, error.into_source())),
            }
        }
        Ok(())
    }
}

impl<A: Service<ToolCall<Reviewing>> + Clone> Describers<A> {
    /// Starts what takes longer, if there is any.
    pub(super) fn start(
        &self,
        call: &ToolCall<Reviewing>,
    ) -> Option<Oneshot<A, ToolCall<Reviewing>>> {
        let describer = self.asynchronous.clone()?;
        Some(Oneshot::new(describer, call.copy_to_look_at()))
    }
}

pub(super) fn attach(call: &mut ToolCall<Reviewing>, description: Description) {
    if description.annotations != Annotations::default() {
        call.annotate(description.annotations);
    }
    let round = call.round_mut();
    if !description.labels.is_empty() {
        round.labels.extend(description.labels);
    }
    if description.requires_approval {
        round.requirement = Requirement::Approval;
    }
}

pub(super) fn failed(
    call: &ToolCall<Reviewing>,
    error: impl Into<Box<dyn Error + Send + Sync>>,
) -> ToolBlocked {
    let reason = Some("cannot tell what the call can do".into());
    ToolBlocked::new(call, BlockedKind::PolicyFailed, reason).with_source(error)
}

/// Stands where a [`ReviewLayer`](crate::ReviewLayer) has no asynchronous describer.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct NoAsyncDescriber {}

impl Service<ToolCall<Reviewing>> for NoAsyncDescriber {
    type Response = Description;
    type Error = Infallible;
    type Future = Ready<Result<Description, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: ToolCall<Reviewing>) -> Self::Future {
        ready(Ok(Description::new()))
    }
}
