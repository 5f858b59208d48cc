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
/// Calls that name no session share one. How many calls of a session may wait for their turn is
/// bounded; beyond that a call is blocked as [overloaded](crate::BlockedKind::Overloaded).
#[derive(Clone)]
pub struct Turns {
    sessions: Arc<Mutex<Sessions>>,
    most_waiting: usize,
}

type Session = Option<Box<str>>;
type Sessions = HashMap<Session, Queue, RandomState>;

/// Who waits in a session in which somebody has the turn.
#[derive(Default)]
struct Queue {
    waiters: VecDeque<Arc<Waiter>>,
    /// How many of them have gone.
    gone: usize,
}

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
    /// How many calls of a session may wait, unless something else is said.
    const MOST_WAITING: usize = 1_024;

    /// Makes turns that nobody has taken.
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(Self::MOST_WAITING)
    }

    /// Makes turns for which so many calls of a session may wait.
    #[must_use]
    pub fn with_limit(most_waiting: usize) -> Self {
        Self {
            sessions: Arc::default(),
            most_waiting,
        }
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
        lock(&self.sessions).is_empty()
    }

    /// Takes the turn if nobody has it, or a place in the queue if there is one.
    fn join(&self, session: &Session) -> Joined {
        let mut sessions = lock(&self.sessions);
        let Some(queue) = sessions.get_mut(session) else {
            sessions.insert(session.clone(), Queue::default());
            return Joined::Turn;
        };
        if queue.waiters.len() - queue.gone >= self.most_waiting {
            return Joined::Full;
        }
        let waiter = Arc::new(Waiter(Mutex::new(Place::Waiting(None))));
        queue.waiters.push_back(Arc::clone(&waiter));
        Joined::Queue(waiter)
    }

    /// Gives the turn to the next who still waits.
    fn pass_on(&self, session: &Session) {
        let mut sessions = lock(&self.sessions);
        let Some(queue) = sessions.get_mut(session) else {
            return;
        };
        while let Some(waiter) = queue.waiters.pop_front() {
            let mut place = lock(&waiter.0);
            if let Place::Waiting(waker) = &mut *place {
                let waker = waker.take();
                *place = Place::Called;
                drop(place);
                drop(sessions);
                waker.into_iter().for_each(Waker::wake);
                return;
            }
            queue.gone -= 1;
        }
        sessions.remove(session);
    }

    /// Gives up a place in the queue. Says whether the turn had come to it.
    fn leave(&self, session: &Session, waiter: &Waiter) -> bool {
        let mut sessions = lock(&self.sessions);
        let place = std::mem::replace(&mut *lock(&waiter.0), Place::Gone);
        if matches!(place, Place::Called) {
            return true;
        }
        if let Some(queue) = sessions.get_mut(session) {
            queue.gone += 1;
            // Now and then, so that leaving costs little and those who left do not pile up.
            if queue.gone * 2 > queue.waiters.len() {
                queue
                    .waiters
                    .retain(|waiter| !matches!(*lock(&waiter.0), Place::Gone));
                queue.waiters.shrink_to_fit();
                queue.gone = 0;
            }
        }
        false
    }
}

/// What came of wanting a turn.
enum Joined {
    Turn,
    Queue(Arc<Waiter>),
    Full,
}

impl Default for Turns {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Turns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Turns").finish_non_exhaustive()
    }
}

/// Resolves when it is this call's turn, and says whether it had to wait. None if too many wait
/// already.
pub(crate) struct TakeTurn {
    turns: Turns,
    session: Session,
    waiter: Option<Arc<Waiter>>,
}

impl Future for TakeTurn {
    type Output = Option<(Turn, bool)>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        if self.waiter.is_none() {
            match self.turns.join(&self.session) {
                Joined::Turn => return Poll::Ready(Some((self.turn(), false))),
                Joined::Full => return Poll::Ready(None),
                Joined::Queue(waiter) => self.waiter = Some(waiter),
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
            return Poll::Ready(Some((self.turn(), true)));
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
        // The turn came, and nobody is there to take it.
        if self.turns.leave(&self.session, &waiter) {
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
