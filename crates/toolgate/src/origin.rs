//! Where a call comes from.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::visible::visible;

/// Where a call comes from: who, which project, session, branch and turn, and which agent.
///
/// The host fills this in. Nothing in it may come from the model. Cloning shares it.
///
/// # Example
///
/// ```
/// use toolgate::Origin;
///
/// let parent = Origin::new().with_session("s-1").with_agent("root");
/// let child = parent.child("researcher");
/// assert_eq!(child.agent().to_string(), "root/researcher");
/// assert_eq!(child.session(), Some("s-1"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Origin(Arc<Fields>);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    principal: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    project: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    branch: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "AgentPath::is_empty")]
    agent: AgentPath,
}

impl Origin {
    /// Makes an origin that says nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Names the person or account on whose behalf the agent works.
    #[must_use]
    pub fn with_principal(self, principal: impl Into<Box<str>>) -> Self {
        self.changed(|fields| fields.principal = Some(principal.into()))
    }

    /// Names the project.
    #[must_use]
    pub fn with_project(self, project: impl Into<Box<str>>) -> Self {
        self.changed(|fields| fields.project = Some(project.into()))
    }

    /// Names the session: questions of one session are asked one at a time.
    #[must_use]
    pub fn with_session(self, session: impl Into<Box<str>>) -> Self {
        self.changed(|fields| fields.session = Some(session.into()))
    }

    /// Names the branch of the session.
    #[must_use]
    pub fn with_branch(self, branch: impl Into<Box<str>>) -> Self {
        self.changed(|fields| fields.branch = Some(branch.into()))
    }

    /// Names the turn of the session.
    #[must_use]
    pub fn with_turn(self, turn: impl Into<Box<str>>) -> Self {
        self.changed(|fields| fields.turn = Some(turn.into()))
    }

    /// Names the agent that makes the call, as a path from the root agent.
    #[must_use]
    pub fn with_agent(self, agent: impl Into<AgentPath>) -> Self {
        self.changed(|fields| fields.agent = agent.into())
    }

    /// The origin of an agent that this one started.
    #[must_use]
    pub fn child(&self, name: &str) -> Self {
        self.clone().with_agent(self.agent().join(name))
    }

    /// On whose behalf the agent works.
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        self.0.principal.as_deref()
    }

    /// The project.
    #[must_use]
    pub fn project(&self) -> Option<&str> {
        self.0.project.as_deref()
    }

    /// The session.
    #[must_use]
    pub fn session(&self) -> Option<&str> {
        self.0.session.as_deref()
    }

    /// The branch of the session.
    #[must_use]
    pub fn branch(&self) -> Option<&str> {
        self.0.branch.as_deref()
    }

    /// The turn of the session.
    #[must_use]
    pub fn turn(&self) -> Option<&str> {
        self.0.turn.as_deref()
    }

    /// The agent that makes the call.
    #[must_use]
    pub fn agent(&self) -> &AgentPath {
        &self.0.agent
    }

    fn changed(mut self, change: impl FnOnce(&mut Fields)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }
}

/// The way from the root agent to the one that makes a call, such as `root/researcher`.
///
/// Its parts are kept apart: a name that contains a slash is still one part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AgentPath(Vec<Box<str>>);

impl AgentPath {
    /// The path of an agent that this one started.
    #[must_use]
    pub fn join(&self, name: &str) -> Self {
        Self(self.parts().chain([name]).map(Box::from).collect())
    }

    /// Whether `other` is this agent or one that works for it.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    /// The names on the way, from the root.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|part| &**part)
    }

    /// Whether no agent is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Takes the name of a root agent.
impl From<&str> for AgentPath {
    fn from(root: &str) -> Self {
        Self(vec![root.into()])
    }
}

/// For people, with everything visible. Not a key: two different paths can read the same.
impl fmt::Display for AgentPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.parts().enumerate() {
            if index > 0 {
                f.write_str("/")?;
            }
            f.write_str(&visible(part))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_in_a_name_does_not_make_a_child() {
        let forged = AgentPath::from("root/researcher");
        assert!(!AgentPath::from("root").contains(&forged));
        assert!(AgentPath::from("root").contains(&AgentPath::from("root").join("researcher")));
    }

    #[test]
    fn a_changed_origin_leaves_the_shared_one_alone() {
        let first = Origin::new().with_session("a");
        let second = first.clone().with_session("b");
        assert_eq!(first.session(), Some("a"));
        assert_eq!(second.session(), Some("b"));
    }

    #[test]
    fn crosses_a_process_and_refuses_unknown_fields() {
        let origin = Origin::new()
            .with_principal("ann")
            .with_agent("root")
            .child("x");
        let json = serde_json::to_string(&origin).unwrap();
        assert_eq!(json, r#"{"principal":"ann","agent":["root","x"]}"#);
        assert_eq!(serde_json::from_str::<Origin>(&json).unwrap(), origin);
        assert!(serde_json::from_str::<Origin>(r#"{"sesion":"s"}"#).is_err());
    }
}
