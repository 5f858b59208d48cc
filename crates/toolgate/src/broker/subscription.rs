//! Hearing of what happens.

use std::{collections::VecDeque, fmt, sync::Arc};

use tokio::sync::broadcast::{self, error::RecvError};

use super::{Address, Broker, BrokerEvent, EventFilter};
use crate::{ApprovalRequest, sync::lock};

/// The events that a subscriber hears of.
///
/// First come the questions that are open already. Whoever falls too far behind starts over: what
/// was missed is dropped, and every question that is open comes again.
pub struct Subscription {
    broker: Broker,
    filter: EventFilter,
    events: broadcast::Receiver<BrokerEvent>,
    first: VecDeque<BrokerEvent>,
}

impl Subscription {
    pub(super) fn new(
        broker: Broker,
        filter: EventFilter,
        events: broadcast::Receiver<BrokerEvent>,
        open: Vec<(Address, Arc<ApprovalRequest>)>,
    ) -> Self {
        let mut subscription = Self {
            broker,
            filter,
            events,
            first: VecDeque::new(),
        };
        subscription.start_over(open);
        subscription
    }

    /// The next event. A subscription keeps its broker alive, so there is always one to come.
    pub async fn recv(&mut self) -> Option<BrokerEvent> {
        loop {
            if let Some(event) = self.first.pop_front() {
                return Some(event);
            }
            match self.events.recv().await {
                Ok(event) if self.filter.wants(event.address()) => return Some(event),
                Ok(_) => {}
                Err(RecvError::Lagged(_)) => self.catch_up(),
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn catch_up(&mut self) {
        let broker = self.broker.clone();
        let table = lock(&broker.0.table);
        self.events = self.events.resubscribe();
        self.start_over(table.open());
    }

    fn start_over(&mut self, open: Vec<(Address, Arc<ApprovalRequest>)>) {
        let wanted = open
            .into_iter()
            .filter(|(address, _)| self.filter.wants(address));
        self.first = wanted
            .map(|(address, request)| BrokerEvent::Requested { address, request })
            .collect();
    }
}

impl fmt::Debug for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription")
            .field("filter", &self.filter)
            .finish_non_exhaustive()
    }
}
