//! What is asked, and what an answer covers.

use serde_json::json;
use toolgate::{
    AllowedBy, Args, BlockedKind, Decision, GateLayer, PromptLayer, ReviewLayer, Reviewing, Rule,
    ToolCall, Vote,
};
use toolgate_test::{Approver, Reply, Spy, stack};
use tower::{ServiceBuilder, ServiceExt};

use crate::{always, call};

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
