//! From what was found to what is decided.

use std::sync::Arc;

use smallvec::SmallVec;
use toolgate::{Decision, Effect, Rule, Vote};

use crate::{
    compiled::Compiled,
    finding::{By, Finding, Findings, Outcome},
    spec::{DefaultSpec, ModeSpec},
};

/// What each layer found in a call. There are seldom more than those of the machine, the user and
/// the project.
pub(crate) type Found<'a> = SmallVec<[(&'a Compiled, Findings); 3]>;

/// What follows from everything that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// Rules, or what is always there, decide.
    By(Effect),
    /// Nobody decides about some part of the call, so the default does.
    ByDefault(Effect),
}

impl Settled {
    /// Whether the default decides without a question.
    pub(crate) fn is_final_default(self) -> bool {
        matches!(self, Self::ByDefault(Effect::Allow | Effect::Deny))
    }

    pub(crate) fn effect(self) -> Effect {
        match self {
            Self::By(effect) | Self::ByDefault(effect) => effect,
        }
    }
}

/// Settles a call: deny before ask before allow before the default, whoever says it.
///
/// A layer allows a call only if it covers all of it. A managed layer whose default is to deny
/// denies what it does not cover, whatever the others allow. And where the default is to deny, what
/// is odd about a call is no way around it: somebody is asked about an odd call only if it would
/// have been allowed otherwise, or asked about.
pub(crate) fn settle(found: &Found<'_>) -> Settled {
    let any = |wanted: Outcome| found.iter().any(|(_, it)| outcome(it) == Some(wanted));
    let default = || default(found.iter().map(|(layer, _)| *layer));
    let refuses = |(layer, it): &(&Compiled, Findings)| {
        layer.is_managed && layer.default == Some(DefaultSpec::Deny) && is_open(it)
    };
    if any(Outcome::Deny) {
        Settled::By(Effect::Deny)
    } else if found.iter().any(refuses) {
        Settled::ByDefault(Effect::Deny)
    } else if any(Outcome::Ask) {
        match found.iter().all(|(_, it)| is_open(it)) && default() == Effect::Deny {
            true => Settled::ByDefault(Effect::Deny),
            false => Settled::By(Effect::Ask),
        }
    } else if any(Outcome::Allow) {
        Settled::By(Effect::Allow)
    } else {
        Settled::ByDefault(default())
    }
}

/// Whether no rule decides: none asks or denies, and none allows all of the call.
fn is_open(findings: &Findings) -> bool {
    let decides = |finding: &Finding| match finding.by {
        By::Rule(_) => finding.outcome >= Outcome::Ask,
        By::Builtin(_) => finding.outcome == Outcome::Deny,
    };
    let said = |outcome: Outcome| findings.0.iter().any(|finding| finding.outcome == outcome);
    let is_covered = said(Outcome::Allow) && !said(Outcome::Uncovered);
    !is_covered && !findings.0.iter().any(decides)
}

/// What holds where no rule of any layer speaks: the strictest that a layer says, or to ask.
pub(crate) fn default<'a>(layers: impl Iterator<Item = &'a Compiled>) -> Effect {
    let said = layers.filter_map(|layer| match (layer.default, layer.mode) {
        (Some(DefaultSpec::Deny), _) => Some(Effect::Deny),
        (Some(DefaultSpec::Allow), _) | (_, Some(ModeSpec::Yolo)) => Some(Effect::Allow),
        (Some(DefaultSpec::Ask), _) => Some(Effect::Ask),
        (None, _) => None,
    });
    said.max().unwrap_or(Effect::Ask)
}

/// The strictest that was found; none if nothing was.
fn outcome(findings: &Findings) -> Option<Outcome> {
    findings.0.iter().map(|finding| finding.outcome).max()
}

/// The votes that follow from what was found, given what is decided.
///
/// What was found may be what one part found: then it is that part's share of the decision. If it
/// found nothing, and the default is to ask, that is left to the gate. A question shows what `dress`
/// adds to it.
pub(crate) fn decision(
    settled: Settled,
    found: &Found<'_>,
    dress: &dyn Fn(Vote) -> Vote,
) -> Decision {
    match settled {
        Settled::By(Effect::Allow) => first(found, Outcome::Allow).into(),
        Settled::By(Effect::Deny) => first(found, Outcome::Deny).into(),
        Settled::By(Effect::Ask) => votes(found, Outcome::Ask, dress),
        Settled::ByDefault(Effect::Allow) => Vote::allow().by(Rule::new(DEFAULT)).into(),
        Settled::ByDefault(Effect::Ask) => votes(found, Outcome::Uncovered, dress),
        Settled::ByDefault(Effect::Deny) => denied_by_default(),
    }
}

fn denied_by_default() -> Decision {
    let why = "no rule allows it, and the policy denies what no rule allows";
    Decision::deny(why).by(Rule::new(DEFAULT))
}

/// What the default is known by.
pub(crate) const DEFAULT: &str = "default";

fn first(found: &Found<'_>, outcome: Outcome) -> Option<Vote> {
    let mut of_outcome = findings(found, outcome);
    of_outcome
        .next()
        .map(|(layer, finding)| vote(layer, finding))
}

/// One vote for each that asks, so that an answer to one never covers another.
fn votes(found: &Found<'_>, outcome: Outcome, dress: &dyn Fn(Vote) -> Vote) -> Decision {
    let mut decision = Decision::abstain();
    for (layer, finding) in findings(found, outcome) {
        let vote = vote(layer, finding);
        let known = |other: &Vote| other.rule().map(Rule::id) == vote.rule().map(Rule::id);
        if !decision.votes().iter().any(known) {
            decision = decision.and(dress(vote));
        }
    }
    decision
}

fn findings<'a>(
    found: &'a Found<'_>,
    outcome: Outcome,
) -> impl Iterator<Item = (&'a Compiled, &'a Finding)> {
    let all = found
        .iter()
        .flat_map(|(layer, findings)| findings.0.iter().map(move |finding| (*layer, finding)));
    all.filter(move |(_, finding)| finding.outcome == outcome)
}

fn vote(layer: &Compiled, finding: &Finding) -> Vote {
    let reason = || reason(layer, finding);
    let vote = match finding.outcome {
        Outcome::Allow => Vote::allow(),
        Outcome::Uncovered | Outcome::Ask => Vote::ask(reason()),
        Outcome::Deny => Vote::deny(reason()),
    };
    vote.by(rule(layer, finding))
}

/// The rule behind a finding.
pub(crate) fn rule(layer: &Compiled, finding: &Finding) -> Rule {
    match finding.by {
        By::Rule(index) => match layer.rules.get(index) {
            Some(meta) => meta.rule.clone(),
            None => Rule::new(DEFAULT),
        },
        By::Builtin(id) => Rule::new(id),
    }
}

/// Why a finding says what it says, for whoever is asked or refused.
pub(crate) fn reason(layer: &Compiled, finding: &Finding) -> Arc<str> {
    let of_rule = match finding.by {
        By::Rule(index) => layer.rules.get(index).map(|meta| Arc::clone(&meta.reason)),
        By::Builtin(_) => None,
    };
    of_rule.unwrap_or_else(|| Arc::from(&*finding.why))
}
