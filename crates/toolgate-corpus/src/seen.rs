//! What happened, in the words of the source system.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolgate::{AllowedBy, ApprovalRequest, BlockedKind, Grant, GrantDecision, ToolBlocked};

use crate::{
    bench::{Attempt, Ended},
    case::Invalid,
    fault::Fault,
    python::dumps,
};

/// How a call ended, as cases say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The tool ran.
    Executed,
    /// Somebody or something decided that it does not.
    Blocked,
    /// Somebody had to decide.
    Asked,
    /// Something went wrong.
    Error,
}

impl Outcome {
    /// Reads `error|blocked`.
    pub(crate) fn parse_any(words: &str) -> Result<Vec<Self>, Invalid> {
        words.split('|').map(Self::parse).collect()
    }

    fn parse(word: &str) -> Result<Self, Invalid> {
        match word {
            "executed" => Ok(Self::Executed),
            "blocked" => Ok(Self::Blocked),
            "asked" => Ok(Self::Asked),
            "error" => Ok(Self::Error),
            _ => Err(Invalid::new(format!("unknown outcome `{word}`"))),
        }
    }
}

/// How a source system puts a refusal or an error.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) outcome: Outcome,
    pub(crate) reason: Option<String>,
    pub(crate) class: Option<String>,
    pub(crate) message: Option<String>,
}

impl Told {
    /// A refusal for a reason, as an exception of this class.
    pub(crate) fn blocked(class: &str, reason: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Blocked,
            reason: Some(reason.into()),
            class: Some(class.to_owned()),
            message: None,
        }
    }

    /// An exception.
    pub(crate) fn error(class: &str, message: impl Into<String>) -> Self {
        Self {
            outcome: Outcome::Error,
            reason: None,
            class: Some(class.to_owned()),
            message: Some(message.into()),
        }
    }

    /// What is left to say of a fault that a system has no words for.
    pub(crate) fn fault(fault: &Fault) -> Self {
        match fault {
            Fault::Raised { class, message } => Self::error(class, message),
            Fault::NoAnswer => Self {
                outcome: Outcome::Asked,
                ..Self::error("NoAnswer", "")
            },
            other => Self::error("Fault", other.to_string()),
        }
    }

    /// What is said of a fault behind a refusal, or of the kind of refusal alone.
    pub(crate) fn otherwise(blocked: &ToolBlocked) -> Self {
        match Fault::behind(blocked) {
            Some(fault) => Self::fault(fault),
            None => Self::error("ToolBlocked", blocked.kind().to_string()),
        }
    }
}

/// How a source system puts things.
pub(crate) trait Voice {
    /// How it puts a refusal.
    fn refusal(&self, blocked: &ToolBlocked) -> Told;

    /// How it puts the questions that a request is for it.
    fn prompts(&self, request: &ApprovalRequest) -> Vec<Value> {
        vec![json!({
            "tool": request.tool.name(),
            "args": request.args,
            "description": request.description,
            "reason": request.reasons().first(),
        })]
    }

    /// What it calls a run that goes on, and one that does not.
    fn run_words(&self) -> (&'static str, &'static str) {
        ("completed", "aborted")
    }

    /// What else it says of a call.
    fn more(&self, _seen: &mut Seen, _attempt: &Attempt) {}

    /// How it puts what is remembered.
    fn remembered(&self, grants: &[Grant]) -> Value {
        grants.iter().map(kept).collect()
    }
}

/// What happened.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) outcome: Outcome,
    pub(crate) fields: BTreeMap<&'static str, Value>,
    /// The questions, those of one request together.
    pub(crate) prompts: Vec<Vec<Value>>,
    /// Whether somebody was asked, or should have been.
    pub(crate) asked: bool,
    /// Whether the call ended because of what became of the question.
    pub(crate) ended_asking: bool,
    /// Which policies there are, and which were heard, in order.
    pub(crate) policies: Vec<String>,
    pub(crate) heard: Option<Vec<String>>,
}

impl Seen {
    /// Puts what became of a call in the words of a system.
    pub(crate) fn new(attempt: &Attempt, voice: &dyn Voice) -> Self {
        let told = told(&attempt.ended, voice);
        let outcome = told.as_ref().map_or(Outcome::Executed, |told| told.outcome);
        let prompts: Vec<_> = attempt.shown.iter().map(|r| voice.prompts(r)).collect();
        let kind = match &attempt.ended {
            Ended::Refused(blocked, _) => Some(blocked.kind()),
            _ => None,
        };
        let mut seen = Self {
            outcome,
            asked: !prompts.is_empty() || kind == Some(BlockedKind::NoHandler),
            ended_asking: ended_asking(attempt, kind),
            prompts,
            ..Self::nothing(voice, &attempt.remembered)
        };
        seen.tell(attempt, told);
        seen.run(attempt, voice.run_words());
        voice.more(&mut seen, attempt);
        seen
    }

