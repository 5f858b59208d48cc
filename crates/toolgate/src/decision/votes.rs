//! The votes of one decision: hardly ever more than one.

use crate::Vote;

/// The votes of one decision, in the order in which they were cast.
#[derive(Clone, Debug, Default)]
pub(crate) enum Votes {
    #[default]
    None,
    One(Vote),
    More(Vec<Vote>),
}

impl Votes {
    #[inline]
    pub(super) fn as_slice(&self) -> &[Vote] {
        match self {
            Self::None => &[],
            Self::One(vote) => std::slice::from_ref(vote),
            Self::More(votes) => votes,
        }
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Vote> {
        match self {
            Self::None => None,
            Self::One(vote) => Some(vote),
            Self::More(votes) => votes.last_mut(),
        }
    }

    pub(super) fn push(&mut self, vote: Vote) {
        *self = match std::mem::take(self) {
            Self::None => Self::One(vote),
            Self::One(first) => Self::More(vec![first, vote]),
            Self::More(mut votes) => {
                votes.push(vote);
                Self::More(votes)
            }
        };
    }

    /// Hands over each vote.
    #[inline]
    pub(crate) fn for_each(self, mut take: impl FnMut(Vote)) {
        match self {
            Self::None => {}
            Self::One(vote) => take(vote),
            Self::More(votes) => votes.into_iter().for_each(take),
        }
    }
}
