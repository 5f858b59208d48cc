//! What waits must hold nothing.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use futures_util::FutureExt as _;
use tokio::sync::oneshot;
use toolgate::{
    ApprovalDecision, ApprovalRequest, Args, AsyncPolicyLayer, BlockedKind, Decision, Description,
    GateLayer, PolicyLayer, PromptLayer, ReviewLayer, Reviewing, ToolBlocked, ToolCall,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};

use crate::{always, call};

/// A service that answers when the test says so.
struct Held<T> {
    answers: Arc<Mutex<Vec<oneshot::Sender<T>>>>,
}

impl<T: Send + 'static> Held<T> {
    fn new() -> Self {
        Self {
            answers: Arc::default(),
        }
    }

    fn service<Q: Send + 'static>(
        &self,
    ) -> impl Service<Q, Response = T, Error = BoxError, Future: Send> + Clone + Send + Sync + use<Q, T>
    {
        let answers = Arc::clone(&self.answers);
        service_fn(move |_: Q| {
            let (sender, receiver) = oneshot::channel();
            answers.lock().unwrap().push(sender);
            receiver.map(|answer| answer.map_err(BoxError::from))
        })
    }

    fn answer(&self, answer: T) {
        let sender = self.answers.lock().unwrap().remove(0);
        assert!(sender.send(answer).is_ok(), "somebody still waits");
    }
}

/// Asks about `ask`, allows the rest.
fn ask_about_ask(call: &ToolCall<Reviewing>) -> Decision {
    match call.tool().name() {
        "ask" => Decision::ask("sure?"),
        _ => Decision::allow(),
    }
}

