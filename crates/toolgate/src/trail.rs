//! Who said what of a call.

use std::fmt;

use smallvec::SmallVec;

use crate::{Effect, Vote};

/// Every vote on a call, in the order in which they were cast.
///
/// A call that was judged in several rounds has the votes of the last one: those are the votes
/// on the arguments that ran or were refused.
#[derive(Clone, Debug, Default)]
pub struct Trail(SmallVec<[TrailEntry; 4]>);

/// One vote, and the layer that cast it.
#[derive(Clone, Debug)]
pub struct TrailEntry {
    layer: &'static str,
    vote: Vote,
}

impl TrailEntry {
    /// The layer that cast the vote.
    #[must_use]
    pub fn layer(&self) -> &'static str {
        self.layer
    }

    /// The vote.
    pub fn vote(&self) -> &Vote {
        &self.vote
    }
}

impl fmt::Display for TrailEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let effect = match self.vote.effect() {
            Effect::Allow => "allow",
            Effect::Ask => "ask",
            Effect::Deny => "deny",
        };
        write!(f, "{}: {effect}", self.layer)?;
        if let Some(rule) = self.vote.rule() {
            write!(f, " by {rule}")?;
            if let Some(source) = rule.source() {
                write!(f, " ({source})")?;
            }
        }
        match self.vote.reason() {
            Some(reason) => write!(f, ": {reason}"),
            None => Ok(()),
        }
    }
}

impl Trail {
    /// The votes with their layers.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &TrailEntry> + ExactSizeIterator {
        self.0.iter()
    }

    /// How many votes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nobody voted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The strictest vote; none if nobody voted.
    #[must_use]
    pub fn strictest(&self) -> Option<Effect> {
        self.iter().map(|entry| entry.vote.effect()).max()
    }

    /// The votes that say `effect`.
    pub fn saying(&self, effect: Effect) -> impl Iterator<Item = &TrailEntry> {
        self.iter()
            .filter(move |entry| entry.vote.effect() == effect)
    }

    pub(crate) fn push(&mut self, layer: &'static str, vote: Vote) {
        self.0.push(TrailEntry { layer, vote });
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}

impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, entry) in self.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{entry}")?;
        }
        Ok(())
    }
}
