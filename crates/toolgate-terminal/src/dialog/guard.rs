//! No key counts that was not meant.

use std::time::{Duration, Instant};

/// For so long nobody may have typed anything before keys count.
pub(crate) const SILENCE: Duration = Duration::from_millis(500);

/// Waits for silence after something was shown.
///
/// Somebody who is typing when a question appears goes on for a while. So it is not enough that a
/// moment has passed: it has to be one in which no key came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Guard {
    since: Option<Instant>,
    open: bool,
}

impl Guard {
    /// Something is on the screen from now on.
    pub(super) fn from(now: Instant) -> Self {
        Self {
            since: Some(now),
            open: false,
        }
    }

    /// Whether keys count now.
    pub(super) fn is_open(&self, now: Instant) -> bool {
        let silence = self.since.map(|since| now.saturating_duration_since(since));
        self.open || silence.is_some_and(|silence| silence >= SILENCE)
    }

    /// Whether a key that comes now is too early to count. Begins to wait anew if it is.
    pub(super) fn is_early(&mut self, now: Instant) -> bool {
        self.open = self.is_open(now);
        if !self.open {
            self.since = self.since.map(|_| now);
        }
        !self.open
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_count_after_silence_and_then_for_good() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut guard = Guard::default();
        assert!(guard.is_early(at(0)), "nothing was shown");
        guard = Guard::from(at(1_000));
        assert!(guard.is_early(at(1_400)));
        assert!(guard.is_early(at(1_800)), "400 ms after the last key");
        assert!(!guard.is_early(at(2_300)));
        assert!(!guard.is_early(at(2_301)));
    }
}
