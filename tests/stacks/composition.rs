//! The layers together.

use serde_json::json;
use toolgate::{
    AllowedBy, AnnotationLayer, AnnotationRules, Annotations, Approval, ApprovalDecision, Args,
    Authorize, Authorized, BlockedAsResultLayer, BlockedKind, Capabilities, CapabilityLayer,
    CapabilityRules, CheckApproval, CheckApprovalLayer, Decision, Effect, GateLayer, MemoryView,
    NoMemory, PolicyLayer, PromptLayer, ReviewLayer, Reviewing, Rule, SelfChecking, Tool,
    ToolBlocked, ToolCall, ToolConfig, ToolDecision, ToolRules, ToolRulesLayer, Toolbox,
    ToolboxErrorKind, Vote,
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
async fn one_question_has_every_rule_that_asked() {
    let approver = Approver::always(Reply::yes());
    let tool = Spy::new();
    let policies = [
        always(Decision::ask("first").by(Rule::new("a"))),
        always(Decision::allow()),
        always(Decision::ask("second").and(Vote::ask("third"))),
    ];
    stack(policies, Some(approver.clone()), tool.clone())
        .oneshot(call("t"))
        .await
        .unwrap();
    assert_eq!(approver.asked(), 1);
    assert_eq!(
        approver.questions()[0].reasons(),
        ["first", "second", "third"]
    );
    assert_eq!(tool.allowed_by(), [AllowedBy::Human]);
}

#[tokio::test]
async fn nobody_is_asked_about_what_is_denied() {
    let approver = Approver::always(Reply::yes());
    let tool = Spy::new();
    let policies = [always(Decision::ask("sure?")), always(Decision::deny("no"))];
    let blocked = stack(policies, Some(approver.clone()), tool.clone())
        .oneshot(call("t"))
        .await;
    assert_eq!(blocked.unwrap_err().kind(), BlockedKind::Denied);
    assert_eq!((approver.asked(), tool.runs()), (0, 0));
}

#[tokio::test]
async fn a_handler_that_fails_or_panics_has_not_approved() {
    for reply in [Reply::Fail, Reply::Panic] {
        let tool = Spy::new();
        let approver = Approver::always(reply);
        let stack = stack(
            [always(Decision::allow().and(Vote::ask("?")))],
            Some(approver),
            tool.clone(),
        );
        let blocked = stack.oneshot(call("t")).await.unwrap_err();
        assert_eq!(blocked.kind(), BlockedKind::HandlerFailed);
        assert!(std::error::Error::source(&blocked).is_some());
        assert_eq!(tool.runs(), 0);
    }
}

#[tokio::test]
async fn edited_arguments_are_judged_like_a_new_call() {
    let small =
        |call: &ToolCall<Reviewing>| match call.args().get("n").and_then(serde_json::Value::as_u64)
        {
            Some(0..=9) => Decision::ask("small"),
            _ => Decision::deny("too large"),
        };
    let n = |n: u64| Args::new().with("n", n);
    let run = async |edited: u64| {
        let tool = Spy::new();
        let approver = Approver::always(Reply::edit(n(edited)));
        let stack = stack([small], Some(approver), tool.clone());
        let blocked = stack.oneshot(ToolCall::new("t", n(1))).await.err();
        (blocked.map(|blocked| blocked.kind()), tool.args())
    };
    assert_eq!(run(2).await, (None, vec![n(2)]));
    assert_eq!(run(10).await, (Some(BlockedKind::Denied), vec![]));
}

#[tokio::test]
async fn an_approval_of_other_arguments_is_asked_again() {
    // Rewrites what was approved, once the answer is there: the approval does not cover that.
    let tool = Spy::new();
    let counts = std::sync::atomic::AtomicU64::new(0);
    let growing = move |_: &ToolCall<Reviewing>| {
        let n = counts.fetch_add(1, std::sync::atomic::Ordering::SeqCst) / 2;
        Decision::ask("sure?").with_args(Args::new().with("n", n))
    };
    let approver = Approver::always(Reply::yes());
    let blocked = stack([growing], Some(approver.clone()), tool.clone())
        .oneshot(call("t"))
        .await;
    assert_eq!(blocked.unwrap_err().kind(), BlockedKind::Unsettled);
    assert!(approver.asked() > 1);
    assert_eq!(tool.runs(), 0);
}

#[tokio::test]
async fn arguments_that_never_settle_are_blocked() {
    let tool = Spy::new();
    let flips = |call: &ToolCall<Reviewing>| {
        let n = call.args().get("n") == Some(&json!(1));
        Decision::allow().with_args(Args::new().with("n", if n { 2 } else { 1 }))
    };
    let blocked = stack([flips], None, tool.clone())
        .oneshot(call("t"))
        .await
        .unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Unsettled);
    assert_eq!(tool.runs(), 0);
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
async fn a_tool_that_requires_approval_is_asked_about_whatever_allows_it() {
    let toolbox = Toolbox::new([
        Tool::sub_agent("delegate", |_| async { Ok::<_, BoxError>("done") }),
        Tool::raw("plain", |_| async { Ok::<_, BoxError>("done") }),
    ])
    .unwrap();
    let rules = ToolRules::default();
    let guarded = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(toolbox.clone()))
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(ToolRulesLayer::new(rules.clone()))
        .layer(GateLayer::new())
        .service(toolbox.clone());

    assert!(guarded.clone().oneshot(call("plain")).await.is_ok());
    let error = guarded.clone().oneshot(call("delegate")).await.unwrap_err();
    let blocked = error.blocked().unwrap();
    assert_eq!(blocked.kind(), BlockedKind::NoHandler);
    assert_eq!(
        blocked.request().unwrap().capabilities[0].name(),
        "agent.spawn"
    );

    rules.disable_for("delegate");
    assert!(guarded.clone().oneshot(call("delegate")).await.is_ok());
    let unknown = guarded.oneshot(call("unknown")).await.unwrap_err();
    assert_eq!(unknown.kind(), ToolboxErrorKind::Unknown);
}

