//! What becomes of a call: the decision of the policy, in its mode.

use serde::Serialize;
use toolgate::{Effect, Mode, ToolCall};
use toolgate_policy::{ExplainedVote, Explanation, FilePolicy, Says};

use crate::style::{self, paint};

/// What becomes of a call.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict {
    /// The decision, with what the mode makes of a question.
    pub(crate) effect: Effect,
    /// The mode, if it answered what would have been asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mode: Option<Mode>,
    /// Why.
    pub(crate) reasons: Vec<Reason>,
    #[serde(skip)]
    pub(crate) explanation: Explanation,
}

/// Why a call is decided as it is.
#[derive(Debug, Serialize)]
pub(crate) struct Reason {
    pub(crate) rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<String>,
    #[serde(rename = "reason")]
    pub(crate) why: String,
}

impl Verdict {
    /// Decides about a call.
    pub(crate) fn of(policy: &FilePolicy, call: &ToolCall) -> Self {
        let explanation = policy.explain(call);
        let (effect, mode) = in_mode(explanation.effect, policy.mode());
        Self {
            effect,
            mode,
            reasons: reasons(&explanation),
            explanation,
        }
    }

    /// In words, one reason a line, each with its place.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<_> = self.reasons.iter().map(Reason::line).collect();
        lines.extend(self.mode.map(said_of));
        lines
    }

    /// In one plain sentence, for a model or a log.
    pub(crate) fn sentence(&self) -> String {
        let mut parts: Vec<_> = self.reasons.iter().map(Reason::plain).collect();
        parts.extend(self.mode.map(said_of));
        parts.join("; ")
    }
}

/// What a mode makes of a decision, and the mode if that is something else.
pub(crate) fn in_mode(effect: Effect, mode: Mode) -> (Effect, Option<Mode>) {
    match (effect, mode) {
        (Effect::Ask, Mode::Strict) => (Effect::Deny, Some(mode)),
        (Effect::Ask, Mode::ApproveAll) => (Effect::Allow, Some(mode)),
        _ => (effect, None),
    }
}

fn said_of(mode: Mode) -> String {
    let what = match mode {
        Mode::Strict => "the mode is `strict`, so nobody is asked and it is refused",
        _ => "the mode is `dangerous_approve_all`, so nobody is asked and it is approved",
    };
    what.to_owned()
}

fn reasons(explanation: &Explanation) -> Vec<Reason> {
    let deciding = explanation.votes.iter().filter(|vote| vote.decides);
    let mut reasons: Vec<Reason> = Vec::new();
    for vote in deciding {
        let reason = Reason::of(vote);
        let known = |other: &Reason| other.rule == reason.rule && other.why == reason.why;
        if !reasons.iter().any(known) {
            reasons.push(reason);
        }
    }
    if explanation.by_default {
        reasons.push(Reason::by_default(explanation));
    }
    reasons
}

impl Reason {
    fn of(vote: &ExplainedVote) -> Self {
        Self {
            rule: vote.rule.id().to_owned(),
            place: vote.rule.source().map(ToString::to_string),
            why: vote.reason.to_string(),
        }
    }

    fn by_default(explanation: &Explanation) -> Self {
        let uncovered = |vote: &ExplainedVote| vote.says == Says::Uncovered;
        let what = match explanation.votes.iter().any(uncovered) {
            true => "no rule covers all of it",
            false => "no rule speaks of it",
        };
        let effect = style::word(explanation.effect);
        Self {
            rule: "default".to_owned(),
            place: None,
            why: format!("{what}, so the default holds: {effect}"),
        }
    }

    fn line(&self) -> String {
        match &self.place {
            Some(place) => format!("{}  {}", self.why, paint(style::FAINT, place)),
            None => self.why.clone(),
        }
    }

    fn plain(&self) -> String {
        match &self.place {
            Some(place) => format!("{} ({place})", self.why),
            None => self.why.clone(),
        }
    }
}