    /// Puts it that no tool was called.
    pub(crate) fn nothing(voice: &dyn Voice, grants: &[Grant]) -> Self {
        let remembered = ["memory_after", "controller_memory_after"];
        Self {
            fields: remembered
                .map(|field| (field, voice.remembered(grants)))
                .into(),
            ..Self::blank()
        }
    }

    /// Puts it that nothing happened of which anything can be said.
    pub(crate) fn blank() -> Self {
        Self {
            outcome: Outcome::Executed,
            fields: BTreeMap::new(),
            prompts: Vec::new(),
            asked: false,
            ended_asking: false,
            policies: Vec::new(),
            heard: None,
        }
    }

    /// Adds something that happened.
    pub(crate) fn set(&mut self, field: &'static str, value: impl Into<Value>) {
        self.fields.insert(field, value.into());
    }

    fn tell(&mut self, attempt: &Attempt, told: Option<Told>) {
        self.set("tool_ran", !attempt.runs.is_empty());
        self.set("prompt_count", self.prompts.len());
        self.set("decision", decision(attempt, told.as_ref()));
        if let Some(run) = attempt.runs.last() {
            self.set("args", json!(run.args));
            let labels = run.labels.iter().map(ToString::to_string);
            self.set("capabilities", labels.collect::<Vec<_>>());
        }
        let Some(told) = told else {
            self.set("reason", Value::Null);
            return;
        };
        if told.outcome == Outcome::Blocked {
            self.set("reason", told.reason);
        }
        if let Some(class) = told.class {
            self.set("error_type", class);
        }
        if let Some(message) = told.message {
            self.set("message", message);
        }
    }

    /// Whether the run goes on. What a source system takes for an error always ends it.
    fn run(&mut self, attempt: &Attempt, (on, off): (&'static str, &'static str)) {
        let result = match &attempt.ended {
            Ended::Ran(result) => Some(("result", result)),
            Ended::Refused(_, Some(result)) if self.outcome != Outcome::Error => {
                Some(("result_to_model", result))
            }
            _ => None,
        };
        self.set("run", if result.is_some() { on } else { off });
        if let Some((field, result)) = result {
            self.set(field, result.clone());
        }
    }
}

/// What is remembered, as the Python systems keep it.
fn kept(grant: &Grant) -> Value {
    json!({
        "tool": grant.subject.as_deref().unwrap_or(grant.tool.name()),
        "args_json": dumps(&json!(grant.payload)),
        "approved": grant.decision == GrantDecision::Allow,
        "remember": if grant.scope.one_session { "session" } else { "always" },
    })
}

fn told(ended: &Ended, voice: &dyn Voice) -> Option<Told> {
    match ended {
        Ended::Ran(_) => None,
        Ended::Refused(blocked, _) => Some(voice.refusal(blocked)),
        Ended::Failed(fault) => Some(Told::fault(fault)),
        Ended::Dropped => Some(Told::error("CancelledError", "")),
    }
}

fn ended_asking(attempt: &Attempt, kind: Option<BlockedKind>) -> bool {
    let refused = matches!(
        kind,
        Some(BlockedKind::Declined | BlockedKind::NoHandler | BlockedKind::HandlerFailed)
    );
    refused || matches!(attempt.ended, Ended::Dropped)
}

/// What the policies decided, whatever came of it.
fn decision(attempt: &Attempt, told: Option<&Told>) -> String {
    let by = attempt.runs.last().map(|run| run.by);
    let kind = match &attempt.ended {
        Ended::Refused(blocked, _) => Some(blocked.kind()),
        _ => None,
    };
    match (by, kind) {
        (Some(AllowedBy::Human), _) => "ask".to_owned(),
        (Some(_), _) => "allow".to_owned(),
        (None, Some(BlockedKind::Denied)) => "deny".to_owned(),
        (None, Some(BlockedKind::PolicyFailed) | None) => {
            let class = told.and_then(|told| told.class.as_deref());
            format!("error:{}", class.unwrap_or_default())
        }
        (None, Some(_)) => "ask".to_owned(),
    }
}
