//! Answers, as they come from outside.
//!
//! An answer is JSON that nobody has looked at: it is read as a [`PermissionResponse`], and what
//! cannot be read, or does not fit, is not delivered. An answer to a question that is not put yet
//! is given when it is.

#![expect(clippy::indexing_slicing, reason = "a JSON object takes any key")]

use std::time::Duration;

use serde_json::{Value, json};
use toolgate::PermissionResponse;

use super::{
    step::{Decision, Respond},
    world::{Question, USER, World},
};
use crate::case::Invalid;

/// An answer to a question that is not put yet.
pub(super) struct Owed {
    call: usize,
    answer: Value,
    decision: Option<Decision>,
}

/// What an answer is to.
enum To {
    /// The question of a call, which may not be put yet.
    Call(usize),
    /// Whatever has this id.
    Id(String),
}

impl World {
    /// Gives an answer.
    pub(super) fn respond(&mut self, respond: &Respond) -> Result<(), Invalid> {
        let mut answer =
            json!({"choice": choice(respond.decision), "principal": principal(respond)});
        if let Some(session) = &respond.session {
            answer["session"] = json!(session);
        }
        if let Some(ttl) = respond.ttl_ms {
            answer["expires_in"] = json!(Duration::from_millis(ttl));
        }
        if let Some(args) = &respond.args {
            answer["args"] = args.clone();
        }
        if let Some(tool) = &respond.tool {
            answer["tool"] = json!(tool);
        }
        self.answer(&respond.to, answer, Some(respond.decision))
    }

    /// Gives an answer whose choice is whatever it is.
    pub(super) fn respond_raw(
        &mut self,
        to: &str,
        session: Option<&str>,
        decision: &Value,
    ) -> Result<(), Invalid> {
        let answer = json!({"choice": decision, "principal": USER, "session": session});
        self.answer(to, answer, None)
    }

    /// Gives an answer that says to no question in particular.
    pub(super) fn respond_to_anything(&mut self, decision: Decision) {
        let open = self.calls.iter().find_map(|call| call.question.clone());
        let mut answer = json!({"choice": choice(decision), "principal": USER});
        if let Some(question) = open {
            answer["address"] = json!(question.address);
        }
        self.deliver(answer);
    }

    fn answer(
        &mut self,
        to: &str,
        answer: Value,
        decision: Option<Decision>,
    ) -> Result<(), Invalid> {
        match self.addressee(to)? {
            To::Call(call) => {
                let owed = Owed {
                    call,
                    answer,
                    decision,
                };
                if let Some(owed) = self.pay(owed) {
                    self.owed.push(owed);
                }
            }
            To::Id(id) => {
                let mut known = self.calls.iter().rev();
                let question = known.find_map(|call| call.question.as_ref());
                let address = question.map(|question| &question.address);
                let mut answer = addressed(answer, &json!(address));
                answer["id"] = json!(id);
                self.deliver(answer);
            }
        }
        Ok(())
    }

    /// Gives answers that are owed, if their questions are put by now. False if there were none.
    pub(super) fn pay_owed(&mut self) -> bool {
        let owed = std::mem::take(&mut self.owed);
        let before = owed.len();
        for owed in owed {
            if let Some(owed) = self.pay(owed) {
                self.owed.push(owed);
            }
        }
        self.owed.len() < before
    }

    /// Gives an answer, or gives it back if it is too early.
    fn pay(&mut self, owed: Owed) -> Option<Owed> {
        let held = self
            .calls
            .get(owed.call)
            .is_some_and(|call| self.is_held(&call.label));
        let call = self.calls.get_mut(owed.call)?;
        let Some(Question { id, address }) = call.question.clone() else {
            return call.is_pending().then_some(owed);
        };
        if held {
            call.hold.hold();
        }
        let mut answer = addressed(owed.answer, &json!(address));
        answer["id"] = json!(id);
        if self.deliver(answer) {
            self.note(owed.call, owed.decision);
        }
        None
    }

