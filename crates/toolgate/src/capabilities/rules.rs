//! The table: which capability is blocked, asked about, or pre-approved.

use std::{collections::HashSet, fmt, sync::Arc};

use serde::{Deserialize, Deserializer, de::Error as _};

use super::patterns::CapabilityPatterns;
use crate::{Capability, Rule, RulesError, ToolDecision};

/// Which capabilities are blocked, asked about, or pre-approved.
///
/// An entry is a name (`fs.read`), a pattern over names (`proc.exec.*`, which needs the dot), or
/// either with a target: `fs.write(/srv/**)`, `net.fetch(*.example.com)`. In a target `*` stays
/// within one level of a path and `**` does not. An entry without a target means every target.
///
/// Of all entries that match a capability, the strictest counts. A capability without an entry
/// gets the [default](Self::with_default), which is to ask. If a label does not say what it is
/// done to, entries with a target cannot be told to match or not: then those that would block
/// or ask make it an ask, and those that would allow are left out.
#[derive(Clone)]
pub struct CapabilityRules {
    table: Arc<Table>,
    default: ToolDecision,
    default_rule: Rule,
}

#[derive(Default)]
struct Table {
    /// By the numbers of their patterns.
    entries: Vec<Entry>,
    patterns: CapabilityPatterns,
}

struct Entry {
    rule: Rule,
    decision: ToolDecision,
}

impl CapabilityRules {
    /// Makes the table. The order of entries does not matter.
    ///
    /// # Errors
    ///
    /// If a pattern is invalid or comes twice. The error names the entry.
    pub fn new<N: Into<String>>(
        entries: impl IntoIterator<Item = (N, ToolDecision)>,
    ) -> Result<Self, RulesError> {
        let mut table = Table::default();
        let mut seen = HashSet::new();
        for (text, decision) in entries {
            let text = text.into();
            table.add(&text, decision)?;
            if let Some(twice) = seen.replace(text) {
                return Err(error(&twice, &"the entry comes twice"));
            }
        }
        let default = ToolDecision::NeedsApproval;
        Ok(Self {
            table: Arc::new(table),
            default,
            default_rule: Rule::new("unknown capability"),
        })
    }

    /// Sets what holds for a capability without an entry.
    #[must_use]
    pub fn with_default(mut self, default: ToolDecision) -> Self {
        self.default = default;
        self
    }

    /// Whether there is a capability that would be denied.
    pub(super) fn blocks_anything(&self) -> bool {
        let blocks = |decision: ToolDecision| decision == ToolDecision::Blocked;
        blocks(self.default)
            || self
                .table
                .entries
                .iter()
                .any(|entry| blocks(entry.decision))
    }

    /// The strictest that any of `capabilities` calls for; none if there are no capabilities.
    pub(super) fn strictest<'a>(
        &'a self,
        capabilities: impl Iterator<Item = &'a Capability>,
    ) -> Option<CapabilityVerdict<'a>> {
        // Of several that are equally strict the first by name is reported, whatever the order.
        let strictness = |a: &CapabilityVerdict<'_>, b: &CapabilityVerdict<'_>| {
            a.decision
                .cmp(&b.decision)
                .then_with(|| b.capability.cmp(a.capability))
        };
        capabilities
            .map(|capability| self.of(capability))
            .max_by(strictness)
    }

    pub(super) fn of<'a>(&'a self, capability: &'a Capability) -> CapabilityVerdict<'a> {
        let mut strictest: Option<(ToolDecision, &Rule)> = None;
        self.table.patterns.find(capability, |number, surely| {
            let entry = self.table.entries.get(number);
            let Some((entry, decision)) = entry.and_then(|e| Some((e, e.decides(surely)?))) else {
                return;
            };
            if strictest.is_none_or(|(so_far, _)| decision > so_far) {
                strictest = Some((decision, &entry.rule));
            }
        });
        let (decision, rule) = strictest.unwrap_or((self.default, &self.default_rule));
        CapabilityVerdict {
            capability,
            decision,
            rule,
        }
    }
}

impl Table {
    fn add(&mut self, text: &str, decision: ToolDecision) -> Result<(), RulesError> {
        self.patterns.add(text).map_err(|e| error(text, &e))?;
        self.entries.push(Entry {
            rule: Rule::new(text),
            decision,
        });
        Ok(())
    }
}

impl Entry {
    /// What this entry says of a capability that it matches, surely or perhaps.
    fn decides(&self, surely: bool) -> Option<ToolDecision> {
        match (surely, self.decision) {
            (true, decision) => Some(decision),
            // Done to something unknown: it may be this.
            (false, ToolDecision::PreApproved) => None,
            (false, _) => Some(ToolDecision::NeedsApproval),
        }
    }
}

fn error(entry: &str, why: &dyn fmt::Display) -> RulesError {
    RulesError::new("capability", entry, why)
}

impl fmt::Debug for CapabilityRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CapabilityRules")
            .field("entries", &self.table.entries.len())
            .field("default", &self.default)
            .finish_non_exhaustive()
    }
}

impl<'de> Deserialize<'de> for CapabilityRules {
    /// Reads a map from pattern to decision. A pattern that comes twice is an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = crate::entries::deserialize(deserializer)?;
        Self::new(entries).map_err(D::Error::custom)
    }
}

/// What the rules say of the capability that decides.
#[derive(Clone, Copy, Debug)]
pub(super) struct CapabilityVerdict<'a> {
    pub(super) capability: &'a Capability,
    pub(super) decision: ToolDecision,
    pub(super) rule: &'a Rule,
}
