//! What the allow path costs in allocations: nothing.

use std::future::Ready;

use futures_util::FutureExt as _;
use toolgate::{
    Args, Authorized, Capabilities, CapabilityLayer, CapabilityRules, GateLayer, PromptLayer,
    ReviewLayer, ToolBlocked, ToolCall, ToolConfig, ToolDecision, ToolRules, ToolRulesLayer,
};
use toolgate_test::{Approver, Reply};
use tower::{Service, ServiceBuilder};

/// A stack of every synchronous layer, with `rules` rules of each kind.
fn stack(
    rules: usize,
) -> impl Service<ToolCall, Response = usize, Error = ToolBlocked, Future: Future> + Clone {
    let capability = |name: String| name.parse().unwrap();
    let tools = (0..rules).map(|n| match n % 3 {
        0 => (format!("tool_{n}"), ToolConfig::pre_approved()),
        1 => (format!("prefix_{n}_*"), ToolConfig::needs_approval()),
        _ => (format!("*_suffix_{n}"), ToolConfig::blocked()),
    });
    let read = ToolConfig::pre_approved()
        .with_capabilities([
            capability("fs.read".to_owned()),
            capability("cap.3".to_owned()),
        ])
        .remember_by(["path"]);
    let tool_rules = ToolRules::new(tools.chain([("read_file".to_owned(), read)])).unwrap();
    let capabilities = (0..rules)
        .map(|n| (format!("cap.{n}"), ToolDecision::PreApproved))
        .chain([("fs.*".to_owned(), ToolDecision::PreApproved)]);
    let capabilities = Capabilities::new(CapabilityRules::new(capabilities).unwrap())
        .with_tool_rules(ToolRules::default());
    ServiceBuilder::new()
        .layer(ReviewLayer::new().with_tool_rules(tool_rules.clone()))
        .layer(PromptLayer::new(Approver::always(Reply::no())))
        .layer(ToolRulesLayer::new(tool_rules))
        .layer(CapabilityLayer::new(capabilities))
        .layer(GateLayer::new())
        .service_fn(tool)
}

#[expect(clippy::needless_pass_by_value, reason = "a tool takes its call")]
fn tool(call: ToolCall<Authorized>) -> Ready<Result<usize, ToolBlocked>> {
    std::future::ready(Ok(call.args().len()))
}

#[test]
fn the_allow_path_allocates_nothing() {
    for rules in [10, 1_000] {
        let mut stack = stack(rules.max(4));
        let proposed = ToolCall::new("read_file", Args::new().with("path", "notes.txt"));
        let mut run = |call: ToolCall| stack.call(call).now_or_never();
        run(proposed.clone());
        let measured = allocation_counter::measure(|| {
            let call = std::hint::black_box(&proposed).clone();
            assert!(run(call).is_some());
        });
        let cloning = allocation_counter::measure(|| drop(std::hint::black_box(&proposed).clone()));
        assert_eq!(
            measured.count_total, cloning.count_total,
            "with {rules} rules"
        );
        assert_eq!(
            cloning.count_total, 1,
            "a clone of a call is one allocation"
        );
    }
}
