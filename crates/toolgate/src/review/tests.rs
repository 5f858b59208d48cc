use std::sync::atomic::AtomicUsize;

use tower::{ServiceExt, service_fn};

use super::*;
use crate::{Args, BlockedKind, ToolBlocked, blocked::Stage};

/// Reviews a call with an inner service that returns `stage`, for the call's own review or for
/// another one. Says how often it was sent in, and how it ended.
async fn reviewed(stage: Stage, own: bool) -> (usize, ToolBlocked) {
    let rounds = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&rounds);
    let inner = service_fn(move |mut call: ToolCall<Reviewing>| {
        counted.fetch_add(1, Ordering::SeqCst);
        if !own {
            call.round_mut().token = Token(0, u64::MAX);
        }
        async move { Err::<(), _>(ToolBlocked::pending(call, stage)) }
    });
    let review = ReviewLayer::new().with_max_rounds(3).layer(inner);
    let blocked = review
        .oneshot(ToolCall::new("t", Args::new()))
        .await
        .unwrap_err();
    (rounds.load(Ordering::SeqCst), blocked)
}

#[tokio::test]
async fn an_open_call_ends_as_nobody_to_ask() {
    let (rounds, blocked) = reviewed(Stage::Open, true).await;
    assert_eq!((rounds, blocked.kind()), (1, BlockedKind::NoHandler));
    assert!(blocked.request().is_some());
}

#[tokio::test]
async fn the_rounds_of_a_call_are_bounded() {
    for stage in [Stage::ReviewOwed, Stage::Answered] {
        let (rounds, blocked) = reviewed(stage, true).await;
        assert_eq!((rounds, blocked.kind()), (3, BlockedKind::Unsettled));
    }
}

#[tokio::test]
async fn a_call_of_another_review_is_not_sent_in_again() {
    for stage in [Stage::Open, Stage::ReviewOwed, Stage::Answered] {
        let (rounds, blocked) = reviewed(stage, false).await;
        assert_eq!((rounds, blocked.kind()), (1, BlockedKind::NoHandler));
        assert!(
            blocked.into_pending(Token(0, u64::MAX)).is_ok(),
            "it is handed on as it is"
        );
    }
}

#[test]
fn no_two_calls_have_the_same_token() {
    let service = ReviewLayer::new().layer(());
    let other = ReviewLayer::new().layer(());
    let tokens = [
        service.shared.token(),
        service.shared.token(),
        other.shared.token(),
    ];
    assert!(tokens[0] != tokens[1] && tokens[0] != tokens[2] && tokens[1] != tokens[2]);
}
