//! Cedar: a policy for each rule. All of them permit; which of them do says what is decided.

use std::{collections::HashMap, fmt::Write as _, str::FromStr};

use cedar_policy::{Authorizer, Context, Entities, EntityUid, PolicyId, PolicySet, Request};
use serde_json::{Value, json};
use toolgate::Effect;

use super::{Decide, strictest};
use crate::workload::{Call, Kind, Rule};

pub(super) fn build(rules: &[Rule], calls: &[Call]) -> Decide {
    let mut text = String::new();
    for rule in rules {
        let condition = condition(rule);
        writeln!(
            text,
            "permit(principal, action, resource) when {{ {condition} }};"
        )
        .unwrap();
    }
    let policies = PolicySet::from_str(&text).unwrap();
    let numbered = rules.iter().enumerate();
    let effects: HashMap<PolicyId, Effect> = numbered
        .map(|(number, rule)| (PolicyId::new(format!("policy{number}")), rule.effect))
        .collect();
    let requests: Vec<Request> = calls.iter().map(request).collect();
    let (authorizer, entities) = (Authorizer::new(), Entities::empty());
    Box::new(move |number| {
        let response = authorizer.is_authorized(&requests[number], &policies, &entities);
        strictest(response.diagnostics().reason().map(|id| effects[id]))
    })
}

fn condition(rule: &Rule) -> String {
    let pattern = &rule.pattern;
    match rule.kind {
        Kind::Tool => format!("context.tool == {}", Value::from(&**pattern)),
        Kind::ToolGlob => format!("context.tool like {}", Value::from(&**pattern)),
        Kind::Capability => format!("context.capabilities.contains({})", Value::from(&**pattern)),
        _ => {
            let (start, end) = super::ends(rule);
            let like = Value::from(format!("{start}*{end}"));
            format!("context has path && context.path like {like}")
        }
    }
}

fn request(call: &Call) -> Request {
    let mut context = json!({"tool": call.tool, "capabilities": call.capabilities});
    if let Some(path) = call.path() {
        context["path"] = path.into();
    }
    let uid = |text: &str| EntityUid::from_str(text).unwrap();
    let context = Context::from_json_value(context, None).unwrap();
    let (who, what) = (uid("Agent::\"root\""), uid("Tool::\"any\""));
    Request::new(who, uid("Action::\"call\""), what, context, None).unwrap()
}
