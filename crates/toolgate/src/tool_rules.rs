//! Per-tool configuration: blocked, needs approval, pre-approved.

mod config;
mod overrides;

use std::{collections::HashSet, fmt, sync::Arc};

use serde::{Deserialize, Deserializer, de::Error as _};
use smallvec::SmallVec;

pub(crate) use self::config::PayloadKeys;
pub use self::config::{ToolConfig, ToolDecision};
use self::overrides::{Override, Overrides};
use crate::{
    Args, Capability, Decision, Effect, Labels, Policy, PolicyLayer, Reviewing, Rule, ToolCall,
    ToolId, ToolPatterns, Vote,
};

/// Applies [`ToolRules`] to every call.
pub type ToolRulesLayer = PolicyLayer<ToolRules>;

/// What the configuration says of each tool.
///
/// Entries are names or anchored patterns: `send_email`, `send_*`, `mcp:github/*` for the tools
/// of a server, `*` for every tool there is. Of all entries that match, the strictest decision
/// counts; their capabilities add up. A tool without an entry gets no vote from here.
///
/// A `ToolRules` is a handle: clones share the run-time overrides, and stacks that hold a clone
/// follow them at once.
///
/// # Example
///
/// ```
/// use toolgate::{ToolConfig, ToolRules};
///
/// let rules = ToolRules::new([
///     ("read_*", ToolConfig::pre_approved()),
///     ("send_email", ToolConfig::needs_approval().remember_by(["to"])),
///     ("delete_*", ToolConfig::blocked().because("nothing is deleted here")),
/// ])?;
///
/// rules.require_for("read_secrets");
/// # Ok::<(), toolgate::RulesError>(())
/// ```
#[derive(Clone, Default)]
pub struct ToolRules {
    table: Arc<Table>,
    overrides: Arc<Overrides>,
}

#[derive(Debug, Default)]
struct Table {
    /// By the numbers of their patterns.
    entries: Vec<Entry>,
    patterns: ToolPatterns,
}

#[derive(Debug)]
struct Entry {
    rule: Rule,
    config: ToolConfig,
    /// What the entry says of every call that it is about.
    vote: Option<Vote>,
}

impl ToolRules {
    /// Makes the table. The order of entries does not matter.
    ///
    /// # Errors
    ///
    /// If a pattern is invalid or comes twice, or an entry contradicts itself. The error names
    /// the entry.
    pub fn new<N: Into<String>>(
        entries: impl IntoIterator<Item = (N, ToolConfig)>,
    ) -> Result<Self, RulesError> {
        let mut table = Table::default();
        let mut seen = HashSet::new();
        for (name, config) in entries {
            let name = name.into();
            table.add(&name, config)?;
            if let Some(twice) = seen.replace(name) {
                return Err(RulesError::new("tool", &twice, &"the entry comes twice"));
            }
        }
        Ok(Self {
            table: Arc::new(table),
            overrides: Arc::default(),
        })
    }

    /// Asks about `tool` from now on, whatever its entry says.
    pub fn require_for(&self, tool: impl Into<ToolId>) {
        self.overrides.set(&tool.into(), Some(Override::Require));
    }

    /// Lifts the tool's own requirement: it is no longer asked about because of its entry or
    /// because of what it says of itself. A deny, or an ask of another layer, stays.
    pub fn disable_for(&self, tool: impl Into<ToolId>) {
        self.overrides.set(&tool.into(), Some(Override::Disable));
    }

    /// Takes back [`require_for`](Self::require_for) or [`disable_for`](Self::disable_for).
    pub fn clear_override(&self, tool: impl Into<ToolId>) {
        self.overrides.set(&tool.into(), None);
    }

    /// What the entries that match `tool` say together.
    #[must_use]
    pub fn of<'a>(&'a self, tool: &ToolId) -> ToolEntries<'a> {
        let mut entries = SmallVec::new();
        self.table.patterns.find(tool, |number| {
            if let Some(entry) = self.table.entries.get(number) {
                entries.push(entry);
            }
        });
        ToolEntries {
            entries,
            overridden: self.overrides.of(tool),
        }
    }
}

impl Table {
    fn add(&mut self, text: &str, config: ToolConfig) -> Result<(), RulesError> {
        let fail = |why: &dyn fmt::Display| RulesError::new("tool", text, why);
        if let Some(contradiction) = config.contradiction() {
            return Err(fail(&contradiction));
        }
        self.patterns.add(text).map_err(|error| fail(&error))?;
        let rule = Rule::new(text);
        let vote = config.decision.map(|decision| {
            let vote = decision.vote(config.reason.clone(), "tool config");
            vote.by(rule.clone())
        });
        self.entries.push(Entry { rule, config, vote });
        Ok(())
    }
}

