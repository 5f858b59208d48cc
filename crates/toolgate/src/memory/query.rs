//! What is asked of a store, and for which asks.

use std::{fmt, sync::Arc};

use super::Ticket;
use crate::{
    Args, Effect, Origin, Reviewing, Rule, ToolCall, ToolId,
    gate::{DEFAULT_RULE, GATE, TOOL_RULE},
    round::{Granted, GrantedRule, Requirement},
};

/// One ask of one call, as a store is asked about it.
#[derive(Clone, Copy)]
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
    /// Whether the rule has a name.
    pub named: bool,
    /// The name under which the operation is remembered, if it is not the tool's own.
    pub subject: Option<&'a str>,
    /// What identifies the operation.
    pub payload: &'a Args,
}

/// Shows who asks, never about what.
impl fmt::Debug for GrantQuery<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GrantQuery")
            .field("tool", &self.tool)
            .field("layer", &self.layer)
            .field("rule", &self.named.then_some(self.rule))
            .finish_non_exhaustive()
    }
}

/// What a rule is known by in a grant.
pub(crate) fn rule_name<'a>(rule: Option<&'a Rule>, reason: Option<&'a str>) -> &'a str {
    rule.map(Rule::id).or(reason).unwrap_or_default()
}

impl GrantedRule {
    /// What the rule is known by in a grant, and whether that is a name.
    fn name(&self) -> (&str, bool) {
        match self {
            Self::OfTheGate(name) => (name, true),
            Self::Cast(rule, reason) => {
                (rule_name(rule.as_ref(), reason.as_deref()), rule.is_some())
            }
        }
    }
}

impl ToolCall<Reviewing> {
    /// Whether anybody asks, or the gate will.
    pub(crate) fn has_open_ask(&self) -> bool {
        self.gate_rule().is_some() || self.trail().saying(Effect::Ask).next().is_some()
    }

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
        let ask_of = self.ask_at(place)?;
        let (rule, named) = ask_of.rule.name();
        if self.is_answered(&ask_of) {
            return None;
        }
        Some(ask(&GrantQuery {
            tool: self.tool(),
            origin: self.origin(),
            layer: ask_of.layer,
            rule,
            named,
            subject: ask_of.subject.as_deref(),
            payload: &ask_of.payload,
        }))
    }

    /// The ask at `place`, as it would be answered.
    pub(crate) fn ask_at(&self, place: usize) -> Option<Granted> {
        let Some(entry) = self.trail().iter().nth(place) else {
            let rule = GrantedRule::OfTheGate(self.gate_rule()?);
            return Some(self.granted(GATE, rule, None, self.payload()));
        };
        let vote = entry.vote();
        if vote.effect() != Effect::Ask {
            return None;
        }
        let parts = vote.request();
        let payload = parts.and_then(|parts| parts.payload.clone());
        let rule = GrantedRule::Cast(vote.rule().cloned(), vote.shared_reason());
        let subject = parts.and_then(|parts| parts.subject.clone());
        let payload = payload.unwrap_or_else(|| self.payload());
        Some(self.granted(entry.layer(), rule, subject, payload))
    }

    #[expect(clippy::unused_self, reason = "the ask is one of this call")]
    fn granted(
        &self,
        layer: &'static str,
        rule: GrantedRule,
        subject: Option<Arc<str>>,
        payload: Args,
    ) -> Granted {
        Granted {
            layer,
            rule,
            subject,
            payload,
            ticket: Ticket::unlimited(),
        }
    }

    /// Whether somebody just answered this rule for this very call.
    fn is_answered(&self, ask_of: &Granted) -> bool {
        let (rule, named) = ask_of.rule.name();
        let answer = self.round().answer.as_ref();
        let answer = answer.filter(|answer| answer.args() == self.args());
        answer.is_some_and(|answer| {
            answer.asks().iter().any(|ask| {
                let name = rule_name(ask.rule.as_ref(), ask.reason.as_deref());
                ask.layer == ask_of.layer
                    && name == rule
                    && ask.rule.is_some() == named
                    && answer.is_about(ask, ask_of.subject.as_deref(), &ask_of.payload)
            })
        })
    }

    /// The rule under which the gate itself will ask, if it will.
    pub(crate) fn gate_rule(&self) -> Option<&'static str> {
        if self.round().requirement == Requirement::Approval {
            return Some(TOOL_RULE);
        }
        self.trail().is_empty().then_some(DEFAULT_RULE)
    }
}
