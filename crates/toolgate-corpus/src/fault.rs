//! What can go wrong in a case, as an error that passes through the stack.

use std::{error::Error, fmt};

use serde_json::Value;
use toolgate::ToolBlocked;

/// Something that goes wrong because the case wants it to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fault {
    /// An exception.
    Raised { class: String, message: String },
    /// Whoever was asked said something that is not an answer.
    NotADecision(Value),
    /// Whoever was asked cannot be waited for.
    NotAwaitable,
    /// Whoever was asked never says anything.
    NoAnswer,
    /// Whoever was asked was told not to bother.
    Cancelled,
    /// Whoever was asked chose something that was not offered.
    UnknownChoice(String),
    /// A policy took too long. The name is none if the case does not hold it.
    TimedOut {
        who: Option<&'static str>,
        after: f64,
    },
    /// Capabilities that are not a list, of this type.
    NotAList(&'static str),
    /// Arguments that the tool could not take.
    InvalidArguments,
}

impl Fault {
    /// An exception.
    pub(crate) fn raised(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Raised {
            class: class.into(),
            message: message.into(),
        }
    }

    /// What went wrong, if a call was blocked because of that.
    pub(crate) fn behind(blocked: &ToolBlocked) -> Option<&Self> {
        blocked.source()?.downcast_ref()
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raised { class, message } => write!(f, "{class}: {message}"),
            Self::NotADecision(value) => write!(f, "not an answer: {value}"),
            Self::NotAwaitable => f.write_str("not a future"),
            Self::NoAnswer => f.write_str("no answer"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::UnknownChoice(choice) => write!(f, "unknown choice `{choice}`"),
            Self::TimedOut { after, .. } => write!(f, "took longer than {after} s"),
            Self::NotAList(class) => write!(f, "`{class}` is not a list"),
            Self::InvalidArguments => f.write_str("invalid arguments"),
        }
    }
}

impl Error for Fault {}
