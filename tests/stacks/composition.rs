//! The layers together.

mod questions;
mod tools;

use toolgate::{
    ApprovalDecision, Authorize, Authorized, BlockedAsResultLayer, BlockedKind, Decision, Effect,
    GateLayer, PolicyLayer, PromptLayer, ReviewLayer, Rule, ToolBlocked, ToolCall, ToolConfig,
    ToolRules, ToolRulesLayer,
};
use toolgate_test::{Approver, Reply, Spy, stack};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};

use crate::{always, call};

#[tokio::test]
async fn what_nobody_spoke_for_follows_the_default() {
    let run = async |gate: GateLayer| {
        let tool = Spy::new();
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(gate)
            .service(tool.clone());
        (
            stack
                .oneshot(call("t"))
                .await
                .map_err(|blocked| blocked.kind())
                .err(),
            tool.runs(),
        )
    };
    assert_eq!(
        run(GateLayer::new()).await,
        (Some(BlockedKind::NoHandler), 0)
    );
    assert_eq!(
        run(GateLayer::deny_by_default()).await,
        (Some(BlockedKind::Denied), 0)
    );
    assert_eq!(
        run(GateLayer::dangerous_allow_by_default()).await,
        (None, 1)
    );
}

#[tokio::test]
async fn a_refusal_becomes_a_result_but_not_one_from_inside_the_tool() {
    let told = |blocked: ToolBlocked| blocked.for_model();
    let nested = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(GateLayer::deny_by_default())
        .service_fn(|_: ToolCall<Authorized>| async { Ok::<_, ToolBlocked>(String::new()) });
    let sub_agent =
        service_fn(move |_: ToolCall<Authorized>| nested.clone().oneshot(call("inner")));
    let run = async |decision: Decision| {
        ServiceBuilder::new()
            .layer(BlockedAsResultLayer::new(told))
            .layer(ReviewLayer::new())
            .layer(PolicyLayer::new(always(decision)))
            .layer(GateLayer::new())
            .service(sub_agent.clone())
            .oneshot(call("outer"))
            .await
    };
    let refused = run(Decision::deny("not now")).await.unwrap();
    assert!(
        refused.contains("`outer` did not run") && refused.contains("not now"),
        "{refused}"
    );
    let inside = run(Decision::allow()).await.unwrap_err();
    assert_eq!(inside.tool().name(), "inner");
}

#[tokio::test]
async fn an_error_that_hides_a_refusal_is_only_an_error() {
    #[derive(Debug)]
    struct Opaque;
    impl std::fmt::Display for Opaque {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("opaque")
        }
    }
    impl std::error::Error for Opaque {}

    let tool = Spy::<BoxError>::with_error();
    let approver = Approver::always(Reply::yes());
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .map_err(|_: BoxError| BoxError::from(Opaque))
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(GateLayer::new())
        .service(tool.clone());
    assert!(stack.oneshot(call("t")).await.unwrap_err().is::<Opaque>());
    assert_eq!((approver.asked(), tool.runs()), (0, 0));
}

#[tokio::test]
async fn overrides_take_effect_on_live_stacks() {
    let rules = ToolRules::new([
        ("ask", ToolConfig::needs_approval()),
        ("never", ToolConfig::blocked()),
        ("free", ToolConfig::pre_approved()),
    ])
    .unwrap();
    let guarded = stack([rules.clone()], None, Spy::new());
    let run = async |tool: &str| {
        guarded
            .clone()
            .oneshot(call(tool))
            .await
            .err()
            .map(|b| b.kind())
    };

    assert_eq!(run("free").await, None);
    rules.require_for("free");
    assert_eq!(run("free").await, Some(BlockedKind::NoHandler));
    rules.clear_override("free");
    assert_eq!(run("free").await, None);

    rules.disable_for("never");
    assert_eq!(
        run("never").await,
        Some(BlockedKind::Denied),
        "a deny is never lifted"
    );
    rules.disable_for("ask");
    assert_eq!(
        run("ask").await,
        Some(BlockedKind::NoHandler),
        "the default still asks"
    );
    let open = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(ToolRulesLayer::new(rules.clone()))
        .layer(GateLayer::dangerous_allow_by_default())
        .service(Spy::new());
    assert!(
        open.clone().oneshot(call("ask")).await.is_ok(),
        "the tool's own ask is lifted"
    );
    rules.clear_override("ask");
    assert!(open.oneshot(call("ask")).await.is_err());
}

#[tokio::test]
async fn the_trail_says_who_voted_what() {
    let policies = [
        always(Decision::allow().by(Rule::new("r1"))),
        always(Decision::ask("sure?").by(Rule::new("r2"))),
    ];
    let approver = Approver::always(Reply::Say(ApprovalDecision::approve().with_note("fine")));
    let authorized = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver))
        .layer(PolicyLayer::new(policies[0].clone()).named("outer"))
        .layer(PolicyLayer::new(policies[1].clone()).named("inner"))
        .layer(GateLayer::new())
        .service(Authorize::new())
        .oneshot(call("t"))
        .await
        .unwrap();
    assert_eq!(
        authorized.trail().to_string(),
        "outer: allow by r1\ninner: ask by r2: sure?"
    );
    assert_eq!(authorized.trail().strictest(), Some(Effect::Ask));
    assert_eq!(authorized.note(), Some("fine"));
}