#[tokio::test]
async fn tools_that_check_themselves_are_heard() {
    struct Sandbox;
    impl SelfChecking for Sandbox {
        fn check_approval(&self, call: &ToolCall<Reviewing>, _: &dyn MemoryView) -> Approval {
            match call.tool().name() {
                "read" => Approval::NotNeeded,
                "write" => Approval::Ask(Vote::ask("write?").with_payload(Args::new())),
                "odd" => Approval::Ask(Vote::allow()),
                "escape" => Approval::Blocked("outside".into()),
                _ => Approval::NotMine,
            }
        }
    }
    let layer = CheckApprovalLayer::new(CheckApproval::new(Sandbox, NoMemory::new()));
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(layer)
        .layer(GateLayer::new())
        .service(Authorize::new());
    let run = async |tool: &str| {
        stack
            .clone()
            .oneshot(call(tool))
            .await
            .err()
            .map(|b| b.kind())
    };
    assert_eq!(run("read").await, None);
    assert_eq!(run("write").await, Some(BlockedKind::NoHandler));
    assert_eq!(run("odd").await, Some(BlockedKind::Denied));
    assert_eq!(run("escape").await, Some(BlockedKind::Denied));
    assert_eq!(run("other").await, Some(BlockedKind::NoHandler));
}

#[tokio::test]
async fn a_describer_that_cannot_tell_blocks_the_call() {
    let toolbox = Toolbox::new([Tool::raw("t", |_| async { Ok::<_, BoxError>("ran") })
        .with_capabilities_by_args(|_| Err("no idea".into()))])
    .unwrap();
    let guarded = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(toolbox.clone()))
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service(toolbox);
    let error = guarded.oneshot(call("t")).await.unwrap_err();
    assert_eq!(error.blocked().unwrap().kind(), BlockedKind::PolicyFailed);
}

