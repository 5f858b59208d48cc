//! Stacks and policies to measure.

use std::{
    future::{Ready, ready},
    sync::{Arc, Mutex},
};

use futures_util::FutureExt as _;
use toolgate::{
    ApprovalDecision, ApprovalRequest, Args, Authorize, Authorized, Capabilities, Capability,
    CapabilityLayer, CapabilityMap, CapabilityRules, Decision, Effect, GateLayer, Grants,
    MemoryLayer, Origin, PolicyLayer, PromptLayer, ReviewLayer, Reviewing, ToolBlocked, ToolCall,
    ToolConfig, ToolDecision, ToolRules, ToolRulesLayer,
};
use toolgate_policy::{FilePolicy, Files, Format, Look, Settings, parse_policy};
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};

use crate::workload::{Call, Kind, Workload};

/// A stack as it is measured: what it authorises comes back, so that nobody pays for taking a call
/// apart.
pub(crate) trait Tools:
    Service<ToolCall, Response = ToolCall<Authorized>, Error = ToolBlocked> + Clone + 'static
{
}

impl<S> Tools for S where
    S: Service<ToolCall, Response = ToolCall<Authorized>, Error = ToolBlocked> + Clone + 'static
{
}

/// Review, prompt, rules by tool, rules by capability, memory and gate. Whoever is asked says
/// `answer`.
pub(crate) fn layers(
    workload: &Workload,
    calls: &[Call],
    grants: Grants,
    answer: ApprovalDecision,
) -> impl Tools + use<> {
    let by_tool = workload
        .rules
        .iter()
        .filter(|rule| matches!(rule.kind, Kind::Tool | Kind::ToolGlob));
    let by_tool = by_tool.map(|rule| (&*rule.pattern, config(rule.effect)));
    let by_capability = workload
        .rules
        .iter()
        .filter(|rule| rule.kind == Kind::Capability);
    let by_capability = by_capability.map(|rule| (&*rule.pattern, decision(rule.effect)));
    let human = service_fn(move |_: ApprovalRequest| ready(Ok::<_, BoxError>(answer.clone())));
    ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(labels(calls)))
        .layer(PromptLayer::new(human).without_deadline())
        .layer(ToolRulesLayer::new(ToolRules::new(by_tool).unwrap()))
        .layer(CapabilityLayer::new(Capabilities::new(
            CapabilityRules::new(by_capability).unwrap(),
        )))
        .layer(MemoryLayer::new(grants))
        .layer(GateLayer::new())
        .service(Authorize::new())
}

/// A service without a layer.
pub(crate) fn bare(call: ToolCall) -> Ready<Result<ToolCall, ToolBlocked>> {
    ready(Ok(call))
}

fn config(effect: Effect) -> ToolConfig {
    match effect {
        Effect::Allow => ToolConfig::pre_approved(),
        Effect::Ask => ToolConfig::needs_approval(),
        Effect::Deny => ToolConfig::blocked(),
    }
}

fn decision(effect: Effect) -> ToolDecision {
    match effect {
        Effect::Allow => ToolDecision::PreApproved,
        Effect::Ask => ToolDecision::NeedsApproval,
        Effect::Deny => ToolDecision::Blocked,
    }
}

/// Says what the calls can do.
fn labels(calls: &[Call]) -> CapabilityMap {
    let parse = |name: &String| name.parse::<Capability>().unwrap();
    let labelled = calls.iter().filter(|call| !call.capabilities.is_empty());
    CapabilityMap::new(labelled.map(|call| {
        let labels: Vec<_> = call.capabilities.iter().map(parse).collect();
        (&*call.tool, labels)
    }))
}

/// The call as a runtime makes it.
pub(crate) fn proposed(call: &Call) -> ToolCall {
    let args = Args::try_from(serde_json::Value::Object(call.args.clone())).unwrap();
    ToolCall::new(&*call.tool, args).with_origin(Origin::new().with_session("s"))
}

/// The call as policies see it, with its labels.
pub(crate) fn reviewing(call: &Call) -> ToolCall<Reviewing> {
    let seen = Arc::new(Mutex::new(None));
    let place = Arc::clone(&seen);
    let look = move |call: &ToolCall<Reviewing>| {
        *place.lock().unwrap() = Some(call.clone());
        Decision::allow()
    };
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(labels(std::slice::from_ref(call))))
        .layer(PolicyLayer::new(look))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let ended = stack.oneshot(proposed(call)).now_or_never();
    assert!(ended.unwrap().is_ok());
    let call = seen.lock().unwrap().take();
    call.unwrap()
}

/// The rules as a compiled policy.
pub(crate) fn policy(workload: &Workload) -> FilePolicy {
    load(&workload.policy_file())
}

/// Reads and compiles a policy file.
pub(crate) fn load(text: &str) -> FilePolicy {
    let settings = Settings::new().with_base("/workspace").with_files(Plain);
    let parsed = parse_policy(text, Format::Toml).unwrap_or_else(|e| panic!("{e}"));
    parsed
        .compile(None, &settings)
        .unwrap_or_else(|e| panic!("{e}"))
}

/// A file system without links, that answers at once: what the system takes is not measured.
#[derive(Clone, Copy, Debug)]
struct Plain;

impl Files for Plain {
    fn look(&self, path: &str) -> Look {
        match path
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.'))
        {
            true => Look::File { links: 1 },
            false => Look::Directory,
        }
    }
}
