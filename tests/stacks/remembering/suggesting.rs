//! What a question suggests to be remembered.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use toolgate::{
    AllowedBy, ApprovalDecision, ApprovalRequest, Args, BlockedKind, GateLayer, Grants,
    MemoryLayer, PromptLayer, Remember, ReviewLayer, ToolCall, ToolConfig, ToolRules,
    ToolRulesLayer,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};

use super::{Rig, with, yes};
use crate::call;

#[tokio::test]
async fn the_payload_decides_what_is_the_same_operation() {
    let tool = Spy::new();
    let approver = Approver::script([Reply::Say(yes(Remember::Session))]);
    let rules =
        ToolRules::new([("mail", ToolConfig::needs_approval().remember_by(["to"]))]).unwrap();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().with_tool_rules(rules.clone()))
        .layer(PromptLayer::new(approver.clone()))
        .layer(ToolRulesLayer::new(rules))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(tool.clone());
    let mail =
        |to: &str, body: &str| ToolCall::new("mail", Args::new().with("to", to).with("body", body));
    stack.clone().oneshot(mail("ann", "hello")).await.unwrap();
    stack.clone().oneshot(mail("ann", "again")).await.unwrap();
    assert_eq!(approver.asked(), 1);
    assert!(stack.oneshot(mail("bob", "hello")).await.is_err());
}

#[tokio::test]
async fn suggestions_go_from_exact_to_broad_and_can_be_chosen() {
    let broad = Arc::new(AtomicUsize::new(0));
    let chosen = Arc::clone(&broad);
    let human = service_fn(move |request: ApprovalRequest| {
        let suggestion = request.suggestions[chosen.load(Ordering::SeqCst)].clone();
        async move { Ok::<_, BoxError>(yes(Remember::Session).suggested(&suggestion)) }
    });
    let tool = Spy::new();
    let rules = ToolRules::new([("t", ToolConfig::needs_approval())]).unwrap();
    let run = async |grants: &Grants, args: serde_json::Value| {
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(human.clone()))
            .layer(ToolRulesLayer::new(rules.clone()))
            .layer(MemoryLayer::new(grants.clone()))
            .layer(GateLayer::new())
            .service(tool.clone());
        stack.oneshot(with(args)).await.unwrap();
        tool.allowed_by().pop().unwrap()
    };
    for (choice, same_a, other) in [
        (0, AllowedBy::Human, AllowedBy::Human),
        (1, AllowedBy::Memory, AllowedBy::Human),
        (2, AllowedBy::Memory, AllowedBy::Memory),
    ] {
        let grants = Grants::new();
        broad.store(choice, Ordering::SeqCst);
        assert_eq!(
            run(&grants, json!({"a": 1, "b": 1})).await,
            AllowedBy::Human
        );
        broad.store(0, Ordering::SeqCst);
        assert_eq!(
            run(&grants, json!({"a": 1, "b": 2})).await,
            same_a,
            "choice {choice}"
        );
        assert_eq!(
            run(&grants, json!({"a": 2, "b": 2})).await,
            other,
            "choice {choice}"
        );
    }
}

#[tokio::test]
async fn nothing_broader_is_suggested_where_a_policy_may_deny_by_arguments() {
    let rig = Rig::new([yes(Remember::Session)]);
    rig.run(with(json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(rig.approver.questions()[0].suggestions.len(), 1);
    assert!(rig.grants.is_remembered(&rig.approver.questions()[0]));
}

/// Whoever shows the question cannot make the answer hold for more than was offered.
#[tokio::test]
async fn an_answer_for_more_than_was_offered_is_not_taken() {
    let mut broad = yes(Remember::Always);
    broad.without = vec!["path".into()];
    let rig = Rig::new([broad]);
    let ended = rig
        .run(with(json!({"path": "/tmp/x", "text": "hello"})))
        .await;
    assert_eq!(ended, Err(BlockedKind::HandlerFailed));
    assert!(rig.grants.list().is_empty());
    assert_eq!(rig.tool.runs(), 0);
}

#[tokio::test]
async fn nothing_is_suggested_where_nothing_is_remembered() {
    for remembers in [true, false] {
        let asked = Arc::new(AtomicUsize::new(0));
        let offered = Arc::clone(&asked);
        let human = service_fn(move |request: ApprovalRequest| {
            offered.store(request.suggestions.len(), Ordering::SeqCst);
            async { Ok::<_, BoxError>(ApprovalDecision::approve()) }
        });
        let outside = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(human));
        let gate = GateLayer::new();
        if remembers {
            let memory = MemoryLayer::new(Grants::new());
            let stack = outside.layer(memory).layer(gate).service(Spy::new());
            stack.oneshot(call("t")).await.unwrap();
        } else {
            let stack = outside.layer(gate).service(Spy::new());
            stack.oneshot(call("t")).await.unwrap();
        }
        assert_eq!(asked.load(Ordering::SeqCst) > 0, remembers);
    }
}
