//! Models of every piece of shared state: loom tries every order in which threads may meet.
//!
//! ```sh
//! RUSTFLAGS="--cfg toolgate_loom -C overflow-checks=on" cargo test --release -p toolgate --lib models
//! ```

mod answers;
mod broker;
mod grants;
mod switches;
mod turns;

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
};

use loom::model::Builder;

fn model(check: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(check);
}

/// Polls once, and forgets the waker.
fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    let mut cx = Context::from_waker(Waker::noop());
    pin!(future).poll(&mut cx)
}
