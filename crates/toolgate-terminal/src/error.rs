//! In which way asking on the terminal failed.

use std::{error::Error, fmt, io};

use toolgate::{AskError, AskErrorKind};

/// Why nobody could be asked. The call is blocked.
#[derive(Debug)]
pub struct TerminalError {
    kind: TerminalErrorKind,
    source: Option<io::Error>,
    ask: AskError,
}

/// In which way asking on the terminal failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TerminalErrorKind {
    /// The program has no terminal.
    NoTerminal,
    /// The program runs in the background, where it must not read from the terminal.
    InBackground,
    /// The call is too large to be shown in full.
    TooLarge,
    /// The question was withdrawn.
    Withdrawn,
    /// The terminal failed, or is gone.
    Lost,
}

impl TerminalError {
    pub(crate) fn new(kind: TerminalErrorKind) -> Self {
        let ask = match kind {
            TerminalErrorKind::NoTerminal | TerminalErrorKind::InBackground => AskErrorKind::Nobody,
            TerminalErrorKind::TooLarge => AskErrorKind::TooLarge,
            TerminalErrorKind::Withdrawn => AskErrorKind::Withdrawn,
            TerminalErrorKind::Lost => AskErrorKind::Closed,
        };
        Self {
            kind,
            source: None,
            ask: AskError::new(ask),
        }
    }

    pub(crate) fn no_terminal(error: io::Error) -> Self {
        Self {
            source: Some(error),
            ..Self::new(TerminalErrorKind::NoTerminal)
        }
    }

    /// In which way asking failed.
    #[must_use]
    pub fn kind(&self) -> TerminalErrorKind {
        self.kind
    }

    /// What the operating system said, if it said anything.
    #[must_use]
    pub fn io_error(&self) -> Option<&io::Error> {
        self.source.as_ref()
    }
}

impl From<io::Error> for TerminalError {
    fn from(error: io::Error) -> Self {
        Self {
            source: Some(error),
            ..Self::new(TerminalErrorKind::Lost)
        }
    }
}

impl From<rustix::io::Errno> for TerminalError {
    fn from(error: rustix::io::Errno) -> Self {
        io::Error::from(error).into()
    }
}

impl fmt::Display for TerminalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            TerminalErrorKind::NoTerminal => "there is no terminal to ask on",
            TerminalErrorKind::InBackground => {
                "the program is in the background, where it cannot ask on the terminal"
            }
            TerminalErrorKind::TooLarge => "the call is too large to be shown in full",
            TerminalErrorKind::Withdrawn => "the question was withdrawn",
            TerminalErrorKind::Lost => "the terminal failed while somebody was asked",
        })?;
        match &self.source {
            Some(error) => write!(f, ": {error}"),
            None => Ok(()),
        }
    }
}

/// The source is an [`AskError`], by which a prompt knows what the failure amounts to.
impl Error for TerminalError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.ask)
    }
}
