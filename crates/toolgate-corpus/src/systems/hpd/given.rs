//! What a case of this system is given.

use std::collections::BTreeMap;

use serde::Deserialize;
use toolgate::{ApprovalDecision, Remember};

use super::Response;
use crate::{
    case::{Call, Invalid, ToolUse},
    python::Python,
};

/// What a case of this system is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    #[serde(default)]
    attr_requires: bool,
    #[serde(default)]
    pub(super) builder_override: Option<Override>,
    #[serde(default)]
    run_override: Option<bool>,
    #[serde(default)]
    registered_directly: bool,
    #[serde(default)]
    pub(super) response: Option<Response>,
    #[serde(default)]
    pub(super) responses: Option<Responses>,
    #[serde(default)]
    pub(super) memory: Option<Memory>,
    #[serde(default)]
    pub(super) mode: Option<Mode>,
    #[serde(default)]
    pub(super) timeout_s: Option<f64>,
    /// The function, if anything is known of it.
    #[serde(default)]
    function: Option<String>,
    #[serde(default)]
    args: Option<Python>,
    #[serde(default)]
    pub(super) known_actions: Option<Vec<String>>,
    #[serde(default)]
    pub(super) session_store: Option<Store>,
    #[serde(default)]
    pub(super) request_fingerprint: Option<String>,
    #[serde(default)]
    pub(super) batch: Option<Vec<Call>>,
    #[serde(default)]
    pub(super) batch_outcome: Option<BTreeMap<String, Prepared>>,
    #[serde(default)]
    pub(super) args_at_execution: Option<Python>,
}

/// What overrides say of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Override {
    Require,
    #[serde(alias = "disabled")]
    Disable,
    Cleared,
}

/// Several responses: one after the other, or to the calls of a batch.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Responses {
    InTurn(Vec<Response>),
    Each(BTreeMap<String, Reply>),
}

/// A response to one call of a batch.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum Reply {
    #[serde(rename = "approve")]
    Approve,
    #[serde(rename = "deny")]
    Deny,
    #[serde(rename = "approve AlwaysAllow")]
    AlwaysAllow,
    #[serde(rename = "deny AlwaysDeny")]
    AlwaysDeny,
}

impl Reply {
    /// What it says.
    pub(super) fn decision(self) -> ApprovalDecision {
        match self {
            Self::Approve => ApprovalDecision::approve(),
            Self::Deny => ApprovalDecision::decline(),
            Self::AlwaysAllow => ApprovalDecision::approve().remembered(Remember::Always),
            Self::AlwaysDeny => ApprovalDecision::decline().remembered(Remember::Always),
        }
    }
}

/// What is remembered: by function, or as preferences.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Memory {
    Choices(BTreeMap<String, Choice>),
    Preferences(Vec<Preference>),
}

/// What is remembered of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Choice {
    Ask,
    AlwaysAllow,
    AlwaysDeny,
}

/// What is remembered as a preference.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Preference {
    pub(super) decision: Preferred,
    #[serde(default)]
    pub(super) created_at: Option<u64>,
    #[serde(default, rename = "kind")]
    _kind: Option<Kind>,
    #[serde(default)]
    pub(super) fingerprint: Option<String>,
}

/// What a preference decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum Preferred {
    Allow,
    Deny,
}

/// What a preference is about.
#[derive(Debug, Deserialize)]
enum Kind {
    ExactRequest,
}

/// A mode of the run.
#[derive(Debug, Deserialize)]
pub(super) enum Mode {
    #[serde(rename = "AutoApprove/FullAccess")]
    FullAccess,
}

/// Where preferences are kept.
#[derive(Debug, Deserialize)]
pub(super) enum Store {
    #[serde(rename = "IPermissionPreferenceStore")]
    Preferences,
}

/// What was decided of a call before its batch ran.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prepared {
    pub(super) approved: bool,
    pub(super) args: Python,
}

impl Given {
    /// Refuses responses that cannot be understood.
    pub(super) fn check(&self) -> Result<(), Invalid> {
        match &self.responses {
            Some(Responses::InTurn(responses)) => responses.iter().try_for_each(Response::check),
            Some(Responses::Each(_)) if !self.is_batch() => {
                Err(Invalid::new("`responses` to calls that are no batch"))
            }
            _ => Ok(()),
        }
    }

    /// Whether `call` is of the function that is given, if one is.
    pub(super) fn is_about(&self, call: &ToolUse) -> bool {
        let function = self.function.as_ref().is_none_or(|name| *name == call.tool);
        function && self.args.as_ref().is_none_or(|args| *args == call.written)
    }

    /// Whether several calls are prepared together.
    pub(super) fn is_batch(&self) -> bool {
        self.batch.is_some() || self.batch_outcome.is_some()
    }

    /// Whether functions require permission by themselves.
    pub(super) fn requires(&self) -> bool {
        // What a batch is about is that it is asked about.
        self.attr_requires || self.is_batch()
    }

    /// What the run says of the function.
    pub(super) fn run_override(&self) -> Option<Override> {
        self.run_override.map(|required| {
            if required {
                Override::Require
            } else {
                Override::Disable
            }
        })
    }

    /// Whether the overrides are in no stack.
    pub(super) fn is_registered_directly(&self) -> bool {
        self.registered_directly
    }
}
