//! Attacks on the end of a run. Each test fails when its hole is put back.

use toolgate::{BlockedKind, ContinuationLayer, Iteration, Origin, Run, RunEnded};
use toolgate_test::{Approver, Reply};
use tower::{ServiceBuilder, ServiceExt};

/// A run that somebody ended makes no more iterations, whatever number they are given.
#[tokio::test]
async fn an_ended_run_does_not_begin_again() {
    let approver = Approver::always(Reply::no());
    let agent = ServiceBuilder::new()
        .layer(ContinuationLayer::new(2, approver.clone()))
        .service_fn(|iteration: Iteration| async move { Ok::<_, RunEnded>(iteration.number()) });
    let run = Run::new(Origin::new());
    assert!(agent.clone().oneshot(run.iteration(1)).await.is_ok());
    assert!(agent.clone().oneshot(run.iteration(2)).await.is_err());
    let ended = agent.oneshot(run.iteration(0)).await.unwrap_err();
    assert_eq!(ended.kind(), BlockedKind::Declined);
    assert_eq!(approver.asked(), 1);
}
