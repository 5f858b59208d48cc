//! What a tool says of itself, untrusted.

use serde::{Deserialize, Serialize};

/// What a tool says of itself. Untrusted: it can only raise what is required.
///
/// The names are those of the Model Context Protocol. A hint that is absent is unknown. No
/// layer of this crate lets a call through because of a hint; see [`AnnotationRules`] for
/// asking because of one.
///
/// [`AnnotationRules`]: crate::AnnotationRules
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
#[expect(clippy::struct_field_names, reason = "they are named as on the wire")]
pub struct Annotations {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    read_only_hint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    destructive_hint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    idempotent_hint: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    open_world_hint: Option<bool>,
}

impl Annotations {
    /// Makes annotations that say nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says whether the tool only reads.
    pub fn with_read_only(mut self, yes: bool) -> Self {
        self.read_only_hint = Some(yes);
        self
    }

    /// Says whether the tool may destroy something.
    pub fn with_destructive(mut self, yes: bool) -> Self {
        self.destructive_hint = Some(yes);
        self
    }

    /// Says whether calling the tool twice is the same as calling it once.
    pub fn with_idempotent(mut self, yes: bool) -> Self {
        self.idempotent_hint = Some(yes);
        self
    }

    /// Says whether the tool reaches out into the world.
    pub fn with_open_world(mut self, yes: bool) -> Self {
        self.open_world_hint = Some(yes);
        self
    }

    /// What both say together: each admission counts, and a claim only if nobody contradicts.
    pub(crate) fn and(self, other: Self) -> Self {
        let raised = |a: Option<bool>, b: Option<bool>, worse: bool| match (a, b) {
            (Some(a), Some(b)) => Some(if a == worse || b == worse { worse } else { a }),
            (a, b) => a.or(b),
        };
        Self {
            read_only_hint: raised(self.read_only_hint, other.read_only_hint, false),
            destructive_hint: raised(self.destructive_hint, other.destructive_hint, true),
            idempotent_hint: raised(self.idempotent_hint, other.idempotent_hint, false),
            open_world_hint: raised(self.open_world_hint, other.open_world_hint, true),
        }
    }

    /// Whether the tool claims to only read.
    #[must_use]
    pub fn read_only(self) -> Option<bool> {
        self.read_only_hint
    }

    /// Whether the tool admits that it may destroy something.
    #[must_use]
    pub fn destructive(self) -> Option<bool> {
        self.destructive_hint
    }

    /// Whether the tool claims that twice is the same as once.
    #[must_use]
    pub fn idempotent(self) -> Option<bool> {
        self.idempotent_hint
    }

    /// Whether the tool admits that it reaches out into the world.
    #[must_use]
    pub fn open_world(self) -> Option<bool> {
        self.open_world_hint
    }
}
