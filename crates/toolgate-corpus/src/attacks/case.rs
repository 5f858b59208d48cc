//! An attack as it is written.

use std::fmt;

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use super::{
    generate::Generator,
    names,
    policy::Spec,
    step::{self, Step},
};
use crate::case::Invalid;

/// One line of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Attack {
    pub(super) class: String,
    policy: Box<RawValue>,
    call: Box<RawValue>,
    pub(super) must: Must,
    #[serde(default)]
    pub(super) setup: Vec<Box<RawValue>>,
    #[serde(default)]
    expect: Map<String, Value>,
    #[serde(default)]
    pub(super) tags: Vec<Tag>,
    pub(super) id: String,
    pub(super) tier: Tier,
    // What a case says of itself. Nothing depends on it.
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "source_verified")]
    _source_verified: bool,
    #[serde(rename = "why")]
    _why: String,
    #[serde(rename = "needs")]
    _needs: Vec<String>,
}

/// What must become of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Must {
    Allow,
    Deny,
    Ask,
    /// It is asked about, or it is refused.
    NotAllow,
}

/// What is said of a case as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Tag {
    Optional,
    HostIntegration,
}

/// What a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub(super) enum Tier {
    #[serde(rename = "T1-structure")]
    Structure,
    #[serde(rename = "T2-domain-knowledge")]
    DomainKnowledge,
    #[serde(rename = "T3-stateful-protocol")]
    StatefulProtocol,
    #[serde(rename = "T4-fault-and-environment")]
    FaultAndEnvironment,
    #[serde(rename = "T5-presentation-and-secrets")]
    PresentationAndSecrets,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Structure => "T1-structure",
            Self::DomainKnowledge => "T2-domain-knowledge",
            Self::StatefulProtocol => "T3-stateful-protocol",
            Self::FaultAndEnvironment => "T4-fault-and-environment",
            Self::PresentationAndSecrets => "T5-presentation-and-secrets",
        })
    }
}

/// The call that is judged.
#[expect(clippy::struct_field_names, reason = "they are named as in the file")]
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) tool: String,
    #[serde(default)]
    pub(super) args: Option<Box<RawValue>>,
    #[serde(default)]
    pub(super) args_raw: Option<String>,
    #[serde(default)]
    pub(super) args_gen: Option<Generator>,
    #[serde(default)]
    pub(super) context: Context,
    /// Which of the calls before is meant.
    #[serde(default, rename = "ref")]
    pub(super) refers_to: Option<String>,
    #[serde(default)]
    pub(super) call_id: Option<String>,
    /// Which server the tool is on.
    #[serde(default)]
    pub(super) identity: Option<Identity>,
    /// What the tool says of itself.
    #[serde(default)]
    pub(super) annotations: Map<String, Value>,
}

/// What a tool is known by: its server, and what it is called there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Identity {
    pub(super) server: String,
    pub(super) tool: String,
}

/// Where a call comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Context {
    pub(super) session: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) user: Option<String>,
    pub(super) project: Option<String>,
    /// Where commands run.
    pub(super) cwd: Option<String>,
}

impl Context {
    /// Whether nothing that is said here is said otherwise there.
    pub(super) fn agrees_with(&self, other: &Self) -> bool {
        let agrees =
            |here: &Option<String>, there: &Option<String>| here.is_none() || here == there;
        agrees(&self.session, &other.session)
            && agrees(&self.agent, &other.agent)
            && agrees(&self.user, &other.user)
            && agrees(&self.project, &other.project)
    }

    /// What is not said here, as it is said there.
    pub(super) fn or(&self, other: &Self) -> Self {
        let or =
            |here: &Option<String>, there: &Option<String>| here.clone().or_else(|| there.clone());
        Self {
            session: or(&self.session, &other.session),
            agent: or(&self.agent, &other.agent),
            user: or(&self.user, &other.user),
            project: or(&self.project, &other.project),
            cwd: or(&self.cwd, &other.cwd),
        }
    }
}

/// An attack that was read completely.
#[derive(Debug)]
pub(super) struct Scenario {
    pub(super) class: String,
    pub(super) policy: Spec,
    pub(super) call: Call,
    pub(super) must: Must,
    pub(super) steps: Vec<Step>,
    pub(super) expect: Map<String, Value>,
}

impl Attack {
    /// Reads what only those need to know who run it.
    pub(super) fn read(&self) -> Result<Scenario, Invalid> {
        let invalid = |error| Invalid::new(format!("`call`: {error}"));
        let policy = Spec::read(self.policy.get());
        let call = serde_json::from_str(&names::replaced(self.call.get()));
        Ok(Scenario {
            class: self.class.clone(),
            policy: policy?,
            call: call.map_err(invalid)?,
            must: self.must,
            steps: step::read(&self.setup)?,
            expect: self.expect.clone(),
        })
    }
}
