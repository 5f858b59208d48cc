//! Toolsets that decide themselves what needs approval.

use std::{collections::BTreeMap, sync::Arc};

use serde::Deserialize;
use serde_json::Value;
use toolgate::{
    Approval, CheckApproval, Decision, MemoryView, NoMemory, Policy, Reviewing, SelfChecking,
    ToolCall, Vote,
};

use super::described::Signatures;
use crate::{case::Invalid, fault::Fault};

/// What a toolset says of each of its tools.
pub(super) type Says = BTreeMap<String, Saying>;

/// What a toolset says of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Saying {
    status: Status,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    value: Option<Value>,
}

/// What a toolset says in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Status {
    Blocked,
    PreApproved,
    NeedsApproval,
    Raise,
    /// It says true or false, which is not an answer.
    Bool,
}

impl Saying {
    /// Refuses what does not go with the status.
    fn check(&self) -> Result<(), Invalid> {
        let fits = [
            ("reason", self.reason.is_some(), Status::Blocked),
            ("error", self.error.is_some(), Status::Raise),
            ("message", self.message.is_some(), Status::Raise),
            ("value", self.value.is_some(), Status::Bool),
        ];
        match fits.iter().find(|(_, has, of)| *has && self.status != *of) {
            Some((field, ..)) => Err(Invalid::new(format!(
                "`{field}` and the status `{:?}`",
                self.status
            ))),
            None => Ok(()),
        }
    }

    /// How it fails, if it does.
    fn fault(&self) -> Option<Fault> {
        match self.status {
            Status::Raise => Some(Fault::raised(
                self.error.clone().unwrap_or_default(),
                self.message.clone().unwrap_or_default(),
            )),
            Status::Bool => Some(Fault::NotADecision(
                self.value.clone().unwrap_or(Value::Null),
            )),
            _ => None,
        }
    }
}

/// A toolset that knows itself when to ask.
#[derive(Clone, Debug)]
pub(super) struct Toolset {
    says: Arc<Says>,
    description: Option<String>,
    signatures: Signatures,
}

impl Toolset {
    /// Makes a toolset, whose questions say `description` or the call.
    pub(super) fn new(
        says: Says,
        description: Option<String>,
        signatures: Signatures,
    ) -> Result<Self, Invalid> {
        says.values().try_for_each(Saying::check)?;
        Ok(Self {
            says: Arc::new(says),
            description,
            signatures,
        })
    }

    /// Whether it fails instead of deciding.
    pub(super) fn fails(&self) -> bool {
        self.says.values().any(|saying| saying.fault().is_some())
    }

    /// The toolset as a policy.
    pub(super) fn policy(&self) -> CheckApproval<Self> {
        CheckApproval::new(self.clone(), NoMemory::new())
    }

    /// Decides, or fails.
    pub(super) fn decide(&self, call: &ToolCall<Reviewing>) -> Result<Decision, Fault> {
        let saying = self.says.get(call.tool().name());
        match saying.and_then(Saying::fault) {
            Some(fault) => Err(fault),
            None => Ok(self.policy().decide(call)),
        }
    }
}

impl SelfChecking for Toolset {
    fn check_approval(&self, call: &ToolCall<Reviewing>, _: &dyn MemoryView) -> Approval {
        let saying = self.says.get(call.tool().name());
        match saying.map(|saying| (saying.status, &saying.reason)) {
            Some((Status::PreApproved, _)) => Approval::NotNeeded,
            Some((Status::Blocked, reason)) => {
                Approval::Blocked(reason.as_deref().unwrap_or_default().into())
            }
            _ => {
                let shown = || self.signatures.show(call);
                let description = self.description.clone().unwrap_or_else(shown);
                Approval::Ask(Vote::ask("needs approval").with_description(description))
            }
        }
    }
}
