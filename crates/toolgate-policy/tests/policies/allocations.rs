//! What judging an allowed call costs in allocations.

use std::{
    hint::black_box,
    sync::{Arc, Mutex},
};

use futures_util::FutureExt as _;
use toolgate::{
    Args, Authorize, Capability, CapabilityMap, Decision, Effect, GateLayer, Policy, PolicyLayer,
    ReviewLayer, Reviewing, ToolCall,
};
use toolgate_policy::{FakeFiles, FilePolicy};
use tower::{ServiceBuilder, ServiceExt};

use super::policy_over;

/// A policy with so many rules in every section, and one more that the calls here are about.
fn policy(rules: usize) -> FilePolicy {
    let list = |rule: &dyn Fn(usize) -> String| (0..rules).map(rule).collect::<String>();
    let text = format!(
        r#"
        [tools]
        allow = [{} "list_issues"]
        deny = ["drop_*"]
        [capabilities]
        allow = [{} "mail.read"]
        [write]
        allow = [{} "src/**"]
        "#,
        list(&|n| format!("'tool_{n}', 'get_{n}_*', ")),
        list(&|n| format!("'cap.c{n}', ")),
        list(&|n| format!("'dir{n}/**', ")),
    );
    policy_over(&text, FakeFiles::new())
}

/// A call as policies see it.
fn reviewing(call: ToolCall) -> ToolCall<Reviewing> {
    let mail: Capability = "mail.read".parse().unwrap();
    let seen = Arc::new(Mutex::new(None));
    let place = Arc::clone(&seen);
    let look = move |call: &ToolCall<Reviewing>| {
        *place.lock().unwrap() = Some(call.clone());
        Decision::allow()
    };
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(CapabilityMap::new([("read_mail", [mail])])))
        .layer(PolicyLayer::new(look))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let ended = stack.oneshot(call).now_or_never();
    assert!(ended.unwrap().is_ok());
    let call = seen.lock().unwrap().take();
    call.unwrap()
}

/// How often judging a call allocates, with few rules and with many. It is allowed by `rule`.
fn allocations(call: ToolCall, rule: &str) -> [u64; 2] {
    let call = reviewing(call);
    [10, 1_000].map(|rules| {
        let policy = policy(rules);
        let decision = policy.decide(&call);
        let [vote] = decision.votes() else {
            panic!("{decision:?}");
        };
        assert_eq!(vote.effect(), Effect::Allow);
        assert_eq!(vote.rule().unwrap().id(), rule);
        let decide = || drop(black_box(policy.decide(black_box(&call))));
        allocation_counter::measure(decide).count_total
    })
}

#[test]
fn an_allow_by_a_rule_over_tools_allocates_nothing() {
    let call = ToolCall::new("list_issues", Args::new().with("repo", "a/b"));
    assert_eq!(allocations(call, "tools.allow: list_issues"), [0, 0]);
}

#[test]
fn an_allow_by_a_rule_over_capabilities_allocates_nothing() {
    let call = ToolCall::new("read_mail", Args::new().with("folder", "inbox"));
    assert_eq!(allocations(call, "capabilities.allow: mail.read"), [0, 0]);
}

#[test]
fn an_allow_by_a_rule_over_paths_allocates_only_to_resolve_the_path() {
    let args = Args::new()
        .with("path", "src/deep/main.rs")
        .with("content", "x");
    let call = ToolCall::new("write_file", args);
    // The path by what it says, the path from the root, and where it leads.
    assert_eq!(allocations(call, "write.allow: src/**"), [3, 3]);
}
