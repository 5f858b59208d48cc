//! Regorus: Rego over data in which names and capabilities are looked up.

use regorus::{Engine, Value};
use serde_json::{Map, json};
use toolgate::Effect;

use super::{Decide, ends, strictest};
use crate::workload::{Call, Kind, Rule};

const REGO: &str = r"
package gate

import rego.v1

matched contains effect if effect := data.tools[input.tool]

matched contains effect if {
    some capability in input.capabilities
    effect := data.capabilities[capability]
}

matched contains rule.effect if {
    some rule in data.globs
    startswith(input.tool, rule.start)
    endswith(input.tool, rule.end)
}

matched contains rule.effect if {
    some rule in data.paths
    startswith(input.path, rule.start)
    endswith(input.path, rule.end)
}
";

pub(super) fn build(rules: &[Rule], calls: &[Call]) -> Decide {
    let mut engine = Engine::new();
    engine
        .add_policy("gate.rego".to_owned(), REGO.to_owned())
        .unwrap();
    let exact = |kind: Kind| -> Map<_, _> {
        let rules = rules.iter().filter(|rule| rule.kind == kind);
        rules
            .map(|rule| (rule.pattern.clone(), word(rule.effect).into()))
            .collect()
    };
    let ends = |kind: Kind| -> Vec<_> {
        let rules = rules.iter().filter(|rule| rule.kind == kind);
        let entry = |rule: &Rule| {
            let (start, end) = ends(rule);
            json!({"start": start, "end": end, "effect": word(rule.effect)})
        };
        rules.map(entry).collect()
    };
    let data = json!({
        "tools": exact(Kind::Tool), "capabilities": exact(Kind::Capability),
        "globs": ends(Kind::ToolGlob), "paths": ends(Kind::Path),
    });
    engine.add_data(value(&data)).unwrap();
    let input = |call: &Call| {
        let mut input = json!({"tool": call.tool, "capabilities": call.capabilities});
        if let Some(path) = call.path() {
            input["path"] = path.into();
        }
        value(&input)
    };
    let inputs: Vec<Value> = calls.iter().map(input).collect();
    Box::new(move |number| {
        engine.set_input(inputs[number].clone());
        let matched = engine.eval_rule("data.gate.matched".to_owned()).unwrap();
        let matched = matched.as_set().unwrap();
        strictest(
            matched
                .iter()
                .map(|effect| parse(effect.as_string().unwrap())),
        )
    })
}

fn value(json: &serde_json::Value) -> Value {
    Value::from_json_str(&json.to_string()).unwrap()
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    }
}

fn parse(word: &str) -> Effect {
    match word {
        "allow" => Effect::Allow,
        "ask" => Effect::Ask,
        _ => Effect::Deny,
    }
}
