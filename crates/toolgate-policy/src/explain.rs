//! Everything that is to be said about the decision on a call.

mod parsed;

use serde::Serialize;
use toolgate::{Effect, Rule};

pub use self::parsed::{Parsed, ParsedCommand, ParsedHost, ParsedLine, ParsedPath, ParsedWord};
use crate::{
    finding::{By, Outcome},
    judge::View,
    part::Parts,
    policy::FilePolicy,
    settle::{self, Found, Settled},
};

/// Everything that is to be said about the decision on a call.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Explanation {
    /// What is decided, before anybody answers.
    pub effect: Effect,
    /// Whether no rule decides, so that the default does.
    pub by_default: bool,
    /// What every rule says that has something to say, the strictest first.
    pub votes: Vec<ExplainedVote>,
    /// How the arguments were understood, for tools of a known kind.
    pub parsed: Vec<Parsed>,
    /// The single rule whose absence would change the decision, if there is one.
    pub nearest: Option<Nearest>,
}

/// What one rule says of a call.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ExplainedVote {
    /// What it says.
    pub says: Says,
    /// The rule, with its text and where it is written. A rule that is always there has no place.
    pub rule: Rule,
    /// Why.
    pub reason: Box<str>,
    /// Whether this is among what settled the decision.
    pub decides: bool,
}

/// What a rule says of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Says {
    /// It may run, as far as this rule is concerned.
    Allow,
    /// No rule covers some part of the call.
    Uncovered,
    /// Somebody has to be asked.
    Ask,
    /// It must not run.
    Deny,
}

/// A rule whose absence would change the decision.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Nearest {
    /// The rule.
    pub rule: Rule,
    /// What would be decided without it.
    pub would_be: Effect,
}

impl Explanation {
    pub(crate) fn new(policy: &FilePolicy, call: &View<'_>) -> Self {
        let found = policy.found(call, Parts::All, None);
        let settled = settle::settle(&found);
        Self {
            effect: settled.effect(),
            by_default: matches!(settled, Settled::ByDefault(_)),
            votes: votes(&found, settled),
            parsed: policy.parsed(call),
            nearest: nearest(policy, call, &found, settled.effect()),
        }
    }
}

fn votes(found: &Found<'_>, settled: Settled) -> Vec<ExplainedVote> {
    let deciding = match settled {
        Settled::By(effect) => Outcome::from(effect),
        Settled::ByDefault(_) => Outcome::Uncovered,
    };
    let mut votes = Vec::new();
    for (layer, findings) in found {
        votes.extend(findings.0.iter().map(|finding| ExplainedVote {
            says: finding.outcome.into(),
            rule: settle::rule(layer, finding),
            reason: (&*settle::reason(layer, finding)).into(),
            decides: finding.outcome == deciding,
        }));
    }
    votes.sort_by_key(|vote| std::cmp::Reverse(vote.says));
    votes
}

/// Puts each rule aside that says something, and looks whether anything changes.
fn nearest(
    policy: &FilePolicy,
    call: &View<'_>,
    found: &Found<'_>,
    effect: Effect,
) -> Option<Nearest> {
    let findings = found
        .iter()
        .enumerate()
        .flat_map(|(number, (layer, findings))| {
            let each = findings.0.iter();
            each.map(move |finding| (number, *layer, finding))
        });
    let mut rules = findings.filter_map(|(number, layer, finding)| match finding.by {
        By::Rule(rule) => Some((number, rule, layer.rules.get(rule)?)),
        By::Builtin(_) => None,
    });
    rules.find_map(|(number, index, meta)| {
        let found = policy.found(call, Parts::All, Some((number, index)));
        let would_be = settle::settle(&found).effect();
        (would_be != effect).then(|| Nearest {
            rule: meta.rule.clone(),
            would_be,
        })
    })
}

impl From<Outcome> for Says {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Allow => Self::Allow,
            Outcome::Uncovered => Self::Uncovered,
            Outcome::Ask => Self::Ask,
            Outcome::Deny => Self::Deny,
        }
    }
}
