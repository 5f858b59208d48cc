//! What is written down of a call.

use std::{
    borrow::Cow,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Settings;
use crate::{
    AllowedBy, Annotations, Args, ArgsDigest, BlockedKind, CallId, Effect, Origin, ToolCall,
    ToolId, Trail, TrailEntry, observed::Observation, review::trace::micros, round::AnsweredBy,
};

/// What is written down of a call: one record for one outcome.
///
/// # Example
///
/// ```
/// use toolgate::AuditRecord;
///
/// let line = r#"{
///     "time_us": 1700000000000000,
///     "tool": {"name": "send_email"},
///     "origin": {"session": "s-1"},
///     "outcome": {"end": "allowed", "by": "human"},
///     "answered_by": "human",
///     "rules": [{"layer": "tool rules", "effect": "ask", "rule": "send_*"}],
///     "runs": 1, "waited_us": 4000000, "ran_us": 120,
///     "digest": "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd",
///     "args": {"to": "ann@example.com"}
/// }"#;
/// let record: AuditRecord = serde_json::from_str(line)?;
/// let call = record.to_call().expect("the record has its arguments");
/// assert_eq!(call.tool().name(), "send_email");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AuditRecord {
    /// When the call came in, in microseconds since 1970.
    pub time_us: u64,
    /// What the call is known by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The tool.
    pub tool: ToolId,
    /// Where the call comes from.
    pub origin: Origin,
    /// What the tool said of itself when the call came in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub annotations: Annotations,
    /// How the call ended.
    pub outcome: AuditOutcome,
    /// Why it was blocked, in the words of the rule or of the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Arc<str>>,
    /// Who answered, if somebody would have had to be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<Answerer>,
    /// The name under which they answered, if the handler knew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered_as: Option<Arc<str>>,
    /// The strictest votes: those that decided, or that nobody had answered yet.
    pub rules: Vec<AuditRule>,
    /// How often the gate let the call through. More than once only if something inside of the
    /// review tries again.
    pub runs: u32,
    /// How long somebody was asked, waiting for a turn included.
    pub waited_us: u64,
    /// How long the tool ran.
    pub ran_us: u64,
    /// The digest of the arguments as the call came in, without those that are left out.
    pub digest: ArgsDigest,
    /// The digest of the arguments that ran, if a policy or a person put others in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran_digest: Option<ArgsDigest>,
    /// The arguments as the call came in, if they are wanted, without those that are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Args>,
    /// The arguments that ran, if they are wanted and others were put in place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran_args: Option<Args>,
    /// Whether anything was left out of the arguments.
    #[serde(default, skip_serializing_if = "is_default")]
    pub incomplete: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "end", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum AuditOutcome {
    /// It ran.
    Allowed {
        /// How it came to be allowed.
        by: AllowedBy,
    },
    /// It did not run.
    Blocked {
        /// In which way it was blocked.
        kind: BlockedKind,
    },
    /// It ended in an error or in a panic that is no refusal.
    Failed {
        /// How it came to be allowed; none if the tool never ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<AllowedBy>,
    },
    /// Whoever made the call gave it up.
    Dropped {
        /// How it came to be allowed; none if the tool never ran.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        by: Option<AllowedBy>,
    },
    /// Something between the audit and the review returned a result: no review saw the call.
    Unreviewed,
}

/// Who answered a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Answerer {
    /// Whoever the handler asked.
    Human,
    /// Somebody who was asked before.
    Memory,
    /// Nobody: the [mode](crate::Mode) approves of everything.
    ApproveAll,
}

/// One vote on a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AuditRule {
    /// The layer that cast the vote.
    pub layer: Cow<'static, str>,
    /// What the vote says.
    pub effect: Effect,
    /// The id of the rule, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Box<str>>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Arc<str>>,
}

impl From<&TrailEntry> for AuditRule {
    fn from(entry: &TrailEntry) -> Self {
        Self {
            layer: Cow::Borrowed(entry.layer()),
            effect: entry.vote().effect(),
            rule: entry.vote().rule().map(|rule| rule.id().into()),
            reason: entry.vote().shared_reason(),
        }
    }
}

/// How a call ended, as seen from the outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Returned,
    Failed,
    Dropped,
}

