//! In which way asking failed.

use std::{error::Error, fmt};

/// The ways in which asking over the protocol can fail. None of them is an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AcpErrorKind {
    /// The origin of the call names no session, so there is nobody to ask.
    NoSession,
    /// The question is too long to be shown in full.
    TooLong,
    /// The client did not answer as it should, or the connection ended.
    Connection,
    /// The client chose an option that it was not offered.
    UnknownOption,
    /// The outcome is of a kind that this version does not know.
    UnknownOutcome,
}

/// Why there is no answer.
#[derive(Debug)]
pub struct AcpError {
    kind: AcpErrorKind,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl AcpError {
    pub(crate) fn connection(error: agent_client_protocol::Error) -> Self {
        Self {
            kind: AcpErrorKind::Connection,
            source: Some(error.into()),
        }
    }

    /// In which way asking failed.
    #[must_use]
    pub fn kind(&self) -> AcpErrorKind {
        self.kind
    }
}

impl From<AcpErrorKind> for AcpError {
    fn from(kind: AcpErrorKind) -> Self {
        Self { kind, source: None }
    }
}

impl fmt::Display for AcpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            AcpErrorKind::NoSession => "the call names no session to ask in",
            AcpErrorKind::TooLong => "the question is too long to be shown",
            AcpErrorKind::Connection => "the client did not answer",
            AcpErrorKind::UnknownOption => "the client chose an option that was not offered",
            AcpErrorKind::UnknownOutcome => "the client answered in a way that is not known",
        })
    }
}

impl Error for AcpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
