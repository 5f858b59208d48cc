//! What somebody says to a question.

use serde::Deserialize;
use toolgate::ApprovalDecision;

use crate::{Missing, answer::Answer, case::Invalid, fault::Fault};

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

    /// The part that is needed to say this.
    pub(crate) fn needs(&self) -> Option<Missing> {
        let object = match self {
            Self::Word(Word::Timeout) => return Some(Missing::Deadline),
            Self::Word(
                Word::AllowOnce | Word::Cancelled | Word::Deny | Word::DenyOnce | Word::Error,
            ) => return None,
            Self::Word(_) => return Some(Missing::Memory),
            Self::Object(object) => object,
        };
        let always = matches!(
            object.choice_id.as_deref(),
            Some("always_allow" | "always_deny")
        );
        if always
            || matches!(
                object.choice,
                Some(Choice::AlwaysAllow | Choice::AlwaysDeny)
            )
        {
            return Some(Missing::Memory);
        }
        if object.extension_amount.is_some() {
            return Some(Missing::Continuation);
        }
        let by_id = object.permission_id.is_some() || object.r#type.is_some();
        by_id.then_some(Missing::Broker)
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
        Ok(Answer::now(match self {
            Self::Word(Word::AllowOnce) => Ok(ApprovalDecision::approve()),
            Self::Word(Word::Deny | Word::DenyOnce) => Ok(ApprovalDecision::decline()),
            Self::Word(Word::Cancelled) => Err(Fault::Cancelled),
            Self::Word(Word::Error) => Err(Fault::raised("InvalidOperationException", "")),
            Self::Word(word) => return Err(Invalid::new(format!("`{word:?}` is no answer"))),
            Self::Object(object) => object.reply(),
        }))
    }
}

impl Object {
    fn reply(&self) -> Result<ApprovalDecision, Fault> {
        let decision = match (self.choice_id.as_deref(), self.choice, self.approved) {
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
