//! The open questions.

use std::{
    collections::{
        HashMap, VecDeque,
        hash_map::Entry::{Occupied, Vacant},
    },
    hash::BuildHasher,
    num::NonZeroU64,
    sync::Arc,
    task::{Poll, Waker},
};

use foldhash::fast::RandomState;
use tokio::time::Instant;

use super::Address;
use crate::{ApprovalDecision, ApprovalRequest, AskErrorKind, RequestId};

/// The open questions, and how the latest of the others ended. Putting, answering and closing one
/// takes the same time however many there are.
pub(super) struct Table {
    /// Boxed, so that a table with room to spare has little of it.
    open: HashMap<RequestId, Box<Entry>, RandomState>,
    per_session: PerSession,
    ended: Ended,
    active: HashMap<Address, usize, RandomState>,
    /// Whether anybody ever said which addresses are served.
    served: bool,
    most_per_session: usize,
    most_in_all: usize,
}

/// One question. Where it comes from stands in the request, but for what asks.
pub(super) struct Entry {
    source: Arc<str>,
    /// Where the questions of its session are counted.
    session: Option<SessionHash>,
    pub(super) request: Arc<ApprovalRequest>,
    expires: Option<Instant>,
    state: State,
}

enum State {
    Waiting(Option<Waker>),
    Answered(Box<ApprovalDecision>),
}

/// How a question ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Answered,
    Withdrawn,
    Expired,
}

/// How the latest questions ended, so that a late answer can be told why it does not count.
#[derive(Default)]
struct Ended {
    ends: HashMap<RequestId, End, RandomState>,
    order: VecDeque<RequestId>,
}

impl Ended {
    const MOST: usize = 4_096;

    fn note(&mut self, id: RequestId, end: End) {
        if self.ends.insert(id, end).is_none() {
            self.order.push_back(id);
        }
        if self.order.len() > Self::MOST {
            let oldest = self.order.pop_front();
            oldest.and_then(|oldest| self.ends.remove(&oldest));
        }
    }
}

