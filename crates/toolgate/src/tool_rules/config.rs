//! One entry of the tool rules.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Args, Capability, Effect, Vote};

/// What the configuration decides about a tool or a capability, in order of severity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolDecision {
    /// It may run.
    PreApproved,
    /// Somebody is asked first.
    NeedsApproval,
    /// It never runs.
    Blocked,
}

impl ToolDecision {
    /// The vote that this decision amounts to; `by` says whose it is, for want of a reason.
    pub(crate) fn vote(self, reason: Option<Arc<str>>, by: &str) -> Vote {
        match self {
            Self::PreApproved => Vote::allow(),
            Self::NeedsApproval => {
                Vote::ask(reason.unwrap_or_else(|| format!("needs approval by {by}").into()))
            }
            Self::Blocked => {
                Vote::deny(reason.unwrap_or_else(|| format!("blocked by {by}").into()))
            }
        }
    }
}

impl From<ToolDecision> for Effect {
    fn from(decision: ToolDecision) -> Self {
        match decision {
            ToolDecision::PreApproved => Self::Allow,
            ToolDecision::NeedsApproval => Self::Ask,
            ToolDecision::Blocked => Self::Deny,
        }
    }
}

/// One entry of [`ToolRules`](crate::ToolRules).
///
/// # Example
///
/// ```
/// use toolgate::ToolConfig;
///
/// let in_code = ToolConfig::needs_approval().remember_by(["to"]).because("leaves the company");
/// let in_a_file: ToolConfig = serde_json::from_str(
///     r#"{"decision": "needs_approval", "remember_by": ["to"], "reason": "leaves the company"}"#,
/// )?;
/// assert_eq!(in_code, in_a_file);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "Wire")]
#[must_use]
pub struct ToolConfig {
    pub(super) decision: Option<ToolDecision>,
    pub(super) reason: Option<Arc<str>>,
    pub(super) capabilities: Arc<[Capability]>,
    pub(super) payload: Arc<PayloadKeys>,
}

/// An entry as it is written in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    #[serde(default)]
    decision: Option<ToolDecision>,
    #[serde(default)]
    reason: Option<Arc<str>>,
    #[serde(default)]
    capabilities: Arc<[Capability]>,
    #[serde(default)]
    remember_by: Option<Vec<Box<str>>>,
    #[serde(default)]
    exclude_keys: Vec<Box<str>>,
}

impl From<Wire> for ToolConfig {
    fn from(wire: Wire) -> Self {
        let Wire {
            decision,
            reason,
            capabilities,
            remember_by,
            exclude_keys,
        } = wire;
        let payload = Arc::new(PayloadKeys {
            remember_by,
            exclude_keys,
        });
        Self {
            decision,
            reason,
            capabilities,
            payload,
        }
    }
}

impl ToolConfig {
    /// An entry that decides nothing, for capabilities and payload alone.
    pub fn undecided() -> Self {
        Self::default()
    }

    /// An entry whose tools may run.
    pub fn pre_approved() -> Self {
        Self {
            decision: Some(ToolDecision::PreApproved),
            ..Self::default()
        }
    }

    /// An entry whose tools are asked about.
    pub fn needs_approval() -> Self {
        Self {
            decision: Some(ToolDecision::NeedsApproval),
            ..Self::default()
        }
    }

    /// An entry whose tools never run.
    pub fn blocked() -> Self {
        Self {
            decision: Some(ToolDecision::Blocked),
            ..Self::default()
        }
    }

    /// Says why; shown to whoever is asked, and to the model on refusal.
    pub fn because(mut self, reason: impl Into<Arc<str>>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Says what the tool can do, whatever its arguments.
    pub fn with_capabilities(mut self, capabilities: impl IntoIterator<Item = Capability>) -> Self {
        self.capabilities = capabilities.into_iter().collect();
        self
    }

    /// Says which arguments identify an operation when an answer is remembered.
    pub fn remember_by<K: Into<Box<str>>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        let keys = keys.into_iter().map(Into::into).collect();
        Arc::make_mut(&mut self.payload).remember_by = Some(keys);
        self
    }

    /// Says which arguments never do: secrets, and what changes with every call.
    pub fn exclude_keys<K: Into<Box<str>>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        let keys = keys.into_iter().map(Into::into).collect();
        Arc::make_mut(&mut self.payload).exclude_keys = keys;
        self
    }

    /// What two entries for the same tools say together: the stricter decision, and all
    /// capabilities and keys.
    pub fn and(&self, other: &Self) -> Self {
        let capabilities = self.capabilities.iter().chain(other.capabilities.iter());
        let capabilities = capabilities.cloned().collect();
        let payload = Arc::new(PayloadKeys::combined([&self.payload, &other.payload]));
        let stricter = if other.decision > self.decision {
            other
        } else {
            self
        };
        Self {
            decision: stricter.decision,
            reason: stricter.reason.clone(),
            capabilities,
            payload,
        }
    }

    pub(super) fn contradiction(&self) -> Option<String> {
        let remembered = self.payload.remember_by.as_deref().unwrap_or_default();
        let both = remembered
            .iter()
            .find(|key| self.payload.exclude_keys.contains(key))?;
        Some(format!(
            "`{both}` is in `remember_by` and in `exclude_keys`"
        ))
    }
}

/// Which arguments identify an operation. Without instructions, all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PayloadKeys {
    remember_by: Option<Vec<Box<str>>>,
    exclude_keys: Vec<Box<str>>,
}

impl PayloadKeys {
    /// The instructions of several entries: more keys make an answer cover less, so a key that
    /// one entry asks for is kept whatever another excludes.
    pub(crate) fn combined<'a>(all: impl IntoIterator<Item = &'a Arc<Self>>) -> Self {
        let mut combined = Self::default();
        for keys in all {
            if let Some(remember_by) = &keys.remember_by {
                combined
                    .remember_by
                    .get_or_insert_default()
                    .extend_from_slice(remember_by);
            }
            combined.exclude_keys.extend_from_slice(&keys.exclude_keys);
        }
        combined
    }

    /// Whether there are no instructions.
    pub(crate) fn is_empty(&self) -> bool {
        self.remember_by.is_none() && self.exclude_keys.is_empty()
    }

    /// Picks out of `args` what identifies the operation. If none of the keys to remember by is
    /// there, that is everything: otherwise all calls without them would be one.
    pub(crate) fn select(&self, args: &Args) -> Args {
        let has = |keys: &[Box<str>], key: &str| keys.iter().any(|k| &**k == key);
        let keys = self.remember_by.as_deref();
        let keys =
            keys.filter(|keys| keys.is_empty() || keys.iter().any(|k| args.get(k).is_some()));
        match keys {
            Some(keys) => args.filtered(|key| has(keys, key)),
            None if self.exclude_keys.is_empty() => args.clone(),
            None => args.filtered(|key| !has(&self.exclude_keys, key)),
        }
    }
}
