//! Asking by events, for hosts with user interfaces of their own.

mod event;
mod prompt;
mod respond;
mod subscription;
mod table;

use std::{fmt, sync::Arc};

use tokio::sync::broadcast;

use self::table::{End, Table};
pub use self::{
    event::{Address, BrokerEvent, Choice, EventFilter, PermissionResponse},
    prompt::{BrokerFuture, BrokerPrompt},
    respond::{RespondError, RespondErrorKind},
    subscription::Subscription,
};
use crate::{
    ApprovalRequest,
    sync::{Mutex, Step, lock},
};

/// Carries questions to whoever subscribed, and answers back to whoever asked.
///
/// A question is open from the moment it is put until it is answered, withdrawn or expired; all
/// four are events. An answer counts only for an open question, once, before the deadline, from
/// the same agent, session, branch and source, and from a principal who may answer.
///
/// Clones are the same broker. How many questions may be open is bounded, per session and in all;
/// beyond that a call is blocked as [overloaded](crate::BlockedKind::Overloaded).
///
/// # Example
///
/// ```
/// use toolgate::{
///     Args, Authorize, Broker, BrokerEvent, Choice, EventFilter, GateLayer, PermissionResponse,
///     PromptLayer, ReviewLayer, ToolCall,
/// };
/// use tower::{ServiceBuilder, ServiceExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let broker = Broker::new();
/// let mut events = broker.subscribe(EventFilter::all());
/// let stack = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(PromptLayer::new(broker.prompt("tools")))
///     .layer(GateLayer::new())
///     .service(Authorize::new());
///
/// let call = tokio::spawn(stack.oneshot(ToolCall::new("send_email", Args::new())));
/// let Some(BrokerEvent::Requested { address, request }) = events.recv().await else { return Ok(()) };
/// broker.respond(PermissionResponse::new(request.id, address, Choice::AllowOnce))?;
/// assert!(call.await?.is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Broker(Arc<Shared>);

struct Shared {
    table: Mutex<Table>,
    events: Events,
    may_answer: Box<MayAnswer>,
}

struct Events {
    sender: broadcast::Sender<BrokerEvent>,
    step: Step,
}

type MayAnswer = dyn Fn(&ApprovalRequest, Option<&str>) -> bool + Send + Sync;

impl Broker {
    /// How many events a subscriber may be behind before it starts over.
    const EVENTS: usize = 1_024;
    const PER_SESSION: usize = 256;
    const IN_ALL: usize = 65_536;

    /// Makes a broker with bounds that suit a person.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limits(Self::PER_SESSION, Self::IN_ALL)
    }

    /// Makes a broker with bounds of one's own: how many questions may be open in a session, and in
    /// all.
    #[must_use]
    pub fn with_limits(per_session: usize, in_all: usize) -> Self {
        Self::build(per_session, in_all, Box::new(same_principal))
    }

    /// Makes a broker in which `may_answer` says which principal may answer a question. Without
    /// this it is the principal on whose behalf the agent works, if one is named, and else anybody.
    #[must_use]
    pub fn with_approvers<F>(per_session: usize, in_all: usize, may_answer: F) -> Self
    where
        F: Fn(&ApprovalRequest, Option<&str>) -> bool + Send + Sync + 'static,
    {
        Self::build(per_session, in_all, Box::new(may_answer))
    }

    fn build(per_session: usize, in_all: usize, may_answer: Box<MayAnswer>) -> Self {
        let events = Events::new(Self::EVENTS);
        let table = Mutex::new(Table::new(per_session, in_all));
        Self(Arc::new(Shared {
            table,
            events,
            may_answer,
        }))
    }

    /// A handler that puts its questions to this broker. `source` says what asks, such as `tools`
    /// or `continuation`.
    #[must_use]
    pub fn prompt(&self, source: impl Into<Arc<str>>) -> BrokerPrompt {
        BrokerPrompt::new(self.clone(), source.into())
    }

    /// Hears of what happens from now on, and of every question that is open already.
    #[must_use]
    pub fn subscribe(&self, filter: EventFilter) -> Subscription {
        // Under the lock, so that no event falls between what is open and what comes.
        let table = lock(&self.0.table);
        let events = self.0.events.subscribe();
        Subscription::new(self.clone(), filter, events, table.open())
    }

    /// Every question that is open.
    #[must_use]
    pub fn open(&self) -> Vec<Arc<ApprovalRequest>> {
        let open = lock(&self.0.table).open();
        open.into_iter().map(|(_, request)| request).collect()
    }

    /// Says that a runtime serves `address`, as long as the guard lives. An answer for an address
    /// that nobody serves is told so.
    pub fn activate(&self, address: Address) -> ActiveRuntime {
        lock(&self.0.table).activate(&address);
        ActiveRuntime {
            broker: self.clone(),
            address,
        }
    }

    /// Events are sent under the lock of the table, so that they come in the order of what
    /// happened.
    fn tell(&self, event: impl FnOnce() -> BrokerEvent) {
        self.0.events.send(event);
    }

    /// Closes a question whose asker has gone.
    fn withdraw(&self, id: crate::RequestId) {
        let mut table = lock(&self.0.table);
        let late = table.get_mut(id).is_some_and(|entry| entry.is_expired());
        let end = if late { End::Expired } else { End::Withdrawn };
        let closed = table.close(id, end);
        if let Some(entry) = closed.as_ref().filter(|entry| entry.is_waiting()) {
            let address = || entry.address();
            self.tell(|| match end {
                End::Expired => BrokerEvent::Expired {
                    address: address(),
                    id,
                },
                End::Answered | End::Withdrawn => BrokerEvent::Withdrawn {
                    address: address(),
                    id,
                },
            });
        }
        // What was asked is taken apart while others go on.
        drop(table);
        drop(closed);
    }
}

impl Events {
    fn new(most: usize) -> Self {
        Self {
            sender: broadcast::channel(most).0,
            step: Step::default(),
        }
    }

    fn subscribe(&self) -> broadcast::Receiver<BrokerEvent> {
        self.step.take();
        self.sender.subscribe()
    }

    /// With nobody subscribed there is nobody to tell.
    fn send(&self, event: impl FnOnce() -> BrokerEvent) {
        self.step.take();
        if self.sender.receiver_count() > 0 {
            let _ = self.sender.send(event());
        }
    }
}

fn same_principal(request: &ApprovalRequest, principal: Option<&str>) -> bool {
    request
        .origin
        .principal()
        .is_none_or(|own| principal == Some(own))
}

impl Default for Broker {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Broker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Broker({} open)", lock(&self.0.table).len())
    }
}

/// Says that a runtime serves an address, as long as it lives. See [`Broker::activate`].
#[derive(Debug)]
#[must_use = "the runtime counts as active as long as this lives"]
pub struct ActiveRuntime {
    broker: Broker,
    address: Address,
}

impl Drop for ActiveRuntime {
    fn drop(&mut self) {
        lock(&self.broker.0.table).deactivate(&self.address);
    }
}

#[cfg(test)]
mod tests;
