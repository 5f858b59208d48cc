//! What an answer can be remembered for.

use std::{collections::HashSet, fmt, ops::Deref, slice, sync::OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use smallvec::SmallVec;

use super::{Asked, Remember, shown_key};
use crate::{Args, ToolCall, ToolId, call::Reviewing, visible::visible};

/// Something that an answer can be remembered for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Suggestion {
    /// The keys of the payload that may then be anything.
    pub without: Vec<Box<str>>,
    /// What it would permit, in words.
    pub text: Box<str>,
}

/// What an answer can be remembered for, from exactly this operation to all that are alike.
///
/// Reads like a list, which is written out when somebody reads it.
#[derive(Clone, Default)]
pub struct Suggestions {
    listed: OnceLock<Box<[Suggestion]>>,
    offer: Option<Offer>,
}

/// What the list is made of.
#[derive(Clone)]
struct Offer {
    tool: ToolId,
    payloads: SmallVec<[Args; 1]>,
    /// Whether there is only the operation itself.
    only_exact: bool,
}

/// With more keys than this nobody would find what they want among the suggestions, and whoever
/// makes the call could make them as long as they like.
const MOST_KEYS: usize = 16;

impl Suggestions {
    /// What there is to offer. Only the operation itself, if some policy may deny depending on
    /// arguments: anything broader could promise what that policy will not keep.
    pub(super) fn of(call: &ToolCall<Reviewing>, asks: &[Asked]) -> Self {
        if !call.round().remembers {
            return Self::default();
        }
        let payloads = asks.iter().map(|ask| ask.payload.clone());
        Self::offer(call.tool(), payloads, call.round().denies_by_args)
    }

    pub(crate) fn offer(
        tool: &ToolId,
        payloads: impl Iterator<Item = Args>,
        only_exact: bool,
    ) -> Self {
        Self {
            listed: OnceLock::new(),
            offer: Some(Offer {
                tool: tool.clone(),
                payloads: payloads.collect(),
                only_exact,
            }),
        }
    }

    /// The operation itself and nothing broader.
    pub(super) fn only_exact(self) -> Self {
        let listed: Box<[_]> = self.iter().take(1).cloned().collect();
        Self {
            listed: OnceLock::from(listed),
            offer: None,
        }
    }

    /// Whether that which leaves these keys out is among them, if more than once is wanted.
    pub(crate) fn permit(&self, remember: Remember, without: &[Box<str>]) -> bool {
        remember == Remember::Once
            || without.is_empty()
            || self
                .iter()
                .any(|suggestion| *suggestion.without == *without)
    }

    /// How many there are, how often a text comes in them at most, and the texts.
    pub(crate) fn texts(&self) -> (usize, usize, Vec<&str>) {
        if let Some(offer) = &self.offer {
            let keys = offer.keys();
            let count = 1 + offer.broader(&keys);
            let names = offer.tool.server().into_iter().chain([offer.tool.name()]);
            return (count, count, names.chain(keys).collect());
        }
        let without = self.iter().flat_map(|one| &one.without);
        let texts = self.iter().map(|one| &one.text).chain(without);
        (self.len(), 1, texts.map(|text| &**text).collect())
    }
}

impl Offer {
    /// The keys of all payloads, each once.
    fn keys(&self) -> Vec<&str> {
        let keys = self
            .payloads
            .iter()
            .flat_map(|payload| payload.as_map().keys());
        let mut keys: Vec<&str> = keys.map(String::as_str).collect();
        if self.payloads.len() > 1 {
            let mut seen = HashSet::new();
            keys.retain(|key| seen.insert(*key));
        }
        keys
    }

    /// How many suggestions there are beside the operation itself.
    fn broader(&self, keys: &[&str]) -> usize {
        match self.only_exact || keys.len() > MOST_KEYS {
            true => 0,
            false => keys.len(),
        }
    }

    fn list(&self) -> Box<[Suggestion]> {
        let keys = self.keys();
        let kept = keys.len() - self.broader(&keys)..=keys.len();
        let suggestion = |kept| {
            let (same, any) = keys.split_at(kept);
            Suggestion {
                without: any.iter().map(|key| Box::from(*key)).collect(),
                text: with_the_same(&self.tool, same).into(),
            }
        };
        kept.rev().map(suggestion).collect()
    }
}

fn with_the_same(tool: &ToolId, same: &[&str]) -> String {
    if same.is_empty() {
        return format!("every call of {tool}");
    }
    let keys: Vec<_> = same.iter().map(|key| shown_key(key)).collect();
    format!("{tool} with the same {}", visible(&keys.join(", ")))
}

impl Deref for Suggestions {
    type Target = [Suggestion];

    fn deref(&self) -> &[Suggestion] {
        self.listed
            .get_or_init(|| self.offer.as_ref().map(Offer::list).unwrap_or_default())
    }
}

impl<'a> IntoIterator for &'a Suggestions {
    type Item = &'a Suggestion;
    type IntoIter = slice::Iter<'a, Suggestion>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for Suggestions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl Serialize for Suggestions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self)
    }
}

impl<'de> Deserialize<'de> for Suggestions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let listed = Box::deserialize(deserializer)?;
        Ok(Self {
            listed: OnceLock::from(listed),
            offer: None,
        })
    }
}