#[tokio::test(start_paused = true)]
async fn an_unanswered_question_does_not_block_other_calls() {
    let tool = Spy::<BoxError>::with_error();
    let human = Held::new();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human.service::<ApprovalRequest>()))
        .layer(PolicyLayer::new(ask_about_ask))
        .layer(GateLayer::new())
        .concurrency_limit(1)
        .service(tool.clone());

    let mut waiting = tokio::spawn(stack.clone().oneshot(call("ask")));
    assert!(
        tokio::time::timeout(Duration::from_secs(1), &mut waiting)
            .await
            .is_err()
    );
    let other = tokio::time::timeout(Duration::from_secs(1), stack.oneshot(call("other"))).await;

    assert!(other.expect("the permit is free").is_ok());
    human.answer(ApprovalDecision::approve());
    assert!(waiting.await.unwrap().is_ok());
    assert_eq!(tool.runs(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_limit_outside_the_gate_is_not_held_either() {
    let tool = Spy::<BoxError>::with_error();
    let human = Held::new();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human.service::<ApprovalRequest>()))
        .concurrency_limit(1)
        .layer(PolicyLayer::new(ask_about_ask))
        .layer(GateLayer::new())
        .service(tool.clone());

    let mut waiting = tokio::spawn(stack.clone().oneshot(call("ask")));
    assert!(
        tokio::time::timeout(Duration::from_secs(1), &mut waiting)
            .await
            .is_err()
    );
    let other = tokio::time::timeout(Duration::from_secs(1), stack.oneshot(call("other"))).await;

    assert!(other.expect("the permit is free").is_ok());
    human.answer(ApprovalDecision::decline());
    assert!(waiting.await.unwrap().is_err());
    assert_eq!(tool.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_thinking_policy_holds_nothing() {
    let tool = Spy::<BoxError>::with_error();
    let policy = Held::new();
    let mut stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(AsyncPolicyLayer::new(
            policy.service::<ToolCall<Reviewing>>(),
        ))
        .layer(GateLayer::new())
        .concurrency_limit(1)
        .service(tool.clone());

    // The same service, not a clone: what it reserved for the first call must not stay with it.
    let first = tokio::spawn(stack.ready().await.unwrap().call(call("a")));
    tokio::task::yield_now().await;
    let second = tokio::spawn(stack.ready().await.unwrap().call(call("b")));
    tokio::task::yield_now().await;
    policy.answer(Decision::allow());
    assert!(
        tokio::time::timeout(Duration::from_secs(1), first)
            .await
            .expect("free")
            .unwrap()
            .is_ok()
    );
    policy.answer(Decision::allow());
    assert!(
        tokio::time::timeout(Duration::from_secs(1), second)
            .await
            .expect("free")
            .unwrap()
            .is_ok()
    );
    assert_eq!(tool.runs(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_thinking_describer_holds_nothing() {
    let tool = Spy::<BoxError>::with_error();
    let describer = Held::new();
    let mut stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe_async(describer.service::<ToolCall<Reviewing>>()))
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .concurrency_limit(1)
        .service(tool.clone());

    let first = tokio::spawn(stack.ready().await.unwrap().call(call("a")));
    tokio::task::yield_now().await;
    let second = tokio::spawn(stack.ready().await.unwrap().call(call("b")));
    tokio::task::yield_now().await;
    for call in [first, second] {
        describer.answer(Description::new());
        let ended = tokio::time::timeout(Duration::from_secs(1), call)
            .await
            .expect("free");
        assert!(ended.unwrap().is_ok());
    }
    assert_eq!(tool.runs(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_failing_describer_or_policy_blocks() {
    let tool = Spy::<BoxError>::with_error();
    let failing = service_fn(|_: ToolCall<Reviewing>| async {
        Err::<Description, _>(std::io::Error::other("no"))
    });
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe_async(failing))
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service(tool.clone());
    let blocked = stack
        .oneshot(call("t"))
        .await
        .unwrap_err()
        .downcast::<ToolBlocked>()
        .unwrap();
    assert_eq!(blocked.kind(), BlockedKind::PolicyFailed);

    let hanging = ServiceBuilder::new()
        .timeout(Duration::from_secs(1))
        .service(service_fn(|_: ToolCall<Reviewing>| {
            std::future::pending::<Result<Decision, BoxError>>()
        }));
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(AsyncPolicyLayer::new(hanging))
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service(tool.clone());
    let blocked = stack
        .oneshot(call("t"))
        .await
        .unwrap_err()
        .downcast::<ToolBlocked>()
        .unwrap();
    assert_eq!(blocked.kind(), BlockedKind::PolicyFailed);
    assert_eq!(tool.runs(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_inside_the_gate_times_the_tool_and_not_the_human() {
    let human = service_fn(|_: ApprovalRequest| async {
        tokio::time::sleep(Duration::from_secs(120)).await;
        Ok::<_, BoxError>(ApprovalDecision::approve())
    });
    let tool = service_fn(|call: ToolCall<toolgate::Authorized>| async move {
        let seconds = if call.tool().name() == "slow" { 60 } else { 1 };
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        Ok::<_, BoxError>(())
    });
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(GateLayer::new())
        .timeout(Duration::from_secs(30))
        .service(tool);

    assert!(stack.clone().oneshot(call("quick")).await.is_ok());
    let error = stack.oneshot(call("slow")).await.unwrap_err();
    assert!(error.is::<tower::timeout::error::Elapsed>());
}

/// What `poll_ready` reserved for a call that is refused, asked about or reviewed again must not
/// stay with the handle that was called.
#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_reach_the_tool_at_once_leaves_no_permit_behind() {
    let tool = Spy::<BoxError>::with_error();
    let decide = |call: &ToolCall<Reviewing>| match call.tool().name() {
        "deny" => Decision::deny("no"),
        "ask" => Decision::ask("sure?"),
        "rewrite" => Decision::allow().with_args(Args::new().with("n", 1)),
        _ => Decision::allow(),
    };
    let mut stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(Approver::always(Reply::yes())))
        .layer(PolicyLayer::new(decide))
        .layer(GateLayer::new())
        .concurrency_limit(1)
        .service(tool.clone());
    let other = stack.clone();

    for name in ["ask", "rewrite", "deny"] {
        let called = stack.ready().await.unwrap().call(call(name));
        let ended = tokio::time::timeout(Duration::from_secs(1), called).await;
        assert_eq!(ended.expect("does not hang").is_ok(), name != "deny");
        let elsewhere =
            tokio::time::timeout(Duration::from_secs(1), other.clone().oneshot(call("t")));
        assert!(
            elsewhere.await.expect("the permit is free").is_ok(),
            "after {name}"
        );
    }
    assert_eq!(tool.runs(), 5);
}
