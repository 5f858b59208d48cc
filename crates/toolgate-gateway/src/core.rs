//! What all sessions of a gateway share.

use std::{fmt, time::Duration};

use toolgate::{Grants, Turns};
use toolgate_policy::FilePolicy;

use crate::{ask::Handler, state::States};

/// What all sessions of a gateway share.
pub(crate) struct Core {
    pub(crate) policy: FilePolicy,
    pub(crate) grants: Grants,
    pub(crate) turns: Turns,
    pub(crate) aside: Option<Handler>,
    pub(crate) asks_by_hint: bool,
    pub(crate) states: States,
    /// How long a message may be.
    pub(crate) most_bytes: usize,
    /// How long a server has to end by itself.
    pub(crate) grace: Duration,
    /// How long is waited for what should come at once.
    pub(crate) patience: Duration,
    /// How long a session over HTTP may be that nobody listens to and nobody uses.
    pub(crate) idle: Duration,
}

impl fmt::Debug for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Core").finish_non_exhaustive()
    }
}
