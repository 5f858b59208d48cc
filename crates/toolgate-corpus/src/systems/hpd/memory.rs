//! What is remembered before a case begins, and what its host adds.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolgate::{ApprovalDecision, ApprovalRequest, Args, Asked, Grant, Grants, Remember};

use super::{
    given::{Choice, Given, Memory, Preference, Preferred},
    stack::Build,
};
use crate::{
    bench::{Attempt, Bench},
    case::{Act, Invalid, ToolUse, Turn},
    python::Python,
};

/// Has `grants` hold what the case says is remembered, as it came to be: somebody was asked.
pub(super) async fn seed(
    given: &Given,
    turns: &[Turn<'_>],
    build: &Build<'_>,
    grants: &Grants,
) -> Result<(), Invalid> {
    let bench = build.seeding(grants);
    match &given.memory {
        None => {}
        Some(Memory::Choices(choices)) => {
            for (function, choice) in choices {
                let call = ToolUse::new(function, Args::new(), Python::Dict(Vec::new()));
                match choice {
                    Choice::Ask => {}
                    Choice::AlwaysAllow => remember(&bench, &call, true).await,
                    Choice::AlwaysDeny => remember(&bench, &call, false).await,
                }
            }
        }
        Some(Memory::Preferences(preferences)) => {
            let Some(call) = turns.iter().find_map(called) else {
                return Err(Invalid::new("preferences, and no call"));
            };
            prefer(given, preferences, call, &bench).await;
        }
    }
    Ok(())
}

fn called<'a>(turn: &'a Turn<'_>) -> Option<&'a ToolUse> {
    match &turn.act {
        Act::Call(call) => Some(call),
        Act::Op(_) => None,
    }
}

/// The newest preference for a request takes the place of older ones. One with another
/// fingerprint is for another request.
async fn prefer(given: &Given, preferences: &[Preference], call: &ToolUse, bench: &Bench) {
    let mut newest: BTreeMap<Option<&str>, &Preference> = BTreeMap::new();
    for preference in preferences {
        let kept = newest
            .entry(preference.fingerprint.as_deref())
            .or_insert(preference);
        if kept.created_at <= preference.created_at {
            *kept = preference;
        }
    }
    for (fingerprint, preference) in newest {
        let mut request = ToolUse {
            turn: None,
            ..call.clone()
        };
        if fingerprint.is_some() && fingerprint != given.request_fingerprint.as_deref() {
            request.args = request
                .args
                .with("fingerprint", fingerprint.unwrap_or_default());
        }
        remember(bench, &request, preference.decision == Preferred::Allow).await;
    }
}

async fn remember(bench: &Bench, call: &ToolUse, approved: bool) {
    let decision = match approved {
        true => ApprovalDecision::approve(),
        false => ApprovalDecision::decline(),
    };
    bench
        .seed(call, decision.remembered(Remember::Always))
        .await;
}

/// Remembers a no to what was just approved. An answer cannot say both, so the host does.
pub(super) fn record_no(grants: &Grants, attempt: &mut Attempt) -> Result<(), Invalid> {
    for request in &attempt.shown {
        for ask in &request.asks {
            grants.add(no(request, ask)?);
        }
    }
    attempt.remembered = grants.list();
    Ok(())
}

fn no(request: &ApprovalRequest, ask: &Asked) -> Result<Grant, Invalid> {
    let rule = ask
        .rule
        .as_ref()
        .map_or(Value::Null, |rule| rule.id().into());
    let since_1970 = json!({"secs_since_epoch": 0, "nanos_since_epoch": 0});
    Ok(serde_json::from_value(json!({
        "id": 0,
        "decision": "deny",
        "tool": request.tool,
        "payload": ask.payload,
        "exact": true,
        "named": true,
        "layer": ask.layer,
        "rule": rule,
        "scope": {"one_session": false},
        "delegable": false,
        "given": since_1970,
    }))?)
}
