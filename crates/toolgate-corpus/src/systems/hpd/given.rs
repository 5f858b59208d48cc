//! What a case of this system is given.

use std::collections::BTreeMap;

use serde::Deserialize;

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
    memory: Option<Memory>,
    #[serde(default)]
    pub(super) mode: Option<Mode>,
    #[serde(default, rename = "timeout_s")]
    _timeout_s: Option<f64>,
    /// The function, if anything is known of it.
    #[serde(default)]
    function: Option<String>,
    #[serde(default)]
    args: Option<Python>,
    #[serde(default)]
    pub(super) known_actions: Option<Vec<String>>,
    #[serde(default, rename = "session_store")]
    _session_store: Option<Store>,
    #[serde(default, rename = "request_fingerprint")]
    _request_fingerprint: Option<String>,
    #[serde(default)]
    batch: Option<Vec<Call>>,
    #[serde(default)]
    batch_outcome: Option<BTreeMap<String, Prepared>>,
    #[serde(default, rename = "args_at_execution")]
    _args_at_execution: Option<Python>,
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
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Responses {
    InTurn(Vec<Response>),
    Each {
        #[serde(flatten)]
        _replies: BTreeMap<String, Reply>,
    },
}

/// A response to one call of a batch.
#[derive(Debug, Deserialize)]
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

/// What is remembered: by function, or as preferences.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Memory {
    Choices(BTreeMap<String, Choice>),
    Preferences(Vec<Preference>),
}

/// What is remembered of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Choice {
    Ask,
    AlwaysAllow,
    AlwaysDeny,
}

/// What is remembered as a preference.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Preference {
    #[serde(rename = "decision")]
    _decision: Preferred,
    #[serde(default, rename = "created_at")]
    _created_at: Option<u64>,
    #[serde(default, rename = "kind")]
    _kind: Option<Kind>,
    #[serde(default, rename = "fingerprint")]
    _fingerprint: Option<String>,
}

/// What a preference decides.
#[derive(Debug, Deserialize)]
enum Preferred {
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
enum Store {
    #[serde(rename = "IPermissionPreferenceStore")]
    Preferences,
}

/// What was decided of a call before its batch ran.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Prepared {
    #[serde(rename = "approved")]
    _approved: bool,
    #[serde(rename = "args")]
    _args: Python,
}

impl Given {
    /// Refuses responses that cannot be understood.
    pub(super) fn check(&self) -> Result<(), Invalid> {
        match &self.responses {
            Some(Responses::InTurn(responses)) => responses.iter().try_for_each(Response::check),
            Some(Responses::Each { .. }) if !self.is_batch() => {
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

    /// The tools of the batch.
    pub(super) fn batch_tools(&self) -> Option<Vec<String>> {
        let tools = self.batch.as_ref()?.iter().map(|call| call.tool.clone());
        tools.collect()
    }

    /// Whether something is remembered. That somebody is to be asked is nothing.
    pub(super) fn remembers(&self) -> bool {
        match &self.memory {
            Some(Memory::Choices(choices)) => choices.values().any(|c| *c != Choice::Ask),
            Some(Memory::Preferences(preferences)) => !preferences.is_empty(),
            None => false,
        }
    }

    /// Whether functions require permission by themselves.
    pub(super) fn requires(&self) -> bool {
        self.attr_requires
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
