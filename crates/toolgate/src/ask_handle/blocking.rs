//! Waiting on a thread that may or may not block.

use std::{
    future::Future,
    panic::{AssertUnwindSafe, catch_unwind},
};

use tokio::{
    runtime::{Builder, Handle, RuntimeFlavor},
    task::block_in_place,
};

/// Blocks the thread until the future is done, or says why it must not.
pub(super) fn wait_for<F: Future>(future: F) -> Result<F::Output, &'static str> {
    let Ok(runtime) = Handle::try_current() else {
        return without_runtime(future);
    };
    if runtime.runtime_flavor() == RuntimeFlavor::CurrentThread {
        return Err("a current-thread runtime would stand still while the tool waits");
    }
    // Panics inside of a `LocalSet`, which has to stay on its thread.
    let wait = || block_in_place(|| runtime.block_on(future));
    catch_unwind(AssertUnwindSafe(wait)).map_err(|_| "the thread must not block")
}

fn without_runtime<F: Future>(future: F) -> Result<F::Output, &'static str> {
    let runtime = Builder::new_current_thread().enable_time().build();
    let runtime = runtime.map_err(|_| "no runtime could be made to wait on")?;
    Ok(runtime.block_on(future))
}
