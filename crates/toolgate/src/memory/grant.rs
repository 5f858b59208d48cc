//! What is remembered.

use std::{fmt, sync::Arc, time::SystemTime};

use serde::{Deserialize, Serialize};

use crate::{AgentPath, Args, Origin, Remember, ToolId};

/// What a grant is known by.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GrantId(pub(super) u64);

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "g{}", self.0)
    }
}

impl fmt::Debug for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GrantId({})", self.0)
    }
}

/// Whether somebody said yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantDecision {
    /// Yes.
    Allow,
    /// No.
    Deny,
}

/// Something that somebody wanted to be remembered: an answer to one rule, for one operation or
/// for several that are alike.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Grant {
    /// What the grant is known by; a store gives it.
    pub id: GrantId,
    /// Yes or no.
    pub decision: GrantDecision,
    /// The tool. Another definition of it is another tool.
    pub tool: ToolId,
    /// The name under which the operation is remembered, if it is not the tool's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Arc<str>>,
    /// What identifies the operation.
    pub payload: Args,
    /// Whether the payload has to be equal as a whole. If not, further keys may be anything.
    pub exact: bool,
    /// The layer whose ask was answered.
    pub layer: Arc<str>,
    /// The id of the rule that was answered, or its reason if it had no name.
    pub rule: Arc<str>,
    /// Whether the rule had a name.
    pub named: bool,
    /// Where the grant holds.
    pub scope: GrantScope,
    /// Whether agents that work for this one may use it.
    pub delegable: bool,
    /// When it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<SystemTime>,
    /// How often it can still be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// What the person had to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Arc<str>>,
    /// Who gave it, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_by: Option<Arc<str>>,
    /// When it was given.
    pub given: SystemTime,
}

/// Shows which grant it is, never for what: the other parts may have arguments in them.
impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant")
            .field("id", &self.id)
            .field("decision", &self.decision)
            .field("tool", &self.tool)
            .field("layer", &self.layer)
            .field("rule", &self.named.then_some(&self.rule))
            .field("exact", &self.exact)
            .field("scope", &self.scope)
            .field("uses", &self.uses)
            .field("expires", &self.expires)
            .finish_non_exhaustive()
    }
}

impl Grant {
    /// A grant that says no to every call of `tool` with no payload, to start from.
    pub(crate) fn blank(tool: &ToolId) -> Self {
        Self {
            id: GrantId(0),
            decision: GrantDecision::Deny,
            tool: tool.clone(),
            subject: None,
            payload: Args::new(),
            exact: true,
            layer: Arc::from(""),
            rule: Arc::from(""),
            named: true,
            scope: GrantScope::default(),
            delegable: false,
            expires: None,
            uses: None,
            note: None,
            given_by: None,
            given: SystemTime::UNIX_EPOCH,
        }
    }
}

/// Where a grant holds: for this principal and project, for this agent, and for this session if it
/// was given for a session. All branches of a session are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct GrantScope {
    /// The principal, or that there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Box<str>>,
    /// The project, or that there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<Box<str>>,
    /// Whether it holds in one session only.
    pub one_session: bool,
    /// The session, or that there was none; if it holds in one only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Box<str>>,
    /// The agent.
    #[serde(default, skip_serializing_if = "AgentPath::is_empty")]
    pub agent: AgentPath,
}

impl GrantScope {
    /// Where an answer to a call from `origin` holds.
    #[must_use]
    pub fn of(origin: &Origin, remember: Remember) -> Self {
        let one_session = remember != Remember::Always;
        Self {
            principal: origin.principal().map(Box::from),
            project: origin.project().map(Box::from),
            one_session,
            session: origin.session().filter(|_| one_session).map(Box::from),
            agent: origin.agent().clone(),
        }
    }

    /// Whether the scope is that of `origin`, leaving the agent aside.
    pub(super) fn is_of(&self, origin: &Origin) -> bool {
        self.principal.as_deref() == origin.principal()
            && self.project.as_deref() == origin.project()
            && (!self.one_session || self.session.as_deref() == origin.session())
    }
}
