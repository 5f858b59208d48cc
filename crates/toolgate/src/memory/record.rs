//! What is to be remembered of an answer.

use std::time::SystemTime;

use super::{
    grant::{Grant, GrantDecision, GrantScope},
    query::rule_name,
    store::StoreError,
};
use crate::{
    ApprovalDecision, Args, Asked, Remember, Reviewing, Rule, ToolCall,
    clock::time_in,
    gate::GATE,
    round::{Answer, AnsweredBy},
};

impl ToolCall<Reviewing> {
    /// The answer that comes with the call, if somebody wants it to be remembered and it was not.
    pub(super) fn answer_to_remember(&self) -> Option<&Answer> {
        let answer = self.round().answer.as_ref()?;
        let wanted = answer.decision().remember != Remember::Once;
        let given = answer.by() == AnsweredBy::Handler && answer.args() == self.args();
        (wanted && given && !answer.is_recorded()).then_some(answer)
    }

    /// One grant for each rule that the answer was given for: an answer is no answer to anybody
    /// else.
    pub(super) fn grants_to_record(&self) -> Vec<Grant> {
        let Some(answer) = self.answer_to_remember() else {
            return Vec::new();
        };
        let decision = answer.decision();
        let asks = answer.asks().iter().cloned();
        if decision.args.is_none() {
            return asks.map(|ask| self.grant(ask, decision)).collect();
        }
        // What was suggested was suggested for other arguments.
        let exact = ApprovalDecision {
            without: Vec::new(),
            ..decision.clone()
        };
        let edited = asks.filter_map(|ask| self.for_edited_args(ask));
        edited.map(|ask| self.grant(ask, &exact)).collect()
    }

    /// The same ask, for the arguments as somebody changed them. None if it is no longer asked.
    fn for_edited_args(&self, ask: Asked) -> Option<Asked> {
        let named = ask.rule.as_ref().map(Rule::id);
        if ask.layer == GATE && named == self.gate_rule() {
            return Some(Asked {
                payload: self.payload(),
                ..ask
            });
        }
        let same = |now: &Asked| {
            now.is(&ask.layer, ask.rule.as_ref(), ask.reason.as_deref())
                && now.subject == ask.subject
        };
        self.asks().into_iter().find(same)
    }

    fn grant(&self, ask: Asked, decision: &ApprovalDecision) -> Grant {
        let rule = rule_name(ask.rule.as_ref(), ask.reason.as_deref()).into();
        let payload = decision.without_keys(&ask.payload);
        Grant {
            decision: match decision.approved {
                true => GrantDecision::Allow,
                false => GrantDecision::Deny,
            },
            exact: payload.len() == ask.payload.len(),
            payload,
            tool: self.tool().clone(),
            subject: ask.subject,
            layer: ask.layer.into_owned().into(),
            named: ask.rule.is_some(),
            rule,
            scope: GrantScope::of(self.origin(), decision.remember),
            delegable: decision.delegable,
            expires: decision.expires_in.and_then(time_in),
            uses: decision.uses,
            note: decision.note.clone(),
            given_by: decision.by.clone(),
            given: SystemTime::now(),
            ..Grant::blank(self.tool())
        }
    }

    /// Notes that the answer was recorded, or that it could not be. Then it still holds for this
    /// call, and for no other.
    pub(super) fn recorded(&self, result: Result<(), StoreError>) {
        if let Some(answer) = self.round().answer.as_ref() {
            answer.mark_recorded();
        }
        if let Err(error) = result {
            tracing::error!(%error, "the answer could not be remembered");
        }
    }
}

impl ApprovalDecision {
    /// The payload without what the chosen suggestion leaves out.
    fn without_keys(&self, payload: &Args) -> Args {
        match self.without.is_empty() {
            true => payload.clone(),
            false => {
                payload.filtered(|key| !self.without.iter().any(|left_out| **left_out == *key))
            }
        }
    }
}
