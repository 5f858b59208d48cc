//! Why a case is not compared.

use std::fmt;

/// Why a case is not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Skip {
    /// It needs a part that is not built yet.
    Missing(Missing),
    /// It is about something that the library leaves to others.
    Outside(Outside),
    /// It records unsafe behaviour, and says of no other. The case was run, and the library did
    /// what is written here instead.
    NotReproduced(&'static str),
    /// The file itself says that it may be left out.
    Tagged(Tagged),
}

/// Why a file says that a case may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Tagged {
    /// A library may say that it is not its business.
    Optional,
    /// It needs the help of whatever runs the tool.
    HostIntegration,
}

/// A part that is not built yet. Building one is removing a line here and what then fails to
/// compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Missing {
    /// Rules over shell commands.
    Shell,
    /// Rules over paths.
    Paths,
    /// Rules over hosts.
    Hosts,
    /// Policies in files.
    Loader,
    /// Rules over the tools of servers, and what they are pinned to.
    ToolIdentity,
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
            Self::Missing(part) => write!(f, "needs {part}: not built yet"),
            Self::Outside(what) => write!(f, "outside the library: {what}"),
            Self::Tagged(Tagged::Optional) => f.write_str("tagged as optional"),
            Self::Tagged(Tagged::HostIntegration) => f.write_str("tagged as host integration"),
            Self::NotReproduced(instead) => write!(f, "unsafe, not reproduced: {instead}"),
        }
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shell => "shell rules",
            Self::Paths => "path rules",
            Self::Hosts => "host rules",
            Self::Loader => "the policy loader",
            Self::ToolIdentity => "rules over the tools of servers",
        })
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
