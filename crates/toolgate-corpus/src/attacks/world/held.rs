//! A call that nobody looks at for a while.

use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use crate::bench::lock;

/// Holds a call back: it is there, and nothing of it happens.
#[derive(Clone, Default)]
pub(in crate::attacks) struct Hold(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    held: bool,
    waker: Option<Waker>,
}

impl Hold {
    /// Puts a future where it can be held back.
    pub(super) fn around<F: Future>(future: F) -> (Held<F>, Self) {
        let hold = Self::default();
        let around = Held {
            future: Box::pin(future),
            hold: hold.clone(),
        };
        (around, hold)
    }

    /// Holds it back from now on.
    pub(in crate::attacks) fn hold(&self) {
        lock(&self.0).held = true;
    }

    /// Lets it go on.
    pub(in crate::attacks) fn release(&self) {
        let waker = {
            let mut state = lock(&self.0);
            state.held = false;
            state.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }
}

/// A future that can be held back.
pub(super) struct Held<F> {
    future: Pin<Box<F>>,
    hold: Hold,
}

impl<F: Future> Future for Held<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        {
            let mut state = lock(&self.hold.0);
            if state.held {
                state.waker = Some(cx.waker().clone());
                return Poll::Pending;
            }
        }
        self.future.as_mut().poll(cx)
    }
}
