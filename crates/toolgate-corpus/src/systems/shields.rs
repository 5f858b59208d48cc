//! `pydantic-ai-shields`: tools that are asked about by name, and all others run.

use serde::Deserialize;
use serde_json::Value;
use toolgate::{BlockedKind, GateLayer, ReviewLayer, ToolBlocked, ToolConfig, ToolRules};

use super::{Instead, finding};
use crate::{
    Finding,
    answer::{Answer, Takes},
    bench::Stack,
    case::{Case, Invalid},
    compare::compare,
    fault::Fault,
    python,
    seen::{Seen, Told, Voice},
};

/// What a case of this system is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(default)]
    require_approval: Vec<String>,
    #[serde(default)]
    blocked: Vec<String>,
    #[serde(default)]
    handler: Option<Callback>,
}

/// What the callback does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Callback {
    returns: Value,
    #[serde(default, rename = "async")]
    _asynchronous: bool,
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let (call, expectation) = case.only_call()?;
    let returned = given.handler.as_ref().map(|callback| &callback.returns);
    let answer = returned.map(|value| Answer::now(Takes::Bool.read(value)));
    let bench = Stack::new(&GateLayer::dangerous_allow_by_default(), None)
        .policy(rules(&given)?)
        .asking_if(given.handler.is_some())
        .build(&ReviewLayer::new());
    let attempt = bench.call(&call, answer).await;
    let seen = Seen::new(&attempt, &Shields);
    let odd = returned.is_some_and(|value| !value.is_boolean() && python::is_true(value));
    if odd && !attempt.shown.is_empty() && !case.is_corrected() {
        let instead = Instead::not_a_decision();
        return Ok(instead.finding(compare(&instead.expectation, &seen)?));
    }
    Ok(finding(compare(&expectation, &seen)?))
}

fn rules(given: &Given) -> Result<ToolRules, Invalid> {
    let asked = given.require_approval.iter();
    let asked = asked.map(|tool| (tool.as_str(), ToolConfig::needs_approval()));
    let blocked = given.blocked.iter();
    let blocked = blocked.map(|tool| (tool.as_str(), ToolConfig::blocked().because("")));
    ToolRules::new(asked.chain(blocked)).map_err(|error| Invalid::new(error.to_string()))
}

/// How this system puts things.
struct Shields;

impl Voice for Shields {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        let tool = blocked.tool().name();
        let refused =
            |why: &str| Told::blocked("ToolBlocked", format!("Tool '{tool}' blocked{why}"));
        match (blocked.kind(), Fault::behind(blocked)) {
            (BlockedKind::Declined, _) => refused(": User denied"),
            (BlockedKind::NoHandler, _) => {
                refused(": Approval required but no callback configured")
            }
            (BlockedKind::Denied, _) => refused(""),
            (_, Some(Fault::NotADecision(value))) if !python::is_true(value) => {
                refused(": User denied")
            }
            _ => Told::otherwise(blocked),
        }
    }
}