#[tokio::test]
async fn annotations_only_raise_what_is_required() {
    let run = async |annotations: Annotations, allowed: bool| {
        let vote = if allowed {
            Decision::allow()
        } else {
            Decision::abstain()
        };
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(AnnotationLayer::new(
                AnnotationRules::new().ask_if_open_world(),
            ))
            .layer(PolicyLayer::new(always(vote)))
            .layer(GateLayer::new())
            .service(Authorize::new());
        stack
            .oneshot(call("t").with_annotations(annotations))
            .await
            .is_ok()
    };
    let harmless = Annotations::new()
        .with_read_only(true)
        .with_destructive(false);
    assert!(run(harmless, true).await);
    assert!(!run(harmless, false).await, "a claim allows nothing");
    assert!(!run(Annotations::new().with_destructive(true), true).await);
    assert!(!run(Annotations::new().with_open_world(true), true).await);
}

#[tokio::test]
async fn what_a_tool_of_the_toolbox_says_of_itself_is_heard() {
    let toolbox = Toolbox::new([Tool::raw("rm", |_| async { Ok::<_, BoxError>("gone") })
        .with_annotations(Annotations::new().with_destructive(true))])
    .unwrap();
    let guarded = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(toolbox.clone()))
        .layer(AnnotationLayer::new(AnnotationRules::new()))
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service(toolbox);
    for claims in [
        Annotations::new(),
        Annotations::new().with_destructive(false),
    ] {
        let proposed = call("rm").with_annotations(claims);
        let error = guarded.clone().oneshot(proposed).await.unwrap_err();
        assert_eq!(error.blocked().unwrap().kind(), BlockedKind::NoHandler);
    }
}

#[tokio::test]
async fn nobody_is_asked_when_the_answer_would_come_too_late() {
    let approver = Approver::always(Reply::yes());
    let tool = Spy::new();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().with_max_rounds(1))
        .layer(PromptLayer::new(approver.clone()))
        .layer(GateLayer::new())
        .service(tool.clone());
    let blocked = stack.oneshot(call("t")).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Unsettled);
    assert_eq!((approver.asked(), tool.runs()), (0, 0));
}

#[tokio::test]
async fn configuration_overrides_a_blocked_capability_but_no_other_deny() {
    let tool_rules = ToolRules::new([(
        "shell",
        ToolConfig::pre_approved().with_capabilities(["proc.exec".parse().unwrap()]),
    )])
    .unwrap();
    let rules = CapabilityRules::new([("proc.exec", ToolDecision::Blocked)]).unwrap();
    let run = async |capabilities: Capabilities, other: Decision| {
        ServiceBuilder::new()
            .layer(ReviewLayer::new().with_tool_rules(tool_rules.clone()))
            .layer(CapabilityLayer::new(capabilities))
            .layer(PolicyLayer::new(always(other)))
            .layer(GateLayer::new())
            .service(Authorize::new())
            .oneshot(call("shell"))
            .await
            .is_ok()
    };
    let plain = Capabilities::new(rules);
    let overriding = plain.clone().with_tool_rules(tool_rules.clone());
    assert!(!run(plain, Decision::allow()).await);
    assert!(run(overriding.clone(), Decision::abstain()).await);
    assert!(!run(overriding, Decision::deny("no")).await);
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

#[tokio::test]
async fn a_question_shows_what_cannot_be_seen() {
    let approver = Approver::always(Reply::no());
    let args = Args::new().with("a\u{1b}[2K", "x\u{202e}y");
    let stack = stack(
        [always(Decision::ask("?"))],
        Some(approver.clone()),
        Spy::new(),
    );
    stack.oneshot(ToolCall::new("t", args)).await.unwrap_err();
    let description = approver.questions()[0].description.clone();
    assert_eq!(&*description, r#"t("a\u001b[2K"="x\u{202e}y")"#);
}