    /// Takes down what was approved.
    fn note(&mut self, call: usize, decision: Option<Decision>) {
        use Decision::{AllowAlways, AllowOnce, AllowSession, DenyAlways};
        let Some(call) = self.calls.get_mut(call) else {
            return;
        };
        call.remembered |= matches!(decision, Some(AllowAlways | AllowSession | DenyAlways));
        let yes = matches!(
            decision,
            Some(AllowAlways | AllowOnce | AllowSession) | None
        );
        if let (true, Some(shown)) = (yes, &call.shown) {
            self.approved.push((call.tool.clone(), shown.args.clone()));
        }
    }

    /// Sends an answer to the broker. False if it was not delivered.
    fn deliver(&self, answer: Value) -> bool {
        let response: Result<PermissionResponse, _> = serde_json::from_value(answer);
        response.is_ok_and(|response| self.broker.respond(response).is_ok())
    }

    /// Reads `c1`, `c1+1`, `c1-1`, `c1[0:8]`, `c1#first-prompt` or `literal:1`.
    fn addressee(&self, to: &str) -> Result<To, Invalid> {
        if let Some(id) = to.strip_prefix("literal:") {
            return Ok(To::Id(id.to_owned()));
        }
        let unknown = || Invalid::new(format!("an answer to `{to}`"));
        if let Some(label) = to.strip_suffix("#first-prompt") {
            let first = self.calls.iter().position(|call| call.label == label);
            return first.map(To::Call).ok_or_else(unknown);
        }
        if let Some((label, more)) = to.split_once(['+', '-']) {
            let id = u128::from_str_radix(&self.id_of(label)?, 16).map_err(|_| unknown())?;
            let more: u128 = more.parse().map_err(|_| unknown())?;
            let other = match to.contains('+') {
                true => id.wrapping_add(more),
                false => id.wrapping_sub(more),
            };
            return Ok(To::Id(format!("{other:032x}")));
        }
        if let Some((label, range)) = to.strip_suffix(']').and_then(|to| to.split_once('[')) {
            let (from, until) = range.split_once(':').ok_or_else(unknown)?;
            let id = self.id_of(label)?;
            let parse = |text: &str, missing: usize| match text.is_empty() {
                true => Ok(missing),
                false => text.parse::<usize>().map_err(|_| unknown()),
            };
            let part = id.get(parse(from, 0)?..parse(until, id.len())?);
            let part = part.ok_or_else(unknown)?;
            return Ok(To::Id(part.to_owned()));
        }
        self.known(to).map(To::Call)
    }

    fn id_of(&self, label: &str) -> Result<String, Invalid> {
        let call = self.calls.get(self.known(label)?);
        let question = call.and_then(|call| call.question.as_ref());
        let id = question.map(|question| question.id.to_string());
        id.ok_or_else(|| Invalid::new(format!("`{label}` is not asked about")))
    }
}

/// Addresses an answer, from the session that it comes from.
fn addressed(mut answer: Value, address: &Value) -> Value {
    let session = answer
        .as_object_mut()
        .and_then(|answer| answer.remove("session"));
    answer["address"] = address.clone();
    if let Some(session) = session.filter(|session| !session.is_null()) {
        answer["address"]["session"] = session;
    }
    answer
}

/// Who answers, as far as the host knows. What a client says of itself is not that.
fn principal(respond: &Respond) -> Option<String> {
    if respond.client_supplied_uid.is_some() {
        return None;
    }
    let user = respond.user.as_deref().unwrap_or(USER);
    let agent = respond.agent.as_ref().map(|agent| format!("agent:{agent}"));
    let name = respond.principal.clone().or(agent);
    let name = name.unwrap_or_else(|| user.to_owned());
    // Somebody is known by the tenant and the channel that they come from.
    let from = [&respond.tenant, &respond.channel].into_iter().flatten();
    Some(from.fold(name, |name, place| format!("{place}/{name}")))
}

fn choice(decision: Decision) -> &'static str {
    match decision {
        Decision::AllowOnce => "allow_once",
        Decision::AllowSession => "allow_session",
        Decision::AllowAlways => "allow_always",
        Decision::Deny => "deny_once",
        Decision::DenyAlways => "deny_always",
    }
}
