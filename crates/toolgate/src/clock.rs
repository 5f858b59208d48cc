//! Two clocks: one that people read, and one that nobody can set back.

use std::time::{Duration, SystemTime};

use tokio::time::Instant;

/// When `wait` from now is over. None if that is further off than the clock reaches: never.
pub(crate) fn instant_in(wait: Duration) -> Option<Instant> {
    Instant::now().checked_add(wait)
}

/// When `wait` from now is over, for people. None if that is further off than the clock reaches.
pub(crate) fn time_in(wait: Duration) -> Option<SystemTime> {
    SystemTime::now().checked_add(wait)
}

/// The same moment on the clock that nobody can set back. What is over is over now.
pub(crate) fn instant_at(time: SystemTime) -> Option<Instant> {
    instant_in(time.duration_since(SystemTime::now()).unwrap_or_default())
}
