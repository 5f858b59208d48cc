//! Why a command cannot go on: what was wrong, where, and what to do.

use std::{fmt, io, path::Path};

use toolgate_policy::Diagnostics;

/// Why a command cannot go on.
#[derive(Debug)]
pub(crate) enum Fail {
    /// In words.
    Said {
        message: String,
        help: Option<String>,
    },
    /// Everything that is wrong with a policy.
    Policy(Diagnostics),
    /// Whoever read the output went away. Nothing is left to say.
    Unheard,
}

impl Fail {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::Said {
            message: message.into(),
            help: None,
        }
    }

    /// Adds what would help.
    #[must_use]
    pub(crate) fn with_help(self, text: impl Into<String>) -> Self {
        match self {
            Self::Said { message, .. } => Self::Said {
                message,
                help: Some(text.into()),
            },
            other => other,
        }
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        let fail = Self::new(format!("{} cannot be read: {}", path.display(), why(error)));
        fail.with_help(match error.kind() {
            io::ErrorKind::NotFound => "names are seen from the current directory",
            io::ErrorKind::PermissionDenied => "run it as somebody who may read the file",
            _ => "name a file that can be read",
        })
    }

    /// A file that cannot be written.
    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        let fail = Self::new(format!(
            "{} cannot be written: {}",
            path.display(),
            why(error)
        ));
        fail.with_help(match error.kind() {
            io::ErrorKind::NotFound => "make the directory first",
            _ => "name a directory in which you may write",
        })
    }

    pub(crate) fn own_mistake() -> Self {
        Self::new("this program made a mistake and stopped; nothing was decided")
            .with_help("please report it, with the command that you ran")
    }
}

/// The reason of the system, without its number.
pub(crate) fn why(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Said { message, .. } => f.write_str(message),
            Self::Policy(diagnostics) => write!(f, "{diagnostics}"),
            Self::Unheard => f.write_str("nobody reads the output"),
        }
    }
}

impl From<Diagnostics> for Fail {
    fn from(diagnostics: Diagnostics) -> Self {
        Self::Policy(diagnostics)
    }
}
