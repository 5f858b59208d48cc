use tower::{ServiceExt, service_fn};

use super::*;
use crate::{Args, BlockedKind, ToolBlocked, blocked::Stage, round::Token};

fn approver()
-> impl Service<ApprovalRequest, Response = ApprovalDecision, Error = std::io::Error, Future: Send>
+ Clone {
    service_fn(|_: ApprovalRequest| async { Ok(ApprovalDecision::approve()) })
}

fn reviewing(token: Token) -> ToolCall<Reviewing> {
    ToolCall::new("t", Args::new()).review(token, 8)
}

/// Sends a call of one review through a prompt whose inner service returns an open call of
/// `token`, and says whether somebody was asked.
async fn asked_about(stage: Stage, token: Token) -> bool {
    let inner = service_fn(move |_: ToolCall<Reviewing>| async move {
        Err::<(), _>(ToolBlocked::pending(reviewing(token), stage))
    });
    let prompt = PromptLayer::new(approver()).layer(inner);
    let blocked = prompt.oneshot(reviewing(Token(1, 1))).await.unwrap_err();
    let pending = blocked.into_pending(token).ok().unwrap();
    pending.stage == Stage::Answered && pending.call.round().answer.is_some()
}

#[tokio::test]
async fn asks_about_an_open_call_of_its_own_review() {
    assert!(asked_about(Stage::Open, Token(1, 1)).await);
}

#[tokio::test]
async fn leaves_an_open_call_of_another_review_alone() {
    assert!(!asked_about(Stage::Open, Token(1, 2)).await);
    assert!(!asked_about(Stage::Open, Token(2, 1)).await);
}

#[tokio::test]
async fn asks_nobody_while_a_review_is_owed() {
    assert!(!asked_about(Stage::ReviewOwed, Token(1, 1)).await);
}

#[tokio::test]
async fn leaves_other_refusals_alone() {
    let inner = service_fn(|call: ToolCall<Reviewing>| async move {
        Err::<(), _>(ToolBlocked::denied(&call, "no"))
    });
    let prompt = PromptLayer::new(approver()).layer(inner);
    let blocked = prompt.oneshot(reviewing(Token(1, 1))).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Denied);
}