impl Table {
    pub(super) fn new(most_per_session: usize, most_in_all: usize) -> Self {
        Self {
            open: HashMap::default(),
            per_session: PerSession::default(),
            ended: Ended::default(),
            active: HashMap::default(),
            served: false,
            most_per_session,
            most_in_all,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Every question that waits for an answer.
    pub(super) fn open(&self) -> Vec<(Address, Arc<ApprovalRequest>)> {
        let waiting = self.open.values().filter(|entry| entry.is_waiting());
        waiting
            .map(|entry| (entry.address(), Arc::clone(&entry.request)))
            .collect()
    }

    /// Opens a question, if there is room for it and it is not open already.
    pub(super) fn put(&mut self, mut entry: Entry) -> Result<(), AskErrorKind> {
        if self.open.contains_key(&entry.request.id) {
            return Err(AskErrorKind::AlreadyAsked);
        }
        entry.session = self.per_session.hash(entry.request.origin.session());
        let full = self.open.len() >= self.most_in_all;
        if full || !self.per_session.add(entry.session, self.most_per_session) {
            return Err(AskErrorKind::Overloaded);
        }
        self.open.insert(entry.request.id, Box::new(entry));
        Ok(())
    }

    pub(super) fn request(&self, id: RequestId) -> Option<Arc<ApprovalRequest>> {
        self.open.get(&id).map(|entry| Arc::clone(&entry.request))
    }

    pub(super) fn get_mut(&mut self, id: RequestId) -> Option<&mut Entry> {
        self.open.get_mut(&id).map(|entry| &mut **entry)
    }

    /// How a question that is not open ended, if that is still known.
    pub(super) fn end_of(&self, id: RequestId) -> Option<End> {
        self.ended.ends.get(&id).copied()
    }

    /// Takes the answer, if there is one.
    pub(super) fn poll(&mut self, id: RequestId, waker: &Waker) -> Poll<Option<ApprovalDecision>> {
        let Some(entry) = self.open.get_mut(&id) else {
            return Poll::Ready(None);
        };
        if let State::Waiting(waiting) = &mut entry.state {
            *waiting = Some(waker.clone());
            return Poll::Pending;
        }
        let entry = self.close(id, End::Answered);
        Poll::Ready(entry.and_then(|entry| match entry.state {
            State::Answered(decision) => Some(*decision),
            State::Waiting(_) => None,
        }))
    }

    /// Closes a question. One that was answered ended so, whatever `end` says.
    pub(super) fn close(&mut self, id: RequestId, end: End) -> Option<Box<Entry>> {
        let entry = self.open.remove(&id)?;
        self.per_session.remove(entry.session);
        let end = if entry.is_waiting() {
            end
        } else {
            End::Answered
        };
        self.ended.note(id, end);
        Some(entry)
    }

    pub(super) fn activate(&mut self, address: &Address) {
        self.served = true;
        *self.active.entry(address.clone()).or_default() += 1;
    }

    pub(super) fn deactivate(&mut self, address: &Address) {
        if let Some(count) = self.active.get_mut(address) {
            *count -= 1;
            if *count == 0 {
                self.active.remove(address);
            }
        }
    }

    /// Whether somebody serves the address. If nobody ever says so, nothing is known.
    pub(super) fn is_active(&self, address: &Address) -> bool {
        !self.served || self.active.contains_key(address)
    }
}

/// How many questions are open in each session.
#[derive(Default)]
struct PerSession {
    /// By the hash of the session, which nobody outside can tell: a table that grows need not look
    /// at every session again. Two of the same hash would share what is there for one.
    named: HashMap<SessionHash, u32, RandomState>,
    /// How many come from calls that name no session.
    unnamed: usize,
}

/// Never zero, so that there is room for none.
type SessionHash = NonZeroU64;

impl PerSession {
    fn hash(&self, session: Option<&str>) -> Option<SessionHash> {
        let hash = |session| self.named.hasher().hash_one(session);
        session.map(|session| SessionHash::new(hash(session)).unwrap_or(SessionHash::MIN))
    }

    /// Counts one more, if there is room for it.
    fn add(&mut self, session: Option<SessionHash>, most: usize) -> bool {
        let Some(session) = session else {
            let room = self.unnamed < most;
            self.unnamed += usize::from(room);
            return room;
        };
        match self.named.entry(session) {
            Occupied(mut count) => {
                let room = usize::try_from(*count.get()).is_ok_and(|count| count < most);
                let more = count.get().saturating_add(u32::from(room));
                count.insert(more);
                room
            }
            Vacant(none) if most > 0 => {
                none.insert(1);
                true
            }
            Vacant(_) => false,
        }
    }

    fn remove(&mut self, session: Option<SessionHash>) {
        let Some(session) = session else {
            self.unnamed = self.unnamed.saturating_sub(1);
            return;
        };
        if let Occupied(mut count) = self.named.entry(session) {
            match *count.get() {
                0 | 1 => drop(count.remove()),
                more => drop(count.insert(more - 1)),
            }
        }
    }
}

impl Entry {
    pub(super) fn new(
        source: Arc<str>,
        request: Arc<ApprovalRequest>,
        expires: Option<Instant>,
    ) -> Self {
        Self {
            source,
            session: None,
            request,
            expires,
            state: State::Waiting(None),
        }
    }

    pub(super) fn address(&self) -> Address {
        Address::new(&self.request.origin, Arc::clone(&self.source))
    }

    /// Whether the address is its own.
    pub(super) fn is_from(&self, address: &Address) -> bool {
        let origin = &self.request.origin;
        *origin.agent() == address.agent
            && origin.session() == address.session.as_deref()
            && origin.branch() == address.branch.as_deref()
            && self.source == address.source
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting(_))
    }

    pub(super) fn is_expired(&self) -> bool {
        self.expires
            .is_some_and(|expires| Instant::now() >= expires)
    }

    /// Answers, if it still waits. Returns whom to wake.
    pub(super) fn answer(&mut self, decision: ApprovalDecision) -> Option<Waker> {
        let answered = State::Answered(Box::new(decision));
        match std::mem::replace(&mut self.state, answered) {
            State::Waiting(waker) => waker,
            State::Answered(_) => None,
        }
    }
}
