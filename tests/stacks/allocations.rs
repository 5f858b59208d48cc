//! What the allow path costs in allocations: nothing.

use std::future::Ready;

use futures_util::FutureExt as _;
use toolgate::{
    ApprovalDecision, ApprovalRequest, Args, Authorized, Broker, Capabilities, CapabilityLayer,
    CapabilityRules, Decision, GateLayer, Grants, MemoryLayer, Origin, PolicyLayer, PromptLayer,
    Remember, ReviewLayer, Reviewing, Rule, ToolBlocked, ToolCall, ToolConfig, ToolDecision,
    ToolRules, ToolRulesLayer, future::BrokerFuture,
};
use toolgate_test::{Approver, Reply};
use tower::{Service, ServiceBuilder, ServiceExt};

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

/// A remembered yes costs no allocation either: the lookup compares where it stands.
#[test]
fn a_memory_hit_allocates_nothing_beyond_the_ask_itself() {
    let grants = Grants::new();
    let ask = Decision::ask("sure?").by(Rule::new("r"));
    let policy = move |_: &ToolCall<Reviewing>| ask.clone();
    let remember = ApprovalDecision::approve().remembered(Remember::Session);
    let build = |grants: Grants, reply: Reply| {
        ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(Approver::always(reply)))
            .layer(PolicyLayer::new(policy.clone()))
            .layer(MemoryLayer::new(grants))
            .layer(GateLayer::new())
            .service_fn(tool)
    };
    let call = |n: u64| ToolCall::new("t", Args::new().with("n", n).with("path", "a/b/c"));
    let mut answering = build(grants.clone(), Reply::Say(remember));
    for n in 0..100 {
        assert!(answering.call(call(n)).now_or_never().is_some());
    }
    assert_eq!(grants.list().len(), 100);
    let mut remembering = build(grants, Reply::Fail);
    let known = call(50);
    let measured = allocation_counter::measure(|| {
        let ended = remembering
            .call(std::hint::black_box(&known).clone())
            .now_or_never();
        assert!(ended.unwrap().is_ok());
    });
    assert_eq!(
        measured.count_total, 1,
        "the clone of the call, and nothing else"
    );
}

/// What an open question costs, beside the question itself: in the broker, and in whoever waits.
#[test]
fn an_open_question_costs_few_bytes() {
    // Just after the table has grown, when it has the most room to spare.
    const QUESTIONS: u64 = 58_000;
    let broker = Broker::with_limits(usize::MAX, usize::MAX);
    let blocked = |n: u64| {
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(GateLayer::new())
            .service_fn(tool);
        let origin = Origin::new().with_session(format!("session-{n}"));
        let call = ToolCall::new("t", Args::new()).with_origin(origin);
        stack.oneshot(call).now_or_never().unwrap().unwrap_err()
    };
    let mut requests: Vec<_> = (0..QUESTIONS)
        .map(|n| blocked(n).request().unwrap().clone())
        .collect();
    let own = u64::try_from(size_of::<ApprovalRequest>() - size_of::<BrokerFuture>()).unwrap();
    let mut open = Vec::with_capacity(requests.len());
    let mut prompt = broker.prompt("tools");
    let measured = allocation_counter::measure(|| {
        // The room that they had stays, so that it is not counted as given back.
        for request in requests.drain(..) {
            let mut asking = prompt.call(request);
            assert!((&mut asking).now_or_never().is_none());
            open.push(asking);
        }
    });
    assert_eq!(broker.open().len(), open.len());
    let each = u64::try_from(measured.bytes_current).unwrap() / QUESTIONS - own;
    assert!(each < 400, "{each} bytes for each open question");
    drop(open);
    assert!(broker.open().is_empty());
}
