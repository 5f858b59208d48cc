//! What an agent is told.

use serde::{Serialize, Serializer, ser::SerializeStruct};
use serde_json::{Map, Value, json};
use toolgate::Effect;

use super::{Agent, Input};
use crate::{style::word, verdict::Verdict};

/// What an agent is told. Without a word to the contrary it is a deny.
#[derive(Debug)]
pub(crate) struct Answer {
    agent: Agent,
    effect: Option<Effect>,
    reasons: Vec<String>,
    input: Map<String, Value>,
}

impl Answer {
    pub(super) fn new(agent: Agent, input: &Input) -> Self {
        Self {
            agent,
            effect: None,
            reasons: Vec::new(),
            input: input.args.clone(),
        }
    }

    /// Takes a decision into account: the strictest counts, with its reasons.
    pub(super) fn take(&mut self, verdict: &Verdict) {
        self.at_least(verdict.effect, verdict.sentence());
    }

    /// Makes the answer at least as strict.
    pub(super) fn at_least(&mut self, effect: Effect, reason: String) {
        let is_stricter = self.effect.is_none_or(|so_far| so_far < effect);
        if is_stricter {
            self.effect = Some(effect);
            self.reasons = vec![reason];
        } else if self.effect == Some(effect) && !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    pub(crate) fn is_allowed(&self) -> bool {
        self.effect == Some(Effect::Allow)
    }

    /// What is decided.
    pub(crate) fn effect(&self) -> Effect {
        self.effect.unwrap_or(Effect::Deny)
    }

    /// An agent that cannot ask would go on without an answer.
    pub(super) fn finish(&mut self) {
        if self.agent == Agent::Codex && self.effect == Some(Effect::Ask) {
            self.effect = Some(Effect::Deny);
            let why = "a hook of this agent cannot ask, so it is refused";
            self.reasons.push(why.to_owned());
        }
    }

    /// Adds a word to a decision that holds the call back and that no rule took.
    pub(super) fn remark(&mut self, word: &str) {
        let by_default = |reason: &String| reason.contains("so the default holds");
        if !self.is_allowed() && self.reasons.iter().any(by_default) {
            self.reasons.push(word.to_owned());
        }
    }

    fn reason(&self) -> String {
        match self.reasons.is_empty() {
            true => "nothing allows it".to_owned(),
            false => self.reasons.join("; "),
        }
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut output = json!({
            "hookEventName": "PreToolUse",
            "permissionDecision": word(self.effect()),
            "permissionDecisionReason": format!("toolgate: {}", self.reason()),
        });
        // Codex takes a bare allow for a mistake, but not one that says what is to run.
        if let (Agent::Codex, true, Value::Object(output)) =
            (self.agent, self.is_allowed(), &mut output)
        {
            output.insert("updatedInput".to_owned(), Value::Object(self.input.clone()));
        }
        let mut whole = serializer.serialize_struct("Answer", 1)?;
        whole.serialize_field("hookSpecificOutput", &output)?;
        whole.end()
    }
}
