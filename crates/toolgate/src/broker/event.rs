//! What travels between a broker and its subscribers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{AgentPath, ApprovalDecision, ApprovalRequest, Args, Remember, RequestId};

/// Where a question comes from, and where its answer has to go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Address {
    /// The agent.
    #[serde(default)]
    pub agent: AgentPath,
    /// The session.
    #[serde(default)]
    pub session: Option<Box<str>>,
    /// The branch of the session.
    #[serde(default)]
    pub branch: Option<Box<str>>,
    /// What asks, such as `tools` or `continuation`.
    pub source: Arc<str>,
}

impl Address {
    /// The address of what `source` asks in a call from `origin`.
    pub fn new(origin: &crate::Origin, source: impl Into<Arc<str>>) -> Self {
        Self {
            agent: origin.agent().clone(),
            session: origin.session().map(Box::from),
            branch: origin.branch().map(Box::from),
            source: source.into(),
        }
    }
}

/// Something that happened to a question.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum BrokerEvent {
    /// It was put.
    Requested {
        /// Where it comes from.
        address: Address,
        /// The question.
        request: Arc<ApprovalRequest>,
    },
    /// Somebody answered it.
    Answered {
        /// Where it came from.
        address: Address,
        /// The question.
        id: RequestId,
        /// What was chosen.
        choice: Choice,
    },
    /// Whoever asked has gone.
    Withdrawn {
        /// Where it came from.
        address: Address,
        /// The question.
        id: RequestId,
    },
    /// Nobody answered in time.
    Expired {
        /// Where it came from.
        address: Address,
        /// The question.
        id: RequestId,
    },
}

impl BrokerEvent {
    /// Where the question comes from.
    #[must_use]
    pub fn address(&self) -> &Address {
        match self {
            Self::Requested { address, .. }
            | Self::Answered { address, .. }
            | Self::Withdrawn { address, .. }
            | Self::Expired { address, .. } => address,
        }
    }
}

/// Which events a subscriber wants to hear of. What is not named may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct EventFilter {
    agent: Option<AgentPath>,
    session: Option<Box<str>>,
    branch: Option<Box<str>>,
    source: Option<Arc<str>>,
}

impl EventFilter {
    /// Every event.
    pub fn all() -> Self {
        Self::default()
    }

    /// Only those of this agent and of agents that work for it.
    pub fn with_agent(mut self, agent: impl Into<AgentPath>) -> Self {
        self.agent = Some(agent.into());
        self
    }

    /// Only those of this session.
    pub fn with_session(mut self, session: impl Into<Box<str>>) -> Self {
        self.session = Some(session.into());
        self
    }

    /// Only those of this branch.
    pub fn with_branch(mut self, branch: impl Into<Box<str>>) -> Self {
        self.branch = Some(branch.into());
        self
    }

    /// Only those of this source.
    pub fn with_source(mut self, source: impl Into<Arc<str>>) -> Self {
        self.source = Some(source.into());
        self
    }

    pub(super) fn wants(&self, address: &Address) -> bool {
        let same = |wanted: &Option<Box<str>>, found: &Option<Box<str>>| {
            wanted.is_none() || wanted == found
        };
        self.agent
            .as_ref()
            .is_none_or(|agent| agent.contains(&address.agent))
            && same(&self.session, &address.session)
            && same(&self.branch, &address.branch)
            && self
                .source
                .as_ref()
                .is_none_or(|source| *source == address.source)
    }
}

/// What somebody can choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Choice {
    /// Yes, to this call.
    AllowOnce,
    /// Yes, for the rest of the session.
    AllowSession,
    /// Yes, until it is revoked.
    AllowAlways,
    /// No, to this call.
    DenyOnce,
    /// No, for the rest of the session.
    DenySession,
    /// No, until it is revoked.
    DenyAlways,
}

impl Choice {
    pub(super) fn decision(self) -> ApprovalDecision {
        let (decision, remember) = match self {
            Self::AllowOnce => (ApprovalDecision::approve(), Remember::Once),
            Self::AllowSession => (ApprovalDecision::approve(), Remember::Session),
            Self::AllowAlways => (ApprovalDecision::approve(), Remember::Always),
            Self::DenyOnce => (ApprovalDecision::decline(), Remember::Once),
            Self::DenySession => (ApprovalDecision::decline(), Remember::Session),
            Self::DenyAlways => (ApprovalDecision::decline(), Remember::Always),
        };
        decision.remembered(remember)
    }
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
#[must_use = "an answer counts only if a broker gets it"]
pub struct PermissionResponse {
    /// The question.
    pub id: RequestId,
    /// Where the question came from.
    pub address: Address,
    /// Who answers. The host has to know this; it must not come from the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Box<str>>,
    /// What is chosen.
    pub choice: Choice,
    /// A word for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<Arc<str>>,
    /// Other arguments to run instead, where the question permits that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Args>,
    /// The keys that the chosen suggestion leaves out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Box<str>>,
}

impl PermissionResponse {
    /// Answers the question `id` that came from `address`.
    pub fn new(id: RequestId, address: Address, choice: Choice) -> Self {
        let (principal, feedback, args) = (None, None, None);
        Self {
            id,
            address,
            principal,
            choice,
            feedback,
            args,
            without: Vec::new(),
        }
    }

    /// Says who answers.
    pub fn by(mut self, principal: impl Into<Box<str>>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// Adds a word for the model.
    pub fn with_feedback(mut self, feedback: impl Into<Arc<str>>) -> Self {
        self.feedback = Some(feedback.into());
        self
    }

    /// Has other arguments run instead.
    pub fn with_args(mut self, args: Args) -> Self {
        self.args = Some(args);
        self
    }

    pub(super) fn into_decision(self) -> ApprovalDecision {
        ApprovalDecision {
            note: self.feedback,
            args: self.args,
            without: self.without,
            by: self.principal.map(Arc::from),
            ..self.choice.decision()
        }
    }
}
