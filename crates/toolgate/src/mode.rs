//! What happens to a call that somebody would have to be asked about.

use std::{
    collections::HashMap,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use crate::sync::{AtomicU8, Mutex, Ordering, lock};

/// What happens to a call that somebody would have to be asked about.
///
/// | | nobody asks | somebody asks | somebody denies |
/// |---|---|---|---|
/// | `Interactive` | runs | asked about | blocked |
/// | `ApproveAll` | runs | runs | blocked |
/// | `Strict` | runs | blocked | blocked |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Mode {
    /// It is asked about.
    #[default]
    Interactive,
    /// It runs. A deny still holds.
    ApproveAll,
    /// It is blocked. What was approved before and remembered does not count; what was declined
    /// does.
    Strict,
}

/// A [`Mode`] that can be switched while calls are in flight. Clones are the same switch.
///
/// When it is turned to [`Mode::Strict`], questions that wait for an answer are refused at once.
///
/// # Example
///
/// ```
/// use toolgate::{Mode, ModeSwitch};
///
/// let mode = ModeSwitch::new(Mode::Interactive);
/// let held_by_the_stack = mode.clone();
/// mode.set(Mode::Strict);
/// assert_eq!(held_by_the_stack.get(), Mode::Strict);
/// ```
#[derive(Clone, Default)]
pub struct ModeSwitch(Arc<Inner>);

#[derive(Default)]
struct Inner {
    mode: AtomicU8,
    waiting: Mutex<Waiting>,
}

/// Who has to hear of a switch to strict, each under a number of their own.
#[derive(Default)]
struct Waiting {
    next: u64,
    /// How often the switch was turned to strict.
    turned: u64,
    wakers: HashMap<u64, Waker, RandomState>,
}

impl ModeSwitch {
    /// Makes a switch.
    #[must_use]
    pub fn new(mode: Mode) -> Self {
        let switch = Self::default();
        switch.set(mode);
        switch
    }

    /// The mode that holds now.
    #[must_use]
    pub fn get(&self) -> Mode {
        match self.0.mode.load(Ordering::Acquire) {
            0 => Mode::Interactive,
            1 => Mode::ApproveAll,
            _ => Mode::Strict,
        }
    }

    /// Sets the mode, for calls in flight as well.
    pub fn set(&self, mode: Mode) {
        let number = match mode {
            Mode::Interactive => 0,
            Mode::ApproveAll => 1,
            Mode::Strict => 2,
        };
        let wakers = {
            let mut waiting = lock(&self.0.waiting);
            self.0.mode.store(number, Ordering::Release);
            if mode == Mode::Strict {
                waiting.turned += 1;
                std::mem::take(&mut waiting.wakers)
            } else {
                return;
            }
        };
        wakers.into_values().for_each(Waker::wake);
    }

    /// Waits until the mode is strict, or was so at any time from now on.
    pub(crate) fn turned_strict(&self) -> TurnedStrict {
        TurnedStrict {
            switch: self.clone(),
            since: lock(&self.0.waiting).turned,
            number: None,
        }
    }
}

impl fmt::Debug for ModeSwitch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ModeSwitch").field(&self.get()).finish()
    }
}

/// Resolves when the mode is strict, or was so meanwhile.
pub(crate) struct TurnedStrict {
    switch: ModeSwitch,
    since: u64,
    number: Option<u64>,
}

impl Future for TurnedStrict {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let switch = self.switch.clone();
        let mut waiting = lock(&switch.0.waiting);
        // Under the lock, so that a switch cannot slip in between looking and waiting.
        if switch.get() == Mode::Strict || waiting.turned != self.since {
            return Poll::Ready(());
        }
        let number = *self.number.get_or_insert_with(|| {
            waiting.next += 1;
            waiting.next
        });
        waiting.wakers.insert(number, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for TurnedStrict {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            lock(&self.switch.0.waiting).wakers.remove(&number);
        }
    }
}
