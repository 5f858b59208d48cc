//! What can go wrong in a toolbox.

use std::{error::Error, fmt};

use crate::{ArgsError, BlockedError, ToolBlocked, ToolId};

type Source = Box<dyn Error + Send + Sync>;

/// The error of a call to a [`Toolbox`](crate::Toolbox).
pub struct ToolboxError(Cause);

enum Cause {
    Blocked(ToolBlocked),
    Twice(ToolId),
    Unknown(ToolId),
    InvalidArgs(ToolId, ArgsError),
    Failed(ToolId, Source),
}

/// The ways in which a call to a [`Toolbox`](crate::Toolbox) can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolboxErrorKind {
    /// The call was not allowed, and the tool did not run.
    Blocked,
    /// A tool was added twice.
    Twice,
    /// There is no such tool.
    Unknown,
    /// The arguments do not have the shape that the tool takes.
    InvalidArgs,
    /// The tool ran and failed.
    Failed,
}

impl ToolboxError {
    pub(super) fn twice(tool: &ToolId) -> Self {
        Self(Cause::Twice(tool.clone()))
    }

    pub(super) fn unknown(tool: &ToolId) -> Self {
        Self(Cause::Unknown(tool.clone()))
    }

    pub(super) fn invalid_args(tool: ToolId, error: ArgsError) -> Self {
        Self(Cause::InvalidArgs(tool, error))
    }

    pub(super) fn failed(tool: ToolId, error: impl Into<Source>) -> Self {
        Self(Cause::Failed(tool, error.into()))
    }

    /// In which way the call failed.
    #[must_use]
    pub fn kind(&self) -> ToolboxErrorKind {
        match &self.0 {
            Cause::Blocked(_) => ToolboxErrorKind::Blocked,
            Cause::Twice(_) => ToolboxErrorKind::Twice,
            Cause::Unknown(_) => ToolboxErrorKind::Unknown,
            Cause::InvalidArgs(..) => ToolboxErrorKind::InvalidArgs,
            Cause::Failed(..) => ToolboxErrorKind::Failed,
        }
    }

    /// The refusal, if the call was not allowed.
    #[must_use]
    pub fn blocked(&self) -> Option<&ToolBlocked> {
        match &self.0 {
            Cause::Blocked(blocked) => Some(blocked),
            _ => None,
        }
    }
}

impl fmt::Display for ToolboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::Blocked(blocked) => write!(f, "{blocked}"),
            Cause::Twice(tool) => write!(f, "the tool `{tool}` comes twice"),
            Cause::Unknown(tool) => write!(f, "there is no tool `{tool}`"),
            Cause::InvalidArgs(tool, error) => write!(f, "cannot call `{tool}`: {error}"),
            Cause::Failed(tool, error) => write!(f, "`{tool}` failed: {error}"),
        }
    }
}

impl fmt::Debug for ToolboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolboxError({self})")
    }
}

impl Error for ToolboxError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Cause::Blocked(blocked) => blocked.source(),
            Cause::InvalidArgs(_, error) => Some(error),
            Cause::Failed(_, error) => Some(&**error),
            Cause::Twice(_) | Cause::Unknown(_) => None,
        }
    }
}

impl From<ToolBlocked> for ToolboxError {
    fn from(blocked: ToolBlocked) -> Self {
        Self(Cause::Blocked(blocked))
    }
}

impl BlockedError for ToolboxError {
    fn into_blocked(self) -> Result<ToolBlocked, Self> {
        match self.0 {
            Cause::Blocked(blocked) => Ok(blocked),
            cause => Err(Self(cause)),
        }
    }
}
