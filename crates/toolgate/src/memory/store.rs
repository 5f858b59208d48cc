//! Where grants are kept.

use std::{error::Error, fmt, future::Future, pin::Pin, sync::Arc};

use super::{Grant, GrantQuery};
use crate::sync::{AtomicU32, Ordering};

/// Keeps grants.
///
/// A store that has what it needs at hand answers [now](Answering::Now), without an allocation; one
/// that has to wait for something answers [later](Answering::Later). While it does, nothing of
/// the inner service is reserved.
pub trait GrantStore: Send + Sync + 'static {
    /// Says what was answered to an ask before. A no wins over a yes.
    fn lookup(&self, query: &GrantQuery<'_>) -> Answering<Result<Found, StoreError>>;

    /// Remembers answers.
    fn record(&self, grants: Vec<Grant>) -> Answering<Result<(), StoreError>>;
}

/// An answer that is there, or that will be.
#[must_use = "an answer counts only if somebody waits for it"]
pub enum Answering<T> {
    /// It is there.
    Now(T),
    /// It will be.
    Later(Pin<Box<dyn Future<Output = T> + Send>>),
}

impl<T> fmt::Debug for Answering<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Now(_) => "Now",
            Self::Later(_) => "Later",
        })
    }
}

impl<T> Answering<T> {
    /// Waits for the answer.
    pub async fn wait(self) -> T {
        match self {
            Self::Now(answer) => answer,
            Self::Later(answer) => answer.await,
        }
    }
}

/// What a store knows of an ask.
#[derive(Clone, Debug)]
#[must_use]
pub enum Found {
    /// Nothing.
    Nothing,
    /// Somebody said yes.
    Allowed(Ticket),
    /// Somebody said no, with this note.
    Denied(Option<Arc<str>>),
}

/// One use of a grant. The gate takes it when the call runs, and not before.
#[derive(Clone, Debug)]
pub struct Ticket {
    uses: Option<Arc<AtomicU32>>,
}

impl Ticket {
    /// A use of a grant that can be used as often as one likes.
    #[must_use]
    pub fn unlimited() -> Self {
        Self { uses: None }
    }

    /// A use of a grant that can be used as often as `uses` says, together with all its clones.
    #[must_use]
    pub fn limited(uses: u32) -> Self {
        Self {
            uses: Some(Arc::new(AtomicU32::new(uses))),
        }
    }

    /// How many uses are left; none if there is no end to them.
    #[must_use]
    pub fn left(&self) -> Option<u32> {
        self.uses.as_ref().map(|uses| uses.load(Ordering::Acquire))
    }

    /// Takes the use. False if there was none left.
    pub(crate) fn take(&self) -> bool {
        let Some(uses) = &self.uses else { return true };
        let less = |left: u32| left.checked_sub(1);
        uses.fetch_update(Ordering::AcqRel, Ordering::Acquire, less)
            .is_ok()
    }

    /// Gives the use back, because another that the call needed could not be taken.
    pub(crate) fn give_back(&self) {
        if let Some(uses) = &self.uses {
            uses.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// A store that could not be read or written, or that holds what it should not.
#[derive(Debug)]
pub struct StoreError(Box<dyn Error + Send + Sync>);

impl StoreError {
    /// Makes an error of what went wrong.
    pub fn new(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self(error.into())
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grant store: {}", self.0)
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&*self.0)
    }
}
