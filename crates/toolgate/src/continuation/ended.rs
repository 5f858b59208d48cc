//! The end of a run.

use std::{error::Error, fmt};

use crate::{BlockedKind, ToolBlocked};

/// The error of an iteration that was not made, because nobody let the run go on.
///
/// # Example
///
/// ```
/// use toolgate::{BlockedKind, RunEnded};
///
/// /// What the user reads at the end.
/// fn last_words(ended: &RunEnded) -> String {
///     match ended.kind() {
///         BlockedKind::Declined => "Stopped, as you wanted.".to_owned(),
///         _ => ended.message(),
///     }
/// }
/// ```
pub struct RunEnded(Box<Fields>);

struct Fields {
    kind: BlockedKind,
    iterations: u64,
    limit: u64,
    blocked: Option<ToolBlocked>,
}

impl RunEnded {
    pub(super) fn new(
        kind: BlockedKind,
        blocked: ToolBlocked,
        iterations: u64,
        limit: u64,
    ) -> Self {
        let mut ended = Self::before(kind, iterations, limit);
        ended.0.blocked = Some(blocked);
        ended
    }

    /// For a run that was over already.
    pub(super) fn before(kind: BlockedKind, iterations: u64, limit: u64) -> Self {
        Self(Box::new(Fields {
            kind,
            iterations,
            limit,
            blocked: None,
        }))
    }

    /// In which way the run ended: declined, timed out, strict mode and so on.
    #[must_use]
    pub fn kind(&self) -> BlockedKind {
        self.0.kind
    }

    /// How many iterations there were.
    #[must_use]
    pub fn iterations(&self) -> u64 {
        self.0.iterations
    }

    /// The limit, with all that it was extended by.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.0.limit
    }

    /// What the person who said no had to say, if anything.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        let declined = |blocked: &&ToolBlocked| blocked.kind() == BlockedKind::Declined;
        let blocked = self.blocked().filter(declined);
        blocked.and_then(ToolBlocked::reason)
    }

    /// The refusal behind it, with its trail; none if the run was over already.
    #[must_use]
    pub fn blocked(&self) -> Option<&ToolBlocked> {
        self.0.blocked.as_ref()
    }

    /// A last message of the run, for whoever gave the order.
    #[must_use]
    pub fn message(&self) -> String {
        let why = match self.kind() {
            BlockedKind::Declined => "the person who was asked said no to more",
            BlockedKind::Strict => {
                "more need an approval, and nothing is asked about at the moment"
            }
            BlockedKind::TimedOut => "nobody answered in time whether there may be more",
            BlockedKind::Withdrawn => "the question whether there may be more was taken back",
            BlockedKind::Overloaded => "too many other questions are waiting",
            BlockedKind::TooLarge => "the question is too large to be shown",
            _ => "asking whether there may be more failed",
        };
        let note = self.note().map(|note| format!(" They said: {note}"));
        let note = note.unwrap_or_default();
        format!(
            "The run ended after {} iterations: {why}.{note}",
            self.iterations()
        )
    }
}

impl fmt::Display for RunEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "run ended after {} iterations: {}",
            self.iterations(),
            self.kind()
        )
    }
}

impl fmt::Debug for RunEnded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunEnded")
            .field("kind", &self.kind())
            .field("iterations", &self.iterations())
            .field("limit", &self.limit())
            .finish_non_exhaustive()
    }
}

impl Error for RunEnded {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.blocked().map(|blocked| blocked as _)
    }
}
