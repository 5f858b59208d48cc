//! One middleware of a case, or a group of them.

mod check;

use serde::Deserialize;
use toolgate::Args;

pub(super) use self::check::check_all;
use crate::fault::Fault;

/// One middleware, or a group of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Node {
    pub(super) mw: Word,
    #[serde(default)]
    name: Option<String>,
    /// The tools that it is about; none means all.
    #[serde(default)]
    pub(super) tools: Option<Vec<String>>,
    #[serde(default)]
    pub(super) reason: Option<String>,
    #[serde(default)]
    pub(super) modified_args: Option<Args>,
    #[serde(default)]
    pub(super) set: Option<Args>,
    #[serde(default)]
    pub(super) to: Option<Args>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    pub(super) sleep: Option<f64>,
    #[serde(default)]
    pub(super) timeout: Option<f64>,
    /// What it makes of an error of the tool.
    #[serde(default)]
    pub(super) on_error_raise: Option<String>,
    /// Why it refuses the result of the tool.
    #[serde(default)]
    pub(super) after_raise_blocked: Option<String>,
    #[serde(default)]
    of: Option<Members>,
    #[serde(default)]
    then: Option<Vec<Node>>,
    #[serde(default, rename = "else")]
    otherwise: Option<Vec<Node>>,
    #[serde(default)]
    predicate: Option<Predicate>,
    #[serde(default)]
    strategy: Option<Strategy>,
    #[serde(default)]
    pub(super) timing: Option<Timing>,
    /// Which one it is, counted through the case.
    #[serde(skip)]
    pub(super) number: usize,
}

/// What a middleware does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    Allow,
    Deny,
    Ask,
    Pass,
    SetArgs,
    ReplaceArgs,
    RaiseBlocked,
    Raise,
    /// Forgets to return anything.
    ReturnNone,
    Chain,
    When,
    Parallel,
    AsyncGuardrail,
}

/// The members of a group, or what a wrapper wraps.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Members {
    One(Box<Node>),
    Many(Vec<Node>),
}

/// What a condition comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Predicate {
    Is(bool),
    Raises,
}

impl<'de> Deserialize<'de> for Predicate {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::Bool(truth) => Ok(Self::Is(truth)),
            value if value == "raise" => Ok(Self::Raises),
            value => Err(serde::de::Error::custom(format!(
                "unknown predicate {value}"
            ))),
        }
    }
}

/// How a group makes one result of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Strategy {
    AllMustPass,
    CollectAll,
    FirstSuccess,
    Race,
}

/// When a guardrail is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Timing {
    Blocking,
    Concurrent,
    AsyncPost,
}

impl Node {
    /// The name in traces.
    pub(super) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.mw.text())
    }

    /// The members of a group.
    pub(super) fn members(&self) -> &[Node] {
        match &self.of {
            Some(Members::One(node)) => std::slice::from_ref(node),
            Some(Members::Many(nodes)) => nodes,
            None => &[],
        }
    }

    /// What holds if the predicate does, and otherwise.
    pub(super) fn branches(&self) -> (&[Node], &[Node]) {
        (
            self.then.as_deref().unwrap_or_default(),
            self.otherwise.as_deref().unwrap_or_default(),
        )
    }

    /// Whether the predicate holds.
    pub(super) fn holds(&self) -> bool {
        self.predicate == Some(Predicate::Is(true))
    }

    /// How it fails by itself, if it does.
    pub(super) fn fault(&self) -> Option<Fault> {
        match self.mw {
            Word::Raise => Some(Fault::raised(
                self.error.clone().unwrap_or_default(),
                self.message.clone().unwrap_or_default(),
            )),
            Word::ReturnNone => Some(Fault::raised(
                "AttributeError",
                "'NoneType' object has no attribute 'decision'",
            )),
            Word::When if self.predicate == Some(Predicate::Raises) => {
                Some(Fault::raised("ValueError", "predicate failed"))
            }
            _ => None,
        }
    }

    /// Whether the first of its members to answer decides.
    pub(super) fn races(&self) -> bool {
        matches!(self.strategy, Some(Strategy::FirstSuccess | Strategy::Race))
    }

    /// The members and branches.
    fn children(&self) -> impl Iterator<Item = &Node> {
        let (then, otherwise) = self.branches();
        self.members().iter().chain(then).chain(otherwise)
    }
}

impl Word {
    /// The word as cases write it.
    fn text(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Deny => "deny",
            Self::Ask => "ask",
            Self::Pass => "pass",
            Self::SetArgs => "set_args",
            Self::ReplaceArgs => "replace_args",
            Self::RaiseBlocked => "raise_blocked",
            Self::Raise => "raise",
            Self::ReturnNone => "return_none",
            Self::Chain => "chain",
            Self::When => "when",
            Self::Parallel => "parallel",
            Self::AsyncGuardrail => "async_guardrail",
        }
    }
}

/// Numbers all of `nodes`, and those within them.
pub(super) fn number(nodes: &mut [Node]) {
    fn go(nodes: &mut [Node], next: &mut usize) {
        for node in nodes {
            node.number = *next;
            *next += 1;
            match &mut node.of {
                Some(Members::One(one)) => go(std::slice::from_mut(one), next),
                Some(Members::Many(many)) => go(many, next),
                None => {}
            }
            go(node.then.as_deref_mut().unwrap_or_default(), next);
            go(node.otherwise.as_deref_mut().unwrap_or_default(), next);
        }
    }
    go(nodes, &mut 0);
}

/// Whether `is` holds for any of `nodes`, or those within them.
pub(super) fn any(nodes: &[Node], is: &dyn Fn(&Node) -> bool) -> bool {
    nodes.iter().any(|node| {
        is(node)
            || node
                .children()
                .any(|child| any(std::slice::from_ref(child), is))
    })
}

/// The names of all of `nodes`, and those within them.
pub(super) fn names(nodes: &[Node]) -> Vec<String> {
    let mut names = Vec::new();
    for node in nodes {
        names.push(node.name().to_owned());
        node.children()
            .for_each(|child| names.extend(self::names(std::slice::from_ref(child))));
    }
    names
}

/// How the source refuses to build this, if it does.
pub(super) fn misbuilt(nodes: &[Node]) -> Option<Fault> {
    let empty = |node: &Node| node.mw == Word::Parallel && node.members().is_empty();
    any(nodes, &empty).then(|| {
        Fault::raised(
            "ValueError",
            "ParallelMiddleware requires at least one middleware",
        )
    })
}
