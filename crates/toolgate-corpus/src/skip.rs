//! Why a case is not compared.

use std::fmt;

/// Why a case is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Skip {
    /// It is about something that the library leaves to others.
    Outside(Outside),
    /// It records unsafe behaviour, and says of no other. The case was run, and the library did
    /// what is written here instead.
    NotReproduced(&'static str),
    /// The file itself says that it may be left out. It was run, does not hold, and a page of the
    /// documentation says why.
    OutOfScope(&'static str),
}

/// Something that the library leaves to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outside {
    /// What a run may cost.
    Budgets,
    /// Which tools an agent has.
    Toolsets,
    /// A second interface that does not wait.
    SyncInterface,
    /// Whichever policy answers first.
    Race,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside(what) => write!(f, "outside the library: {what}"),
            Self::OutOfScope(why) => write!(f, "out of scope: {why}"),
            Self::NotReproduced(instead) => write!(f, "unsafe, not reproduced: {instead}"),
        }
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Budgets => "what a run may cost is not a question of a tool call",
            Self::Toolsets => "which tools an agent has is decided before any call",
            Self::SyncInterface => "a handler is always asynchronous",
            Self::Race => "policies do not race: every one is heard, whatever the order",
        })
    }
}
