//! The handler that puts questions to a broker.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tower_service::Service;

use super::{Address, Broker, BrokerEvent, table::Entry};
use crate::{
    ApprovalDecision, ApprovalRequest, AskError, AskErrorKind, RequestId, clock::instant_at,
    sync::lock,
};

/// A handler for [`PromptLayer`](crate::PromptLayer) that puts questions to a [`Broker`].
#[derive(Clone, Debug)]
pub struct BrokerPrompt {
    broker: Broker,
    source: Arc<str>,
}

impl BrokerPrompt {
    pub(super) fn new(broker: Broker, source: Arc<str>) -> Self {
        Self { broker, source }
    }
}

impl Service<ApprovalRequest> for BrokerPrompt {
    type Response = ApprovalDecision;
    type Error = AskError;
    type Future = BrokerFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), AskError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: ApprovalRequest) -> BrokerFuture {
        let (id, request) = (request.id, Arc::new(request));
        let expires = request.expires.and_then(instant_at);
        let broker = self.broker.clone();
        let refused = {
            let mut table = lock(&broker.0.table);
            let entry = Entry::new(Arc::clone(&self.source), Arc::clone(&request), expires);
            let refused = table.put(entry).err();
            // It can be answered before anybody hears of it, so that no answer is lost.
            if refused.is_none() {
                broker.tell(|| BrokerEvent::Requested {
                    address: Address::new(&request.origin, Arc::clone(&self.source)),
                    request,
                });
            }
            refused
        };
        BrokerFuture {
            broker,
            id,
            refused,
        }
    }
}

/// The future of a [`BrokerPrompt`]. Dropping it withdraws the question.
#[must_use = "futures do nothing unless polled"]
pub struct BrokerFuture {
    broker: Broker,
    id: RequestId,
    /// Why there is no question to withdraw: it was not taken, or it is over.
    refused: Option<AskErrorKind>,
}

impl Future for BrokerFuture {
    type Output = Result<ApprovalDecision, AskError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(kind) = self.refused {
            return Poll::Ready(Err(AskError::new(kind)));
        }
        let answered = lock(&self.broker.0.table).poll(self.id, cx.waker());
        if answered.is_ready() {
            self.refused = Some(AskErrorKind::Withdrawn);
        }
        answered.map(|decision| decision.ok_or(AskError::new(AskErrorKind::Withdrawn)))
    }
}

impl Drop for BrokerFuture {
    fn drop(&mut self) {
        if self.refused.is_none() {
            self.broker.withdraw(self.id);
        }
    }
}

impl fmt::Debug for BrokerFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BrokerFuture")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}
