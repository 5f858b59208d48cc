//! Too much of something, and attention wasted. Each test fails when its hole is put back.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use toolgate::{
    AllowedBy, ApprovalDecision, Args, AskHandle, Authorize, BlockedKind, GateLayer, Grants,
    MemoryLayer, Mode, ModeSwitch, PromptLayer, Question, Remember, ReviewLayer, ToolCall,
    ToolConfig, ToolRules, ToolRulesLayer, approval_channel,
};
use toolgate_test::{Approver, Reply};
use tower::{ServiceBuilder, ServiceExt};

use crate::call;

/// A call with very many arguments must not make a question that grows with their square.
#[tokio::test]
async fn many_arguments_do_not_make_many_suggestions() {
    let approver = Approver::always(Reply::no());
    let rules = ToolRules::new([("t", ToolConfig::needs_approval())]).unwrap();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()).dangerous_any_size())
        .layer(ToolRulesLayer::new(rules))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let args: Map<String, Value> = (0..2_000).map(|n| (format!("k{n}"), json!(n))).collect();
    let args = Args::from(args);
    stack.oneshot(ToolCall::new("t", args)).await.unwrap_err();
    let question = approver.questions().pop().unwrap();
    let named: usize = question.suggestions.iter().map(|s| s.without.len()).sum();
    assert!(named <= 2_000, "{named} keys in suggestions");
    assert!(question.suggestions[0].without.is_empty());
    assert!(question.suggestions[0].text.contains("k1999"));
}

/// Answers that differ in nothing but their name are kept and forgotten in little time each.
#[tokio::test]
async fn many_questions_without_a_payload_are_not_one_heap() {
    let grants = Grants::new();
    let yes = ApprovalDecision::approve().remembered(Remember::Session);
    let asker = AskHandle::new(Approver::always(Reply::Say(yes))).with_memory(grants.clone());
    asker.ask(Question::new("t", "first?")).await.unwrap();
    let first = grants.list().pop().unwrap();
    let began = Instant::now();
    let kept: Vec<_> = (0..60_000)
        .map(|n| {
            let mut grant = first.clone();
            grant.subject = Some(format!("{n}?").into());
            grants.add(grant)
        })
        .collect();
    let again = asker.ask(Question::new("t", "59999?")).await.unwrap();
    assert_eq!(again.allowed_by(), AllowedBy::Memory);
    assert!(kept.into_iter().all(|id| grants.revoke(id)));
    assert_eq!(grants.list().len(), 1);
    let took = began.elapsed();
    // Some hundred milliseconds; with the hole it takes minutes.
    assert!(took < Duration::from_secs(30), "{took:?}");
}

/// A channel as wide as can be is a channel.
#[test]
fn a_channel_may_be_as_wide_as_one_likes() {
    drop(approval_channel(usize::MAX));
    drop(approval_channel(0));
}

/// Nobody is shown a question that was taken back before they looked.
#[tokio::test]
async fn a_channel_leaves_out_what_was_withdrawn() {
    let (prompt, mut questions) = approval_channel(8);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let run = |tool| tokio::spawn(stack.clone().oneshot(call(tool)));
    for _ in 0..2 {
        let given_up = run("gone");
        tokio::task::yield_now().await;
        given_up.abort();
        assert!(given_up.await.is_err());
        let running = run("there");
        let question = questions.recv().await.unwrap();
        assert_eq!(question.request().tool.name(), "there");
        question.approve().unwrap();
        assert!(running.await.unwrap().is_ok());
    }
}

/// Where one prompt of a stack is strict, none asks.
#[tokio::test]
async fn nobody_is_asked_inside_of_a_strict_prompt() {
    let inner = Approver::always(Reply::yes());
    let strict = ModeSwitch::new(Mode::Strict);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(Approver::always(Reply::yes())).with_mode(strict))
        .layer(PromptLayer::new(inner.clone()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let blocked = stack.oneshot(call("t")).await.unwrap_err();
    assert_eq!((blocked.kind(), inner.asked()), (BlockedKind::Strict, 0));
}
