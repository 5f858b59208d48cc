//! What one policy says of one call: votes, and arguments to put in place.

mod votes;

use std::sync::Arc;

use self::votes::Votes;
use crate::{Args, Effect, Rule, Vote};

/// What one policy says of one call: a vote or none and, apart from that, new arguments or none.
///
/// New arguments replace the old ones; nothing is merged. They permit nothing by themselves,
/// and everybody judges them before they run.
///
/// # Example
///
/// ```
/// use toolgate::{Args, Decision, Effect};
///
/// let sanitised = Decision::abstain().with_args(Args::new());
/// assert_eq!(sanitised.effect(), None);
///
/// let blocked = Decision::deny("not on Fridays");
/// assert_eq!(blocked.effect(), Some(Effect::Deny));
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a decision counts only where a policy returns it"]
pub struct Decision {
    votes: Votes,
    args: Option<Args>,
    lifts_requirement: bool,
    /// Whether not all votes were cast on the arguments that came in, nor on those that go on.
    mixed: bool,
}

impl Decision {
    /// Says nothing. If nobody says anything, the gate's default decides.
    pub fn abstain() -> Self {
        Self::default()
    }

    /// Lets the call run, unless somebody else asks or denies.
    pub fn allow() -> Self {
        Vote::allow().into()
    }

    /// Asks somebody first, unless somebody else denies.
    pub fn ask(reason: impl Into<Arc<str>>) -> Self {
        Vote::ask(reason).into()
    }

    /// Refuses the call, whatever anybody else says.
    pub fn deny(reason: impl Into<Arc<str>>) -> Self {
        Vote::deny(reason).into()
    }

    /// Names the rule behind the last vote.
    pub fn by(mut self, rule: Rule) -> Self {
        if let Some(vote) = self.votes.last_mut() {
            vote.set_rule(rule);
        }
        self
    }

    /// Puts `args` in the place of the call's arguments.
    pub fn with_args(mut self, args: Args) -> Self {
        self.args = Some(args);
        self
    }

    /// Adds a vote.
    pub fn and(mut self, vote: Vote) -> Self {
        self.votes.push(vote);
        self
    }

    /// The strictest of the votes; none if there is no vote.
    #[must_use]
    pub fn effect(&self) -> Option<Effect> {
        self.votes().iter().map(Vote::effect).max()
    }

    /// The votes.
    pub fn votes(&self) -> &[Vote] {
        self.votes.as_slice()
    }

    /// The arguments to put in place, if any.
    #[must_use]
    pub fn args(&self) -> Option<&Args> {
        self.args.as_ref()
    }

    /// Takes over the votes of `other`, and its arguments if it has any.
    pub(crate) fn absorb(&mut self, other: Self) {
        other.votes.for_each(|vote| self.votes.push(vote));
        self.args = other.args.or(self.args.take());
        self.lifts_requirement |= other.lifts_requirement;
        self.mixed |= other.mixed;
    }

    /// Says that the votes were cast on different arguments, so that all have to be cast again.
    pub(crate) fn mark_mixed(&mut self) {
        self.mixed = true;
    }

    pub(crate) fn is_mixed(&self) -> bool {
        self.mixed
    }

    /// Lifts what the tool itself requires. Only an override of the tool rules does this.
    pub(crate) fn lifting_requirement(mut self) -> Self {
        self.lifts_requirement = true;
        self
    }

    pub(crate) fn lifts_requirement(&self) -> bool {
        self.lifts_requirement
    }

    /// Whether it is nothing but an abstention.
    pub(crate) fn says_nothing(&self) -> bool {
        matches!(self.votes, Votes::None)
            && self.args.is_none()
            && !self.lifts_requirement
            && !self.mixed
    }

    pub(crate) fn into_parts(self) -> (Votes, Option<Args>) {
        (self.votes, self.args)
    }
}

impl From<Vote> for Decision {
    fn from(vote: Vote) -> Self {
        Self {
            votes: Votes::One(vote),
            ..Self::default()
        }
    }
}

impl From<Option<Vote>> for Decision {
    fn from(vote: Option<Vote>) -> Self {
        vote.map_or_else(Self::abstain, Self::from)
    }
}
