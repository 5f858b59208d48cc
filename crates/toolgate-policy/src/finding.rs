//! What the parts of a policy find in a call.
//!
//! Every part (tools, shell, paths, hosts) works on rules by number. It is told which rules are in
//! force for the call at hand, and reports which of them matched and what else it noticed. What
//! follows from that is decided in one place, for all parts alike.

use std::borrow::Cow;

use smallvec::SmallVec;
use toolgate::Effect;

/// The number of a rule, the same in all parts of one policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RuleIndex(pub(crate) u32);

/// Which rules are in force for the call at hand.
pub(crate) trait Scope {
    /// Whether a rule is: its agents are meant, it has not expired, and nobody put it aside.
    fn is_active(&self, rule: RuleIndex) -> bool;
}

impl<F: Fn(RuleIndex) -> bool> Scope for F {
    fn is_active(&self, rule: RuleIndex) -> bool {
        self(rule)
    }
}

/// What follows from one finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Outcome {
    /// A rule allows this part of the call.
    Allow,
    /// No rule speaks of this part of the call: the default decides.
    Uncovered,
    /// Somebody has to be asked, whatever the default.
    Ask,
    /// It is refused.
    Deny,
}

impl From<Effect> for Outcome {
    fn from(effect: Effect) -> Self {
        match effect {
            Effect::Allow => Self::Allow,
            Effect::Ask => Self::Ask,
            Effect::Deny => Self::Deny,
        }
    }
}

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A rule of the policy.
    Rule(RuleIndex),
    /// A rule that is always there, by its id, such as `shell.not-literal`.
    Builtin(&'static str),
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) outcome: Outcome,
    pub(crate) by: By,
    /// In words, for whoever wants to know. Never an argument value: the reason of a refusal goes
    /// into logs. Names of options and programs that stand in our own tables are fine.
    pub(crate) why: Cow<'static, str>,
}

/// Everything that was found in a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Findings(pub(crate) SmallVec<[Finding; 4]>);

impl Findings {
    /// Takes down that a rule matched.
    pub(crate) fn rule(&mut self, outcome: Outcome, rule: RuleIndex) {
        self.0.push(Finding {
            outcome,
            by: By::Rule(rule),
            why: Cow::Borrowed(""),
        });
    }

    /// Takes down something that no rule of the policy says.
    pub(crate) fn builtin(
        &mut self,
        outcome: Outcome,
        id: &'static str,
        why: impl Into<Cow<'static, str>>,
    ) {
        self.0.push(Finding {
            outcome,
            by: By::Builtin(id),
            why: why.into(),
        });
    }
}
