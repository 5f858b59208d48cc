//! The primitives behind every piece of shared state.
//!
//! Under `--cfg toolgate_loom` they are loom's, so that the models in `models.rs` can try every
//! order in which threads may meet.

use std::sync::PoisonError;

#[cfg(not(toolgate_loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
    atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering},
};

#[cfg(toolgate_loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
    atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering},
};

/// Marks a step of something that is not made of the primitives above, such as a channel.
///
/// Loom switches threads only where it sees a step. Without this it would not try what happens
/// between giving up a lock and sending.
#[derive(Debug, Default)]
pub(crate) struct Step {
    #[cfg(toolgate_loom)]
    taken: AtomicU8,
}

impl Step {
    /// Takes the step.
    #[cfg_attr(
        not(toolgate_loom),
        expect(clippy::unused_self, reason = "models have something to look at")
    )]
    pub(crate) fn take(&self) {
        #[cfg(toolgate_loom)]
        self.taken.fetch_add(1, Ordering::AcqRel);
    }
}

// Whatever happened to whoever held a lock before: nothing here is ever left half changed, so a
// poisoned lock is still good.

/// Locks a mutex.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for reading.
pub(crate) fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

/// Locks for writing.
pub(crate) fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
