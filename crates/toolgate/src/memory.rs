//! Answering what was answered before.

mod future;
mod grant;
mod grants;
mod hash;
mod query;
mod record;
mod store;

use std::{
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tower_layer::Layer;
use tower_service::Service;

pub(crate) use self::query::rule_name;
pub use self::{
    future::MemoryFuture,
    grant::{Grant, GrantDecision, GrantId, GrantScope},
    grants::Grants,
    query::GrantQuery,
    store::{Answering, Found, GrantStore, StoreError, Ticket},
};
use crate::{
    BlockedKind, Reviewing, ToolBlocked, ToolCall, future::Guarded, release::release,
    round::Granted,
};

/// Answers what was answered before, and remembers what somebody wants to be remembered.
///
/// Stands inside all policies, right before the gate. It answers asks and nothing else: a grant
/// never turns a deny, and it answers only the rules that its question named, for an operation with
/// the same payload, in the same scope. A remembered no wins over a remembered yes. In
/// [strict mode](crate::Mode::Strict) only what was declined counts.
///
/// If the store cannot be read there are no grants: the call is asked about.
///
/// # Example
///
/// ```
/// use tower::{ServiceBuilder, ServiceExt, service_fn};
/// use toolgate::{
///     AllowedBy, ApprovalDecision, ApprovalRequest, Args, Authorize, GateLayer, Grants,
///     MemoryLayer, PromptLayer, Remember, ReviewLayer, ToolBlocked, ToolCall,
/// };
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), ToolBlocked> {
/// let human = service_fn(|_: ApprovalRequest| async {
///     Ok::<_, std::io::Error>(ApprovalDecision::approve().remembered(Remember::Session))
/// });
/// let grants = Grants::new();
/// let stack = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(PromptLayer::new(human))
///     .layer(MemoryLayer::new(grants.clone()))
///     .layer(GateLayer::new())
///     .service(Authorize::new());
///
/// let first = stack.clone().oneshot(ToolCall::new("build", Args::new())).await?;
/// assert_eq!(first.allowed_by(), AllowedBy::Human);
/// let second = stack.oneshot(ToolCall::new("build", Args::new())).await?;
/// assert_eq!(second.allowed_by(), AllowedBy::Memory);
/// assert_eq!(grants.list().len(), 1);
/// # Ok(())
/// # }
/// ```
#[must_use = "a layer does nothing until it wraps a service"]
pub struct MemoryLayer<M = Grants> {
    store: Arc<M>,
}

impl<M: GrantStore> MemoryLayer<M> {
    /// Remembers in `store`.
    pub fn new(store: M) -> Self {
        Self {
            store: Arc::new(store),
        }
    }
}

impl<M> Clone for MemoryLayer<M> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
        }
    }
}

impl<M> fmt::Debug for MemoryLayer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryLayer").finish_non_exhaustive()
    }
}

impl<S, M> Layer<S> for MemoryLayer<M> {
    type Service = MemoryService<S, M>;

    fn layer(&self, inner: S) -> Self::Service {
        MemoryService {
            inner,
            memory: self.clone(),
        }
    }
}

/// The service that [`MemoryLayer`] makes.
pub struct MemoryService<S, M = Grants> {
    inner: S,
    memory: MemoryLayer<M>,
}

impl<S: Clone, M> Clone for MemoryService<S, M> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            memory: self.memory.clone(),
        }
    }
}

impl<S: fmt::Debug, M> fmt::Debug for MemoryService<S, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryService")
            .field("inner", &self.inner)
            .finish_non_exhaustive()
    }
}

impl<S, M> Service<ToolCall<Reviewing>> for MemoryService<S, M>
where
    S: Service<ToolCall<Reviewing>> + Clone,
    S::Error: From<ToolBlocked>,
    M: GrantStore,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = MemoryFuture<S>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut call: ToolCall<Reviewing>) -> Self::Future {
        call.round_mut().remembers = true;
        match consult(&*self.memory.store, &mut call) {
            Consulted::Go => MemoryFuture::at_once(Guarded::forward(self.inner.call(call))),
            Consulted::Stop(blocked) => {
                release(&mut self.inner);
                MemoryFuture::at_once(Guarded::refuse(blocked))
            }
            Consulted::Wait(first) => {
                release(&mut self.inner);
                let store = Arc::clone(&self.memory.store);
                MemoryFuture::later(self.inner.clone(), consult_later(store, call, first))
            }
        }
    }
}

/// What came of looking at once.
enum Consulted {
    Go,
    Stop(ToolBlocked),
    /// The store has to wait for something.
    Wait(First),
}

type Later<T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send>>;

/// What a store has begun, and has to wait for.
enum First {
    Record(Later<()>),
    Lookup(usize, Later<Found>),
}

/// Consults a store that answers at once.
fn consult(store: &impl GrantStore, call: &mut ToolCall<Reviewing>) -> Consulted {
    if call.answer_to_remember().is_some() {
        match store.record(call.grants_to_record()) {
            Answering::Now(recorded) => call.recorded(recorded),
            Answering::Later(recording) => return Consulted::Wait(First::Record(recording)),
        }
    }
    if !call.has_open_ask() {
        return Consulted::Go;
    }
    for place in 0..call.open_asks() {
        let Some(found) = call.with_open_ask(place, |query| store.lookup(query)) else {
            continue;
        };
        match found {
            Answering::Now(found) => {
                if let Err(blocked) = call.take(place, found) {
                    return Consulted::Stop(blocked);
                }
            }
            Answering::Later(looking) => return Consulted::Wait(First::Lookup(place, looking)),
        }
    }
    Consulted::Go
}

/// Goes on with a store that has to wait for something.
async fn consult_later<M: GrantStore>(
    store: Arc<M>,
    mut call: ToolCall<Reviewing>,
    first: First,
) -> Result<ToolCall<Reviewing>, ToolBlocked> {
    let next = match first {
        First::Record(recording) => {
            let recorded = recording.await;
            call.recorded(recorded);
            0
        }
        First::Lookup(place, looking) => {
            let found = looking.await;
            call.take(place, found)?;
            place + 1
        }
    };
    for place in next..call.open_asks() {
        if let Some(found) = call.with_open_ask(place, |query| store.lookup(query)) {
            let found = found.wait().await;
            call.take(place, found)?;
        }
    }
    Ok(call)
}

impl ToolCall<Reviewing> {
    /// Takes down what was remembered for one ask.
    fn take(&mut self, place: usize, found: Result<Found, StoreError>) -> Result<(), ToolBlocked> {
        match found {
            Ok(Found::Nothing) => {}
            Ok(Found::Allowed(ticket)) => {
                let granted = self.ask_at(place).filter(|_| !self.round().is_strict());
                let granted = granted.map(|ask| Granted { ticket, ..ask });
                self.round_mut().granted.extend(granted);
            }
            Ok(Found::Denied(note)) => {
                return Err(ToolBlocked::new(self, BlockedKind::RememberedDenial, note));
            }
            Err(error) => tracing::error!(%error, "grants cannot be read; the call is asked about"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