/// What the entries that match one tool say together.
#[derive(Clone, Debug, Default)]
pub struct ToolEntries<'a> {
    entries: SmallVec<[&'a Entry; 4]>,
    overridden: Option<Override>,
}

impl<'a> ToolEntries<'a> {
    /// The strictest decision of all entries, as overrides leave it.
    #[must_use]
    pub fn decision(&self) -> Option<ToolDecision> {
        let own = self.strictest().and_then(|entry| entry.config.decision);
        match self.overridden {
            None => own,
            Some(Override::Require) => own.max(Some(ToolDecision::NeedsApproval)),
            Some(Override::Disable) => own.filter(|own| *own != ToolDecision::NeedsApproval),
        }
    }

    /// The capabilities of all entries.
    pub fn capabilities(&self) -> impl Iterator<Item = &Capability> {
        self.entries
            .iter()
            .flat_map(|entry| entry.config.capabilities.iter())
    }

    /// Whether no entry matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn add_labels(&self, labels: &mut Labels) {
        self.entries
            .iter()
            .for_each(|entry| labels.add(Arc::clone(&entry.config.capabilities)));
    }

    /// What identifies an operation of the tool, from each entry that says something of it.
    pub(crate) fn payload_keys(&self) -> impl Iterator<Item = &Arc<PayloadKeys>> {
        self.entries
            .iter()
            .map(|entry| &entry.config.payload)
            .filter(|keys| !keys.is_empty())
    }

    pub(crate) fn payload(&self, args: &Args) -> Args {
        PayloadKeys::combined(self.payload_keys()).select(args)
    }

    /// The vote of the entry that decides, if any decides and no override lifts it.
    pub(crate) fn vote(&self) -> Option<Vote> {
        let vote = self.strictest()?.vote.as_ref()?;
        let is_lifted = self.overridden == Some(Override::Disable) && vote.effect() == Effect::Ask;
        (!is_lifted).then(|| vote.clone())
    }

    /// The vote of an override that requires an approval.
    pub(crate) fn required(&self) -> Option<Vote> {
        (self.overridden == Some(Override::Require))
            .then(|| Vote::ask("needs approval by override").by(Rule::new("override")))
    }

    /// Of entries that are equally strict the first by name is reported, whatever their order.
    #[inline]
    fn strictest(&self) -> Option<&'a Entry> {
        if let [entry] = *self.entries {
            return Some(entry);
        }
        let strictness = |a: &&Entry, b: &&Entry| {
            let by_name = || b.rule.id().cmp(a.rule.id());
            a.config.decision.cmp(&b.config.decision).then_with(by_name)
        };
        self.entries.iter().copied().max_by(strictness)
    }
}

impl Policy for ToolRules {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        let entries = self.of(call.tool());
        if let ([entry], None) = (&*entries.entries, entries.overridden)
            && let Some(vote) = entry
                .vote
                .as_ref()
                .filter(|vote| vote.effect() != Effect::Ask)
        {
            return vote.clone().into();
        }
        let with_payload = |vote: Vote| match vote.effect() {
            Effect::Ask => vote.with_payload(entries.payload(call.args())),
            Effect::Allow | Effect::Deny => vote,
        };
        let decision = Decision::from(entries.vote().map(with_payload));
        match entries.overridden {
            None => decision,
            Some(Override::Disable) => decision.lifting_requirement(),
            Some(Override::Require) => match entries.required() {
                Some(ask) => decision.and(with_payload(ask)),
                None => decision,
            },
        }
    }

    fn name(&self) -> &'static str {
        "tool rules"
    }

    fn denies_by_args(&self) -> bool {
        false
    }
}

impl fmt::Debug for ToolRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolRules({} entries)", self.table.entries.len())
    }
}

impl<'de> Deserialize<'de> for ToolRules {
    /// Reads a map from pattern to [`ToolConfig`]. A pattern that comes twice is an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = crate::entries::deserialize(deserializer)?;
        Self::new(entries).map_err(D::Error::custom)
    }
}

/// A table of rules that cannot be used. Names the entry that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesError {
    table: &'static str,
    entry: Box<str>,
    why: Box<str>,
}

impl RulesError {
    pub(crate) fn new(table: &'static str, entry: &str, why: &dyn fmt::Display) -> Self {
        Self {
            table,
            entry: entry.into(),
            why: why.to_string().into(),
        }
    }

    /// The entry that is wrong.
    #[must_use]
    pub fn entry(&self) -> &str {
        &self.entry
    }
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} rule `{}`: {}",
            self.table,
            self.entry.escape_debug(),
            self.why
        )
    }
}

impl std::error::Error for RulesError {}

#[cfg(test)]
mod tests;
