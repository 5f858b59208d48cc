//! Whoever is asked, as cases script it.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate::{ApprovalDecision, Remember};

use crate::{case::Invalid, fault::Fault, python};

/// What whoever is asked does.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) reply: Result<ApprovalDecision, Fault>,
    /// How long it takes.
    pub(crate) sleep: Duration,
    /// Whether the question is looked at only after that.
    pub(crate) looks_late: bool,
}

impl Answer {
    /// Answers at once.
    pub(crate) fn now(reply: Result<ApprovalDecision, Fault>) -> Self {
        Self {
            reply,
            sleep: Duration::ZERO,
            looks_late: false,
        }
    }

    /// Never answers.
    pub(crate) fn never() -> Self {
        Self::now(Err(Fault::NoAnswer))
    }
}

/// What a system takes for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    /// `True` and `False`.
    Bool,
    /// An object of its own, and no bool.
    Object,
}

impl Takes {
    /// The answer that a returned value is. Anything else is none, however true it looks.
    pub(crate) fn read(self, value: &Value) -> Result<ApprovalDecision, Fault> {
        match (self, value) {
            (Self::Bool, Value::Bool(true)) => Ok(ApprovalDecision::approve()),
            (Self::Bool, Value::Bool(false)) => Ok(ApprovalDecision::decline()),
            _ => Err(Fault::NotADecision(value.clone())),
        }
    }
}

/// A handler of one of the Python systems.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Handler {
    kind: Kind,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    remember: Option<Remembers>,
    #[serde(default, deserialize_with = "stated")]
    value: Option<Value>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    set: Option<Map<String, Value>>,
    #[serde(default)]
    sleep: f64,
    #[serde(default, rename = "async")]
    asynchronous: bool,
}

/// What a handler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Approve,
    Deny,
    Return,
    Raise,
    /// Raises the exception that stands for a refusal.
    RaiseBlocked,
    SyncApprove,
    /// It changes the arguments that it was shown. They are its own copy.
    MutateThenApprove,
    MutateNestedThenApprove,
}

/// For how long a handler wants its answer to be remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Remembers {
    None,
    Session,
}

/// Tells `null` from nothing.
fn stated<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Handler {
    /// Whether it wants its answer to be remembered.
    pub(crate) fn remembers(&self) -> bool {
        self.remember == Some(Remembers::Session)
    }

    /// Whether it says no.
    pub(crate) fn declines(&self) -> bool {
        self.kind == Kind::Deny
    }

    /// Whether it returns something that Python takes for true, and that is not an answer.
    pub(crate) fn says_yes_without_deciding(&self) -> bool {
        let odd = |value: &Value| !value.is_boolean() && python::is_true(value);
        self.value.as_ref().is_some_and(odd)
    }

    /// What it does.
    pub(crate) fn answer(&self, takes: Takes) -> Result<Answer, Invalid> {
        self.check()?;
        Ok(Answer {
            reply: self.reply(takes),
            sleep: seconds(self.sleep)?,
            // An asynchronous callback of these systems' tests sleeps before it looks.
            looks_late: self.asynchronous,
        })
    }

    fn reply(&self, takes: Takes) -> Result<ApprovalDecision, Fault> {
        let decision = match self.kind {
            Kind::Approve | Kind::MutateThenApprove | Kind::MutateNestedThenApprove => {
                ApprovalDecision::approve()
            }
            Kind::Deny => ApprovalDecision::decline(),
            Kind::SyncApprove => return Err(Fault::NotAwaitable),
            Kind::Return => takes.read(self.value.as_ref().unwrap_or(&Value::Null))?,
            Kind::Raise => {
                let class = self.error.clone().unwrap_or_default();
                return Err(Fault::raised(
                    class,
                    self.message.clone().unwrap_or_default(),
                ));
            }
            Kind::RaiseBlocked => {
                let reason = self.reason.clone().unwrap_or_default();
                return Err(Fault::raised("ToolBlocked", reason));
            }
        };
        let decision = match &self.note {
            Some(note) => decision.with_note(&**note),
            None => decision,
        };
        Ok(match self.remember {
            Some(Remembers::Session) => decision.remembered(Remember::Session),
            Some(Remembers::None) | None => decision,
        })
    }

    /// Refuses what does not go with the kind.
    fn check(&self) -> Result<(), Invalid> {
        let says = |kinds: &[Kind]| kinds.contains(&self.kind);
        let mutates = says(&[Kind::MutateThenApprove, Kind::MutateNestedThenApprove]);
        let answers = mutates || says(&[Kind::Approve, Kind::Deny]);
        let fits = [
            ("value", self.value.is_some(), says(&[Kind::Return])),
            ("error", self.error.is_some(), says(&[Kind::Raise])),
            ("set", self.set.is_some(), mutates),
        ];
        if let Some((field, ..)) = fits.iter().find(|(_, has, wants)| has != wants) {
            let kind = self.kind;
            return Err(Invalid::new(format!(
                "`{field}` and the handler `{kind:?}`"
            )));
        }
        let extra = [
            ("message", self.message.is_some() && !says(&[Kind::Raise])),
            (
                "reason",
                self.reason.is_some() && !says(&[Kind::RaiseBlocked]),
            ),
            ("note", self.note.is_some() && !answers),
            ("remember", self.remember.is_some() && !answers),
        ];
        match extra.iter().find(|(_, extra)| *extra) {
            Some((field, _)) => Err(Invalid::new(format!(
                "`{field}` and the handler `{:?}`",
                self.kind
            ))),
            None => Ok(()),
        }
    }
}

/// A time in seconds, as cases write it.
pub(crate) fn seconds(seconds: f64) -> Result<Duration, Invalid> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|error| Invalid::new(format!("{seconds} s: {error}")))
}
