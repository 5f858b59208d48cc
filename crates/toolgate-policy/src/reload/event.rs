//! What is told about reloading.

use std::{fmt, sync::Arc};

use crate::Diagnostics;

/// What becomes of files that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnChange {
    /// What they say is put into force.
    Reload,
    /// Somebody is told.
    Report,
}

/// What came of an attempt to reload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// What the files say now is in force.
    Changed,
    /// They say what they said before.
    Unchanged,
}

/// Something that happened to files that are watched.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ReloadEvent {
    /// A change is in force.
    Reloaded,
    /// A change waits for somebody to agree to it.
    Pending,
    /// The files cannot be loaded. What was in force stays so.
    Failed(Arc<Diagnostics>),
}

impl fmt::Display for ReloadEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reloaded => f.write_str("the policy was reloaded"),
            Self::Pending => f.write_str("the policy has changed, and waits to be reloaded"),
            Self::Failed(why) => {
                write!(
                    f,
                    "the policy could not be reloaded; the old one holds\n{why}"
                )
            }
        }
    }
}

/// How files are looked after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Watching {
    /// They are not.
    No,
    /// The system says when they change, and they are looked at now and then as well.
    Notified,
    /// They are looked at now and then.
    Polling,
}

/// How the last attempts to reload went.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReloadStatus {
    /// How many times something else was put into force.
    pub generation: u64,
    /// How many times the files were read again.
    pub attempts: u64,
    /// What was wrong the last time, if something was. The old policy holds.
    pub failed: Option<Arc<Diagnostics>>,
    /// Whether a change waits to be put into force.
    pub pending: bool,
    /// How the files are looked after.
    pub watching: Watching,
}

impl ReloadStatus {
    pub(super) fn new() -> Self {
        Self {
            generation: 0,
            attempts: 0,
            failed: None,
            pending: false,
            watching: Watching::No,
        }
    }
}
