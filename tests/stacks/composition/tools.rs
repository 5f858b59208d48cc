//! What tools say of themselves, and what is said of them.

use toolgate::{
    AnnotationLayer, AnnotationRules, Annotations, Approval, Args, Authorize, BlockedKind,
    Capabilities, CapabilityLayer, CapabilityRules, CheckApproval, CheckApprovalLayer, Decision,
    GateLayer, MemoryView, NoMemory, PolicyLayer, ReviewLayer, Reviewing, SelfChecking, Tool,
    ToolCall, ToolConfig, ToolDecision, ToolRules, ToolRulesLayer, Toolbox, ToolboxErrorKind, Vote,
};
use tower::{BoxError, ServiceBuilder, ServiceExt};

use crate::{always, call};

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
