//! Rules over capabilities, which toolsets, configuration and a map attach to tools.
//!
//! The stack is the one that Toolgate recommends for it. Rules that it refuses to load, and
//! toolsets that do not return a list, are errors.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use toolgate::{
    Capabilities, CapabilityMap, CapabilityRules, Describe, DescribeError, Description, GateLayer,
    ReviewLayer, Reviewing, ToolCall, ToolDecision, ToolEntries,
};

use super::{
    Instead,
    config::{self, Config},
    described::{Signatures, described},
    finding,
    paba::Paba,
};
use crate::{
    Finding,
    answer::{Handler, Takes},
    bench::{Attempt, Bench, Stack},
    case::{Case, Invalid, ToolUse},
    compare::compare,
    fault::Fault,
    seen::Seen,
};

/// What a case of this system is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    toolset_caps: Value,
    capability_rules: Map<String, Value>,
    capability_default: ToolDecision,
    config: Option<Config>,
    capability_map: Option<BTreeMap<String, Value>>,
    handler: Option<Handler>,
}

/// Nobody to ask, which the source does not survive: it is a refusal in any case.
const VOICE: Paba = Paba {
    nobody_says: Some("nobody to ask"),
};

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let (call, expectation) = case.only_call()?;
    let handler = given.handler.as_ref().map(|h| h.answer(Takes::Object));
    let answer = handler.transpose()?;
    let attempt = match bench(&given, &call) {
        Ok(bench) => bench.call(&call, answer).await,
        Err(fault) => Attempt::misbuilt(fault),
    };
    let mut seen = Seen::new(&attempt, &VOICE);
    seen.set("wrapped", true);
    if given.toolset_caps.is_string() && !case.is_corrected() {
        let instead = Instead::refused("capabilities are a list; anything else is an error");
        return Ok(instead.finding(compare(&instead.expectation, &seen)?));
    }
    Ok(finding(compare(&expectation, &seen)?))
}

fn bench(given: &Given, call: &ToolUse) -> Result<Bench, Fault> {
    let rules: CapabilityRules = serde_json::from_value(given.capability_rules.clone().into())
        .map_err(|error| Fault::raised("ValueError", error.to_string()))?;
    let rules = rules.with_default(given.capability_default);
    let tool_rules = config::rules(given.config.as_ref())?;
    let entries = given.capability_map.iter().flatten();
    let map: Result<Vec<_>, Fault> = entries
        .map(|(tool, names)| Ok((tool.as_str(), config::capabilities(names)?)))
        .collect();
    let review = ReviewLayer::new()
        .describe(Toolset(given.toolset_caps.clone()))
        .describe(CapabilityMap::new(map?))
        .with_tool_rules(tool_rules.clone());
    let signatures = Signatures::of(call);
    let policy = Capabilities::new(rules).with_tool_rules(tool_rules);
    Ok(Stack::new(&GateLayer::new(), None)
        .policy(described(policy, move |call| signatures.show(call)))
        .asking_if(given.handler.is_some())
        .build(&review))
}

/// What the toolset says its calls can do.
struct Toolset(Value);

impl Describe for Toolset {
    fn describe(
        &self,
        _: &ToolCall<Reviewing>,
        _: &ToolEntries<'_>,
    ) -> Result<Description, DescribeError> {
        if self.0.is_null() {
            return Ok(Description::new());
        }
        Ok(Description::new().with(config::capability_list(&self.0)?))
    }
}
