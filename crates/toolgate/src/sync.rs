//! The primitives behind every piece of shared state.
//!
//! Under `--cfg toolgate_loom` they are loom's, so that models can try every order in which
//! threads may meet.

use std::sync::PoisonError;

#[cfg(not(toolgate_loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU8, Ordering},
};

#[cfg(toolgate_loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicBool, AtomicU8, Ordering},
};

/// Locks, whatever happened to whoever held the lock before: nothing here is ever left half
/// changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
