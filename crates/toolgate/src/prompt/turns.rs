//! One question at a time in each session, in order.

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use foldhash::fast::RandomState;

use crate::sync::{AtomicBool, Mutex, Ordering, lock};

/// Whose turn it is to ask, session by session. Clones share the turns.
///
/// Calls that name no session share one.
#[derive(Clone, Default)]
pub struct Turns(Arc<Mutex<Sessions>>);

type Session = Option<Box<str>>;
type Sessions = HashMap<Session, VecDeque<Arc<Waiter>>, RandomState>;

/// Somebody who waits for a turn.
struct Waiter(Mutex<Place>);

enum Place {
    Waiting(Option<Waker>),
    /// The turn has come.
    Called,
    /// Nobody waits here any more; the turn goes on to the next.
    Gone,
}

impl Turns {
    /// Makes turns that nobody has taken.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Waits for a turn in the session.
    pub(crate) fn take(&self, session: Option<&str>) -> TakeTurn {
        TakeTurn {
            turns: self.clone(),
            session: session.map(Box::from),
            waiter: None,
        }
    }

    /// Whether no session has a turn taken.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        lock(&self.0).is_empty()
    }

    /// Takes the turn if nobody has it, or a place in the queue.
    fn join(&self, session: &Session) -> Option<Arc<Waiter>> {
        let mut sessions = lock(&self.0);
        match sessions.get_mut(session) {
            None => {
                sessions.insert(session.clone(), VecDeque::new());
                None
            }
            Some(queue) => {
                let waiter = Arc::new(Waiter(Mutex::new(Place::Waiting(None))));
                queue.push_back(Arc::clone(&waiter));
                Some(waiter)
            }
        }
    }

    /// Gives the turn to the next who still waits.
    fn pass_on(&self, session: &Session) {
        let mut sessions = lock(&self.0);
        let Some(queue) = sessions.get_mut(session) else {
            return;
        };
        while let Some(waiter) = queue.pop_front() {
            let mut place = lock(&waiter.0);
            if let Place::Waiting(waker) = &mut *place {
                let waker = waker.take();
                *place = Place::Called;
                drop(place);
                drop(sessions);
                waker.into_iter().for_each(Waker::wake);
                return;
            }
        }
        sessions.remove(session);
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turns").finish_non_exhaustive()
    }
}

/// Resolves when it is this call's turn; says whether it had to wait.
pub(crate) struct TakeTurn {
    turns: Turns,
    session: Session,
    waiter: Option<Arc<Waiter>>,
}

impl Future for TakeTurn {
    type Output = (Turn, bool);

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if self.waiter.is_none() {
            match self.turns.join(&self.session) {
                None => return Poll::Ready((self.turn(), false)),
                Some(waiter) => self.waiter = Some(waiter),
            }
        }
        let Some(waiter) = &self.waiter else {
            return Poll::Pending;
        };
        let mut place = lock(&waiter.0);
        if matches!(*place, Place::Called) {
            // From here on the turn passes on when the `Turn` is dropped.
            *place = Place::Gone;
            drop(place);
            self.waiter = None;
            return Poll::Ready((self.turn(), true));
        }
        *place = Place::Waiting(Some(cx.waker().clone()));
        Poll::Pending
    }
}

impl TakeTurn {
    fn turn(&self) -> Turn {
        Turn {
            turns: self.turns.clone(),
            session: self.session.clone(),
            held: AtomicBool::new(true),
        }
    }
}

impl Drop for TakeTurn {
    fn drop(&mut self) {
        let Some(waiter) = self.waiter.take() else {
            return;
        };
        let place = std::mem::replace(&mut *lock(&waiter.0), Place::Gone);
        // The turn came, and nobody is there to take it.
        if matches!(place, Place::Called) {
            self.turns.pass_on(&self.session);
        }
    }
}

/// A turn. Dropping it passes it on, and so does releasing it, for all clones of the call that
/// has it.
pub(crate) struct Turn {
    turns: Turns,
    session: Session,
    held: AtomicBool,
}

impl Turn {
    /// Whether it was not passed on yet.
    pub(crate) fn is_held(&self) -> bool {
        self.held.load(Ordering::Acquire)
    }

    /// Passes it on.
    pub(crate) fn release(&self) {
        if self.held.swap(false, Ordering::AcqRel) {
            self.turns.pass_on(&self.session);
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.release();
    }
}

impl fmt::Debug for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turn").finish_non_exhaustive()
    }
}
