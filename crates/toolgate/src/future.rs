//! The futures of the services in this crate.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;

use crate::ToolBlocked;
pub use crate::{
    async_policy::AsyncPolicyFuture, audit::AuditFuture, blocked_as_result::BlockedAsResultFuture,
    broker::BrokerFuture, ceiling::CeilingFuture, channel::ChannelFuture,
    continuation::ContinuationFuture, gate::GateFuture, memory::MemoryFuture, prompt::PromptFuture,
    review::ReviewFuture, toolbox::ToolboxFuture,
};

pin_project! {
    /// Forwards to the inner service, or refuses at once. Every synchronous layer shares it.
    #[derive(Debug)]
    #[must_use = "futures do nothing unless polled"]
    pub struct Guarded<F> {
        #[pin]
        kind: Kind<F>,
    }
}

pin_project! {
    #[project = KindProj]
    #[derive(Debug)]
    enum Kind<F> {
        Forward { #[pin] future: F },
        Refuse { blocked: Option<ToolBlocked> },
    }
}

impl<F> Guarded<F> {
    pub(crate) fn forward(future: F) -> Self {
        Self {
            kind: Kind::Forward { future },
        }
    }

    pub(crate) fn refuse(blocked: ToolBlocked) -> Self {
        Self {
            kind: Kind::Refuse {
                blocked: Some(blocked),
            },
        }
    }

    pub(crate) fn refuses(&self) -> bool {
        matches!(self.kind, Kind::Refuse { .. })
    }
}

impl<F, R, E> Future for Guarded<F>
where
    F: Future<Output = Result<R, E>>,
    E: From<ToolBlocked>,
{
    type Output = Result<R, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().kind.project() {
            KindProj::Forward { future } => future.poll(cx),
            KindProj::Refuse { blocked } => match blocked.take() {
                Some(blocked) => Poll::Ready(Err(blocked.into())),
                None => Poll::Pending,
            },
        }
    }
}
