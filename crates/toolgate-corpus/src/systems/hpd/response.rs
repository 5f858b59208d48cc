//! What somebody says to a question.

use std::time::Duration;

use serde::Deserialize;
use toolgate::{ApprovalDecision, Remember};

use crate::{answer::Answer, case::Invalid, fault::Fault};

/// What somebody says to a question, or that nobody says anything.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Response {
    Word(Word),
    Object(Box<Object>),
}

/// A response in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    Timeout,
    Cancelled,
    /// Whoever is asked fails.
    Error,
    AllowOnce,
    AllowSimilar,
    AllowExact,
    AlwaysAllow,
    AlwaysAllowExact,
    AlwaysAllowSimilar,
    AlwaysDeny,
    Deny,
    DenyOnce,
}

/// A response with details.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Object {
    approved: Option<bool>,
    reason: Option<String>,
    #[serde(alias = "feedback")]
    text: Option<String>,
    choice: Option<Choice>,
    choice_id: Option<String>,
    permission_id: Option<String>,
    r#type: Option<Event>,
    denied_behavior: Option<Denied>,
    extension_amount: Option<i64>,
}

/// What is chosen next to yes or no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Choice {
    Ask,
    AlwaysAllow,
    AlwaysDeny,
    #[serde(rename = "feedback")]
    Feedback,
}

/// The class of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Event {
    PermissionResponseEvent,
    ContinuationResponseEvent,
}

/// What a denial does to the turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
enum Denied {
    InterruptTurn,
    ReturnToModel,
}

impl Response {
    /// Refuses a response that says nothing.
    pub(crate) fn check(&self) -> Result<(), Invalid> {
        let Self::Object(object) = self else {
            return Ok(());
        };
        let says = object.approved.is_some()
            || object.choice_id.is_some()
            || object.choice == Some(Choice::Feedback)
            || object.r#type.is_some();
        says.then_some(())
            .ok_or_else(|| Invalid::new("a response that says nothing"))
    }

    /// Whether somebody says yes now, and never again.
    pub(crate) fn contradicts_itself(&self) -> bool {
        let Self::Object(object) = self else {
            return false;
        };
        object.approved == Some(true) && object.choice == Some(Choice::AlwaysDeny)
    }

    /// Whether it says yes, for this call at least.
    pub(crate) fn approves(&self) -> bool {
        let answer = self.answer();
        answer.is_ok_and(|answer| answer.reply.is_ok_and(|decision| decision.approved))
    }

    /// Whether it is about everything that begins alike.
    pub(crate) fn is_about_similar(&self) -> bool {
        matches!(
            self,
            Self::Word(Word::AllowSimilar | Word::AlwaysAllowSimilar)
        )
    }

    /// The details, if it comes as an event: for a question by id, or of a class.
    pub(crate) fn event(&self) -> Option<&Object> {
        match self {
            Self::Object(object) if object.permission_id.is_some() || object.r#type.is_some() => {
                Some(object)
            }
            _ => None,
        }
    }

    /// By how much a run is extended, if it says so.
    pub(crate) fn extension(&self) -> Option<i64> {
        match self {
            Self::Object(object) => object.extension_amount,
            Self::Word(_) => None,
        }
    }

    /// Whether it lets the model go on after a denial.
    pub(crate) fn returns_to_model(&self) -> bool {
        match self {
            Self::Object(object) => object.denied_behavior == Some(Denied::ReturnToModel),
            Self::Word(_) => false,
        }
    }

    /// What whoever is asked does.
    pub(crate) fn answer(&self) -> Result<Answer, Invalid> {
        self.check()?;
        let word = match self {
            Self::Word(word) => *word,
            Self::Object(object) => return Ok(Answer::now(object.reply())),
        };
        let yes = ApprovalDecision::approve;
        Ok(Answer::now(match word {
            Word::AllowOnce => Ok(yes()),
            Word::AllowExact | Word::AllowSimilar => Ok(yes().remembered(Remember::Session)),
            Word::AlwaysAllow | Word::AlwaysAllowExact | Word::AlwaysAllowSimilar => {
                Ok(yes().remembered(Remember::Always))
            }
            Word::AlwaysDeny => Ok(ApprovalDecision::decline().remembered(Remember::Always)),
            Word::Deny | Word::DenyOnce => Ok(ApprovalDecision::decline()),
            Word::Cancelled => Err(Fault::Cancelled),
            Word::Error => Err(Fault::raised("InvalidOperationException", "")),
            Word::Timeout => {
                return Ok(Answer {
                    sleep: LONG,
                    ..Answer::never()
                });
            }
        }))
    }
}

/// Longer than anybody waits.
const LONG: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Object {
    /// The question that it is for, if it names one.
    pub(crate) fn id(&self) -> Option<&str> {
        self.permission_id.as_deref().filter(|id| *id != "<same>")
    }

    /// What it is a response to, as a [source](toolgate::Address::source).
    pub(crate) fn source(&self) -> &'static str {
        match self.r#type {
            Some(Event::ContinuationResponseEvent) => "continuation",
            Some(Event::PermissionResponseEvent) | None => "tools",
        }
    }

    /// The choice that it comes with.
    pub(crate) fn choice(&self) -> toolgate::Choice {
        match self.approved {
            Some(false) => toolgate::Choice::DenyOnce,
            Some(true) | None => toolgate::Choice::AllowOnce,
        }
    }

    fn reply(&self) -> Result<ApprovalDecision, Fault> {
        let decision = match (self.choice_id.as_deref(), self.choice, self.approved) {
            (Some("always_allow"), ..) | (None, Some(Choice::AlwaysAllow), Some(true)) => {
                ApprovalDecision::approve().remembered(Remember::Always)
            }
            (Some("always_deny"), ..) | (None, Some(Choice::AlwaysDeny), Some(false)) => {
                ApprovalDecision::decline().remembered(Remember::Always)
            }
            (Some("allow_once"), ..) | (None, _, Some(true)) => ApprovalDecision::approve(),
            (Some("deny_once" | "feedback"), ..)
            | (None, Some(Choice::Feedback), _)
            | (None, _, Some(false)) => ApprovalDecision::decline(),
            (Some(unknown), ..) => return Err(Fault::UnknownChoice(unknown.to_owned())),
            (None, _, None) => return Err(Fault::NoAnswer),
        };
        Ok(match self.reason.as_deref().or(self.text.as_deref()) {
            Some(reason) => decision.with_note(reason),
            None => decision,
        })
    }
}
