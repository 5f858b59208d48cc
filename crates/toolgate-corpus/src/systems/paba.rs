//! `pydantic-ai-blocking-approval` 0.9: a toolset that decides, or else configuration.
//!
//! A toolset that decides does so alone, as a [`CheckApproval`](toolgate::CheckApproval); where
//! the case says what is safer, the configuration is heard next to it and a deny wins. Without
//! one, the configuration is [`ToolRules`], and what it does not speak of
//! is asked. Wrapping twice is a stack whose tool is a stack.

use serde::Deserialize;
use toolgate::{BlockedKind, GateLayer, Policy, ReviewLayer, ToolBlocked, ToolRules, first_of};

use super::{
    Instead,
    config::{self, Config, Entry},
    described::{Signatures, described},
    finding,
    pam::ToolSpec,
    toolset::{Says, Toolset},
};
use crate::{
    Finding,
    answer::{Handler, Takes, seconds},
    bench::{Attempt, Stack},
    case::{Case, Invalid, ToolUse},
    compare::compare,
    fault::Fault,
    seen::{Seen, Told, Voice},
};

/// What a case of this system is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(default)]
    config: Option<Config>,
    #[serde(default)]
    toolset_decides: Option<Says>,
    #[serde(default)]
    toolset_async: bool,
    #[serde(default)]
    toolset_honours_config: bool,
    #[serde(default)]
    handler: Option<Handler>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    wrap_twice: bool,
    #[serde(default)]
    cancel_after_s: Option<f64>,
    #[serde(default)]
    tool_raises: Option<String>,
    #[serde(default)]
    tool: Option<ToolSpec>,
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let (call, expectation) = case.only_call()?;
    let attempt = attempt(case, &given, &call).await?;
    let seen = Seen::new(&attempt, &Paba::default());
    let odd = given
        .config
        .iter()
        .flatten()
        .any(|(_, entry)| Entry::is_odd(entry));
    if odd && !case.is_corrected() {
        let instead = Instead::refused("a config says true or false; anything else is an error");
        return Ok(instead.finding(compare(&instead.expectation, &seen)?));
    }
    Ok(finding(compare(&expectation, &seen)?))
}

async fn attempt(case: &Case, given: &Given, call: &ToolUse) -> Result<Attempt, Invalid> {
    let handler = given.handler.as_ref().map(|h| h.answer(Takes::Object));
    let answer = handler.transpose()?;
    let drop_after = given.cancel_after_s.map(seconds).transpose()?;
    let rules = match config::rules(given.config.as_ref()) {
        Ok(rules) => rules,
        Err(fault) => return Ok(Attempt::misbuilt(fault)),
    };
    let gate = GateLayer::new();
    let wrap = |stack| wrap(case.is_corrected(), stack, given, rules.clone(), call);
    let mut stack = wrap(Stack::new(&gate, tool_fault(given)))?;
    if given.wrap_twice {
        stack = wrap(stack.inside_another(&gate))?;
    }
    let bench = stack.build(&ReviewLayer::new());
    Ok(bench.call_and_drop(call, answer, drop_after).await)
}

fn tool_fault(given: &Given) -> Option<Fault> {
    let raises = given.tool_raises.as_ref();
    let fails = raises.map(|class| Fault::raised(class, "tool body failed"));
    fails.or_else(|| given.tool.as_ref().map(ToolSpec::fault))
}

/// Adds the policies, and whoever is asked.
fn wrap(
    corrected: bool,
    stack: Stack,
    given: &Given,
    rules: ToolRules,
    call: &ToolUse,
) -> Result<Stack, Invalid> {
    let signatures = Signatures::of(call);
    let stack = match given.toolset_decides.clone() {
        None => {
            let description = given.description.clone();
            stack.policy(described(rules, move |call| {
                description.clone().unwrap_or_else(|| signatures.show(call))
            }))
        }
        Some(says) => {
            let toolset = Toolset::new(says, given.description.clone(), signatures)?;
            match (given.toolset_honours_config, corrected) {
                (true, false) => stack.policy(first_of([
                    Box::new(rules) as Box<dyn Policy>,
                    Box::new(toolset.policy()),
                ])),
                (true, true) => decided_by(stack.policy(rules), given, toolset),
                // The configuration is passed to the toolset, which does not look at it.
                (false, _) => decided_by(stack, given, toolset),
            }
        }
    };
    Ok(stack.asking_if(given.handler.is_some()))
}

fn decided_by(stack: Stack, given: &Given, toolset: Toolset) -> Stack {
    if given.toolset_async || toolset.fails() {
        stack.waiting_policy(move |call| std::future::ready(toolset.decide(&call)))
    } else {
        stack.policy(toolset.policy())
    }
}

/// How this system puts things, and those that build on it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Paba {
    /// What a person who is not there would have said, if that is a refusal.
    pub(super) nobody_says: Option<&'static str>,
}

impl Voice for Paba {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        let tool = blocked.tool().name();
        let denied = |note: Option<&str>| {
            let note = note.filter(|note| !note.is_empty());
            let note = note.unwrap_or("no reason given");
            Told::blocked(
                "ApprovalDenied",
                format!("Approval denied for {tool}: {note}"),
            )
        };
        match blocked.kind() {
            BlockedKind::Denied => {
                let reason = policy_reason(blocked.reason().unwrap_or_default());
                Told::blocked("ApprovalBlocked", format!("Blocked {tool}: {reason}"))
            }
            BlockedKind::Declined | BlockedKind::RememberedDenial => denied(blocked.reason()),
            BlockedKind::Strict => denied(Some("--reject-all")),
            BlockedKind::NoHandler => match self.nobody_says {
                Some(note) => denied(Some(note)),
                None => Told::error("TypeError", "'NoneType' object is not callable"),
            },
            _ => failed(blocked),
        }
    }
}

fn policy_reason(reason: &str) -> String {
    match reason.strip_prefix("capability blocked: ") {
        Some(capability) => format!("Capability blocked: {capability}"),
        None if reason.is_empty() => "blocked by policy".to_owned(),
        None => reason.to_owned(),
    }
}

/// A permission error is a denial here, whoever raises it.
fn failed(blocked: &ToolBlocked) -> Told {
    match Fault::behind(blocked) {
        Some(Fault::Raised { class, message }) if class == "PermissionError" => {
            Told::blocked(class, message)
        }
        Some(Fault::NotADecision(_)) if blocked.kind() == BlockedKind::HandlerFailed => {
            Told::error(
                "TypeError",
                "approval_callback must return ApprovalDecision",
            )
        }
        Some(Fault::NotADecision(_)) => {
            Told::error("TypeError", "needs_approval must return ApprovalResult")
        }
        Some(Fault::NotAList(class)) => {
            Told::error("TypeError", format!("'{class}' object is not iterable"))
        }
        _ => Told::otherwise(blocked),
    }
}