impl AuditRecord {
    /// The call once more, if the record has its arguments. What was
    /// [left out](Self::incomplete) of them is missing.
    #[must_use]
    pub fn to_call(&self) -> Option<ToolCall> {
        let call = ToolCall::new(self.tool.clone(), self.args.clone()?)
            .with_origin(self.origin.clone())
            .with_annotations(self.annotations);
        Some(match &self.call_id {
            Some(id) => call.with_id(id.as_str()),
            None => call,
        })
    }

    pub(super) fn new(
        settings: &Settings,
        call: &ToolCall,
        began: SystemTime,
        end: End,
        seen: Observation,
    ) -> Self {
        let (args, incomplete) = settings.shown(call.args());
        let ran = seen.args.as_ref().filter(|ran| *ran != call.args());
        let ran = ran.map(|ran| settings.shown(ran).0);
        let since_1970 = began.duration_since(SystemTime::UNIX_EPOCH);
        Self {
            time_us: micros(since_1970.unwrap_or(Duration::ZERO)),
            call_id: call.id().cloned(),
            tool: call.tool().clone(),
            origin: call.origin().clone(),
            annotations: call.annotations(),
            outcome: seen.outcome(end),
            answered_by: seen.answerer(),
            answered_as: seen.answered_as.clone(),
            rules: deciding(&seen.trail),
            reason: seen.blocked.and_then(|(_, reason)| reason),
            runs: seen.runs,
            waited_us: micros(seen.waited),
            ran_us: micros(seen.ran),
            digest: args.digest(),
            ran_digest: ran.as_ref().map(Args::digest),
            args: settings.arguments.then_some(args),
            ran_args: ran.filter(|_| settings.arguments),
            incomplete,
        }
    }
}

fn deciding(trail: &Trail) -> Vec<AuditRule> {
    let strictest = trail.strictest();
    let votes = strictest.map(|effect| trail.saying(effect).map(AuditRule::from).collect());
    votes.unwrap_or_default()
}

impl Observation {
    fn outcome(&self, end: End) -> AuditOutcome {
        match (end, &self.blocked, self.allowed) {
            (End::Dropped, _, by) => AuditOutcome::Dropped { by },
            // Even if a layer further out made a result of it.
            (_, Some((kind, _)), _) => AuditOutcome::Blocked { kind: *kind },
            (End::Failed, None, by) => AuditOutcome::Failed { by },
            (End::Returned, None, Some(by)) => AuditOutcome::Allowed { by },
            (End::Returned, None, None) => AuditOutcome::Unreviewed,
        }
    }

    fn answerer(&self) -> Option<Answerer> {
        let kind = self.blocked.as_ref().map(|(kind, _)| *kind);
        match (self.answered, kind, self.allowed) {
            (Some(AnsweredBy::Handler), ..)
            | (_, Some(BlockedKind::Declined), _)
            | (_, _, Some(AllowedBy::Human)) => Some(Answerer::Human),
            (Some(AnsweredBy::Mode), ..) | (_, _, Some(AllowedBy::ApproveAll)) => {
                Some(Answerer::ApproveAll)
            }
            (_, Some(BlockedKind::RememberedDenial), _) | (_, _, Some(AllowedBy::Memory)) => {
                Some(Answerer::Memory)
            }
            _ => None,
        }
    }
}

impl Settings {
    /// The arguments without what is excluded, and whether that was anything.
    fn shown(&self, args: &Args) -> (Args, bool) {
        if self.exclude_keys.is_empty() {
            return (args.clone(), false);
        }
        let (kept, left_out) = self.kept(args.as_map());
        (kept.into(), left_out)
    }

    fn kept(&self, members: &Map<String, Value>) -> (Map<String, Value>, bool) {
        let mut left_out = false;
        let mut kept = Map::new();
        for (key, value) in members {
            if self.exclude_keys.iter().any(|excluded| **excluded == **key) {
                left_out = true;
            } else {
                kept.insert(key.clone(), self.kept_value(value, &mut left_out));
            }
        }
        (kept, left_out)
    }

    fn kept_value(&self, value: &Value, left_out: &mut bool) -> Value {
        match value {
            Value::Object(members) => {
                let (kept, some) = self.kept(members);
                *left_out |= some;
                Value::Object(kept)
            }
            Value::Array(items) => items
                .iter()
                .map(|item| self.kept_value(item, left_out))
                .collect(),
            plain => plain.clone(),
        }
    }
}
