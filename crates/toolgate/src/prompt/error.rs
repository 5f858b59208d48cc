//! In which way asking failed.

use std::{error::Error, fmt};

use crate::BlockedKind;

/// The error of the handlers in this crate.
///
/// A handler of one's own may return it as well, to say in which way asking failed; any other
/// error counts as [`BlockedKind::HandlerFailed`], except those of Tower's `timeout` and
/// `load_shed`, which count as what they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AskError(AskErrorKind);

/// In which way asking failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AskErrorKind {
    /// Nobody answered in time.
    TimedOut,
    /// The question was taken back.
    Withdrawn,
    /// Too many questions were waiting already.
    Overloaded,
    /// Nobody listens any more.
    Closed,
    /// The very same question is open already.
    AlreadyAsked,
    /// There is nobody who could be asked.
    Nobody,
    /// The call is too large to be shown in full, and so nobody can approve it.
    TooLarge,
}

impl AskError {
    /// Makes an error of this kind.
    #[must_use]
    pub const fn new(kind: AskErrorKind) -> Self {
        Self(kind)
    }

    /// In which way asking failed.
    #[must_use]
    pub const fn kind(self) -> AskErrorKind {
        self.0
    }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            AskErrorKind::TimedOut => "nobody answered in time",
            AskErrorKind::Withdrawn => "the question was taken back",
            AskErrorKind::Overloaded => "too many questions are waiting already",
            AskErrorKind::Closed => "nobody listens for questions any more",
            AskErrorKind::AlreadyAsked => "the same question is open already",
            AskErrorKind::Nobody => "there is nobody who could be asked",
            AskErrorKind::TooLarge => "the call is too large to be shown in full",
        })
    }
}

impl Error for AskError {}

/// Which kind of block a handler's error amounts to.
pub(super) fn kind_of(error: &(dyn Error + 'static)) -> BlockedKind {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(ask) = error.downcast_ref::<AskError>() {
            return match ask.kind() {
                AskErrorKind::TimedOut => BlockedKind::TimedOut,
                AskErrorKind::Withdrawn => BlockedKind::Withdrawn,
                AskErrorKind::Overloaded => BlockedKind::Overloaded,
                AskErrorKind::Closed | AskErrorKind::AlreadyAsked => BlockedKind::HandlerFailed,
                AskErrorKind::Nobody => BlockedKind::NoHandler,
                AskErrorKind::TooLarge => BlockedKind::TooLarge,
            };
        }
        if error.is::<tower::timeout::error::Elapsed>() {
            return BlockedKind::TimedOut;
        }
        if error.is::<tower::load_shed::error::Overloaded>() {
            return BlockedKind::Overloaded;
        }
        cause = error.source();
    }
    BlockedKind::HandlerFailed
}
