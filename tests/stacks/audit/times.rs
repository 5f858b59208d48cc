//! Calls that take time, and calls that do not come to their end.

use std::time::Duration;

use tokio::time::sleep;
use toolgate::{
    AllowedBy, ApprovalDecision, ApprovalRequest, AsyncPolicyLayer, AuditOutcome, Authorized,
    Decision, Effect, GateLayer, PolicyLayer, PromptLayer, ReviewLayer, Reviewing, ToolCall,
};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn, util::BoxCloneSyncService};

use super::Log;
use crate::call;

/// A stack whose policy asks about "asked" and panics for "panics", and whose tool takes two
/// seconds and then fails or panics if it is called so.
fn slow(log: &Log) -> BoxCloneSyncService<ToolCall, (), BoxError> {
    let human = service_fn(|_: ApprovalRequest| async {
        sleep(Duration::from_secs(7)).await;
        Ok::<_, BoxError>(ApprovalDecision::approve())
    });
    let policy = |call: &ToolCall<Reviewing>| match call.tool().name() {
        "asked" => Decision::ask("sure?"),
        "panics" => panic!("a policy that panics"),
        _ => Decision::allow(),
    };
    let stack = ServiceBuilder::new()
        .layer(log.layer())
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::new())
        .service_fn(|call: ToolCall<Authorized>| async move {
            sleep(Duration::from_secs(2)).await;
            match call.tool().name() {
                "fails" => Err(BoxError::from("broken")),
                "breaks" => panic!("a tool that panics"),
                _ => Ok(()),
            }
        });
    BoxCloneSyncService::new(stack)
}

#[tokio::test(start_paused = true)]
async fn waiting_and_running_are_told_apart() {
    let log = Log::default();
    for (tool, waited_us, ran_us) in [("free", 0, 2_000_000), ("asked", 7_000_000, 2_000_000)] {
        slow(&log).oneshot(call(tool)).await.unwrap();
        let record = log.only();
        assert_eq!(
            (record.waited_us, record.ran_us),
            (waited_us, ran_us),
            "{tool}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn being_judged_is_neither() {
    let log = Log::default();
    let human = service_fn(|_: ApprovalRequest| async {
        sleep(Duration::from_secs(7)).await;
        Ok::<_, BoxError>(ApprovalDecision::approve())
    });
    let slow_policy = service_fn(|_: ToolCall<Reviewing>| async {
        sleep(Duration::from_secs(3)).await;
        Ok::<_, BoxError>(Decision::ask("sure?"))
    });
    let stack = ServiceBuilder::new()
        .layer(log.layer())
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(AsyncPolicyLayer::new(slow_policy))
        .layer(GateLayer::new())
        .service_fn(|_: ToolCall<Authorized>| async { Ok::<_, BoxError>(()) });
    stack.oneshot(call("t")).await.unwrap();
    let record = log.only();
    assert_eq!((record.waited_us, record.ran_us), (7_000_000, 0));
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_turn_counts_as_waiting() {
    let log = Log::default();
    let stack = slow(&log);
    let calls = [(); 2].map(|()| stack.clone().oneshot(call("asked")));
    futures_util::future::join_all(calls).await;
    let records = log.0.lock().unwrap().clone();
    let waited: Vec<_> = records.iter().map(|record| record.waited_us).collect();
    assert_eq!(waited, [7_000_000, 14_000_000]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_or_panics_has_failed() {
    let log = Log::default();
    let failed = AuditOutcome::Failed {
        by: Some(AllowedBy::Rules),
    };
    assert!(slow(&log).oneshot(call("fails")).await.is_err());
    let record = log.only();
    assert_eq!(
        (record.outcome, record.runs, record.ran_us),
        (failed, 1, 2_000_000)
    );
    let task = tokio::spawn(slow(&log).oneshot(call("breaks")));
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!(log.only().outcome, failed);
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_panics_has_failed_and_the_tool_never_ran() {
    let log = Log::default();
    let task = tokio::spawn(slow(&log).oneshot(call("panics")));
    assert!(task.await.unwrap_err().is_panic());
    let record = log.only();
    assert_eq!(
        (record.outcome, record.runs),
        (AuditOutcome::Failed { by: None }, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_is_recorded_as_dropped() {
    let log = Log::default();
    for (after, by, runs, waited_us, ran_us) in [
        (3, None, 0, 3_000_000, 0),
        (8, Some(AllowedBy::Human), 1, 7_000_000, 1_000_000),
    ] {
        let task = tokio::spawn(slow(&log).oneshot(call("asked")));
        sleep(Duration::from_secs(after)).await;
        task.abort();
        let _ = task.await;
        let record = log.only();
        assert_eq!(
            (record.outcome, record.runs),
            (AuditOutcome::Dropped { by }, runs)
        );
        assert_eq!((record.waited_us, record.ran_us), (waited_us, ran_us));
        assert_eq!(record.rules[0].effect, Effect::Ask, "what it waited for");
    }
    let mut stack = slow(&log);
    drop(tower::Service::call(
        stack.ready().await.unwrap(),
        call("free"),
    ));
    assert_eq!(log.only().runs, 1, "never polled, but the tool was called");
}
