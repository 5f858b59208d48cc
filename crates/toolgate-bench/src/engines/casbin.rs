//! Casbin: a line for each rule, and one test for all kinds of them.
//!
//! It knows yes and no. So there are two of it: the first says whether a call is allowed; the
//! second, if it is not, whether it is only asked about. Both are told only of calls that some rule
//! matches.

use casbin::{
    CoreApi, DefaultModel, Enforcer, MemoryAdapter, MgmtApi, function_map::OperatorFunction,
    rhai::Dynamic,
};
use futures_util::FutureExt as _;
use toolgate::Effect;

use super::Decide;
use crate::workload::{Call, Kind, Rule};

const MODEL: &str = r"
[request_definition]
r = tool, capabilities, path

[policy_definition]
p = kind, start, end, eft

[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))

[matchers]
m = matches(subject(p.kind, r.tool, r.capabilities, r.path), p.kind, p.start, p.end)
";

pub(super) fn build(rules: &[Rule], calls: &[Call]) -> Decide {
    let allows = enforcer(
        rules
            .iter()
            .map(|rule| (rule, rule.effect == Effect::Allow)),
    );
    let strict = rules.iter().filter(|rule| rule.effect != Effect::Allow);
    let asks = enforcer(strict.map(|rule| (rule, rule.effect == Effect::Ask)));
    let request = |call: &Call| {
        let path = call.path().unwrap_or_default();
        (
            call.tool.clone(),
            call.capabilities.join(" "),
            path.to_owned(),
        )
    };
    let requests: Vec<_> = calls.iter().map(request).collect();
    Box::new(move |number| {
        let (tool, capabilities, path) = &requests[number];
        let says = |enforcer: &Enforcer| {
            enforcer
                .enforce((&**tool, &**capabilities, &**path))
                .unwrap()
        };
        match (says(&allows), || says(&asks)) {
            (true, _) => Effect::Allow,
            (false, asks) => match asks() {
                true => Effect::Ask,
                false => Effect::Deny,
            },
        }
    })
}

fn enforcer<'r>(rules: impl Iterator<Item = (&'r Rule, bool)>) -> Enforcer {
    let model = DefaultModel::from_str(MODEL)
        .now_or_never()
        .unwrap()
        .unwrap();
    let made = Enforcer::new(model, MemoryAdapter::default()).now_or_never();
    let mut enforcer = made.unwrap().unwrap();
    enforcer.add_function("subject", OperatorFunction::Arg4(subject));
    enforcer.add_function("matches", OperatorFunction::Arg4(matches));
    let lines = rules.map(|(rule, allows)| {
        let (start, end) = super::ends(rule);
        let eft = if allows { "allow" } else { "deny" };
        [name(rule.kind), start, end, eft]
            .map(str::to_owned)
            .to_vec()
    });
    let added = enforcer.add_policies(lines.collect()).now_or_never();
    added.unwrap().unwrap();
    enforcer
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Tool => "tool",
        Kind::ToolGlob => "glob",
        Kind::Capability => "capability",
        _ => "path",
    }
}

fn subject(kind: Dynamic, tool: Dynamic, capabilities: Dynamic, path: Dynamic) -> Dynamic {
    let kind = kind.into_immutable_string().unwrap();
    match &*kind {
        "tool" | "glob" => tool,
        "capability" => capabilities,
        _ => path,
    }
}

fn matches(subject: Dynamic, kind: Dynamic, start: Dynamic, end: Dynamic) -> Dynamic {
    let [subject, kind, start, end] =
        [subject, kind, start, end].map(|text| text.into_immutable_string().unwrap());
    let fits = |subject: &str| subject.starts_with(&*start) && subject.ends_with(&*end);
    Dynamic::from_bool(match &*kind {
        "tool" => *subject == *start,
        "capability" => subject.split(' ').any(|capability| *capability == *start),
        _ => fits(&subject),
    })
}
