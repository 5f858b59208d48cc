//! What is asked of a store, and for which asks.

use crate::{
    Args, Effect, Origin, Reviewing, Rule, ToolCall, ToolId, TrailEntry,
    gate::{DEFAULT_RULE, GATE, TOOL_RULE},
    round::Requirement,
};

/// One ask of one call, as a store is asked about it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GrantQuery<'a> {
    /// The tool.
    pub tool: &'a ToolId,
    /// Where the call comes from.
    pub origin: &'a Origin,
    /// The layer that asks.
    pub layer: &'a str,
    /// The id of the rule that asks, or its reason if it has no name.
    pub rule: &'a str,
    /// The name under which the operation is remembered, if it is not the tool's own.
    pub subject: Option<&'a str>,
    /// What identifies the operation.
    pub payload: &'a Args,
}

/// What a rule is known by in a grant.
pub(crate) fn rule_name<'a>(rule: Option<&'a Rule>, reason: Option<&'a str>) -> &'a str {
    rule.map(Rule::id).or(reason).unwrap_or_default()
}

impl ToolCall<Reviewing> {
    /// How many places there are in which an ask may stand: one for each vote, and one for what
    /// the gate will add.
    pub(crate) fn open_asks(&self) -> usize {
        self.trail().len() + 1
    }

    /// Asks about the ask at `place`, if one stands there that the answer which comes with the call
    /// does not settle.
    pub(crate) fn with_open_ask<T>(
        &self,
        place: usize,
        ask: impl FnOnce(&GrantQuery<'_>) -> T,
    ) -> Option<T> {
        match self.trail().iter().nth(place) {
            Some(entry) if entry.vote().effect() == Effect::Ask => self.query(entry, ask),
            Some(_) => None,
            None => {
                let rule = self
                    .gate_rule()
                    .filter(|rule| !self.is_answered(GATE, rule))?;
                Some(ask(&self.grant_query(GATE, rule, None, &self.payload())))
            }
        }
    }

    fn query<T>(&self, entry: &TrailEntry, ask: impl FnOnce(&GrantQuery<'_>) -> T) -> Option<T> {
        let vote = entry.vote();
        let parts = vote.request();
        let rule = rule_name(vote.rule(), vote.reason());
        if self.is_answered(entry.layer(), rule) {
            return None;
        }
        let subject = parts.and_then(|parts| parts.subject.as_deref());
        Some(match parts.and_then(|parts| parts.payload.as_ref()) {
            Some(payload) => ask(&self.grant_query(entry.layer(), rule, subject, payload)),
            None => ask(&self.grant_query(entry.layer(), rule, subject, &self.payload())),
        })
    }

    /// Whether somebody just answered this rule for this very call.
    fn is_answered(&self, layer: &str, rule: &str) -> bool {
        let answer = self.round().answer.as_ref();
        let answer = answer.filter(|answer| answer.args() == self.args());
        answer.is_some_and(|answer| {
            answer.asks().iter().any(|ask| {
                let name = rule_name(ask.rule.as_ref(), ask.reason.as_deref());
                ask.layer == layer && name == rule
            })
        })
    }

    fn grant_query<'a>(
        &'a self,
        layer: &'a str,
        rule: &'a str,
        subject: Option<&'a str>,
        payload: &'a Args,
    ) -> GrantQuery<'a> {
        GrantQuery {
            tool: self.tool(),
            origin: self.origin(),
            layer,
            rule,
            subject,
            payload,
        }
    }

    /// The rule under which the gate itself will ask, if it will.
    fn gate_rule(&self) -> Option<&'static str> {
        if self.round().requirement == Requirement::Approval {
            return Some(TOOL_RULE);
        }
        self.trail().is_empty().then_some(DEFAULT_RULE)
    }
}
