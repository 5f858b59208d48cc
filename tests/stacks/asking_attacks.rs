//! Attacks on asking. Each test fails when its hole is put back.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use toolgate::{
    ApprovalDecision, ApprovalRequest, Authorize, BlockedKind, Broker, Capabilities,
    CapabilityLayer, CapabilityRules, Choice, Decision, Description, EventFilter, GateLayer,
    Grants, MemoryLayer, Mode, ModeSwitch, Origin, PermissionResponse, PolicyLayer, PromptLayer,
    Remember, ReviewLayer, Reviewing, Rule, ToolCall, ToolDecision, Vote, run_batch,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};

use crate::{always, call};

/// A handler that keeps its thread until it is too late has not answered in time.
#[tokio::test]
async fn a_late_answer_is_late_even_if_the_handler_blocked_meanwhile() {
    let slow = service_fn(|_: ApprovalRequest| async {
        std::thread::sleep(Duration::from_millis(30));
        Ok::<_, BoxError>(ApprovalDecision::approve())
    });
    let tool = Spy::new();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(slow).with_deadline(Duration::from_millis(5)))
        .layer(GateLayer::new())
        .service(tool.clone());
    let blocked = stack.oneshot(call("t")).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::TimedOut);
    assert_eq!(tool.runs(), 0);
}

/// What a call is done to may change while somebody thinks; they did not approve of that.
#[tokio::test]
async fn an_answer_covers_only_what_the_question_said_the_call_does() {
    let rounds = Arc::new(AtomicUsize::new(0));
    let describer = service_fn(move |_: ToolCall<Reviewing>| {
        let path = match rounds.fetch_add(1, Ordering::SeqCst) {
            0 => "fs.write(/tmp/notes)",
            _ => "fs.write(/etc/passwd)",
        };
        let description = Description::new().with([path.parse().unwrap()]);
        async move { Ok::<_, BoxError>(description) }
    });
    let rules = CapabilityRules::new([("fs.write", ToolDecision::NeedsApproval)]).unwrap();
    let (tool, approver) = (Spy::new(), Approver::script([Reply::yes(), Reply::no()]));
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe_async(describer))
        .layer(PromptLayer::new(approver.clone()))
        .layer(CapabilityLayer::new(Capabilities::new(rules)))
        .layer(GateLayer::new())
        .service(tool.clone());
    let blocked = stack.oneshot(call("t")).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Declined);
    assert_eq!((approver.asked(), tool.runs()), (2, 0));
}

/// A rule that asks about something else by now asks again, whatever it is called.
#[tokio::test]
async fn an_answer_covers_only_the_operation_its_question_named() {
    let rounds = AtomicUsize::new(0);
    let changing = move |_: &ToolCall<Reviewing>| {
        let subject = match rounds.fetch_add(1, Ordering::SeqCst) {
            0 => "staging",
            _ => "production",
        };
        let vote = Vote::ask("deploys are asked about").by(Rule::new("deploy"));
        Decision::from(vote.with_subject(subject))
    };
    let (tool, approver) = (Spy::new(), Approver::script([Reply::yes(), Reply::no()]));
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(changing))
        .layer(GateLayer::new())
        .service(tool.clone());
    let blocked = stack.oneshot(call("deploy")).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Declined);
    assert_eq!((approver.asked(), tool.runs()), (2, 0));
}

/// Turning strict refuses what is pending, even if it is turned back before anybody looks.
#[tokio::test(start_paused = true)]
async fn a_moment_of_strict_mode_refuses_what_is_pending() {
    let mode = ModeSwitch::default();
    let prompt = PromptLayer::new(Approver::always(Reply::Hang)).with_mode(mode.clone());
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(prompt)
        .layer(GateLayer::new())
        .service(Spy::new());
    let pending = tokio::spawn(stack.oneshot(call("t")));
    tokio::task::yield_now().await;
    mode.set(Mode::Strict);
    mode.set(Mode::Interactive);
    let blocked = pending.await.unwrap().unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Strict);
}

/// The same question put twice must not be counted twice, nor take the first one's place.
#[tokio::test]
async fn a_broker_takes_a_question_once() {
    let broker = Broker::with_limits(2, 8);
    let mut events = broker.subscribe(EventFilter::all());
    let (first, second) = (broker.prompt("first"), broker.prompt("second"));
    let both = service_fn(move |request: ApprovalRequest| {
        let (mut first, mut second) = (first.clone(), second.clone());
        async move {
            let wanted = first.call(request.clone());
            let refused = second.call(request).await;
            assert!(refused.is_err(), "it is open already");
            wanted.await
        }
    });
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(both))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let from = Origin::new().with_session("s");
    for time in 0..4 {
        let running = tokio::spawn(stack.clone().oneshot(call("t").with_origin(from.clone())));
        let Some(toolgate::BrokerEvent::Requested { address, request }) = events.recv().await
        else {
            unreachable!("a question comes first");
        };
        assert_eq!(&*address.source, "first");
        let yes = PermissionResponse::new(request.id, address, Choice::AllowOnce);
        assert!(broker.respond(yes).is_ok(), "{time}");
        assert!(running.await.unwrap().is_ok(), "{time}");
        assert!(matches!(
            events.recv().await,
            Some(toolgate::BrokerEvent::Answered { .. })
        ));
    }
}

/// A question that has its answer is over: dropping its future late closes no other of that id.
#[tokio::test]
async fn an_answered_question_withdraws_no_other() {
    let broker = Broker::new();
    let mut events = broker.subscribe(EventFilter::all());
    let prompt = broker.prompt("tools");
    let again = service_fn(move |request: ApprovalRequest| {
        let mut prompt = prompt.clone();
        async move {
            let mut first = prompt.call(request.clone());
            assert!((&mut first).await?.approved);
            let second = prompt.call(request);
            drop(first);
            second.await
        }
    });
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(again))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let running = tokio::spawn(stack.oneshot(call("t")));
    for _ in 0..2 {
        let (address, id) = loop {
            match events.recv().await {
                Some(toolgate::BrokerEvent::Requested { address, request }) => {
                    break (address, request.id);
                }
                Some(toolgate::BrokerEvent::Answered { .. }) => {}
                other => unreachable!("{other:?}"),
            }
        };
        tokio::task::yield_now().await;
        let yes = PermissionResponse::new(id, address, Choice::AllowOnce);
        assert_eq!(broker.respond(yes), Ok(()));
    }
    assert!(running.await.unwrap().is_ok());
}

/// A call of a batch that has to ask after all has the whole deadline for it.
#[tokio::test(start_paused = true)]
async fn a_settled_call_that_has_to_ask_has_time_for_it() {
    let replies = Arc::new(AtomicUsize::new(0));
    let human = service_fn(move |_: ApprovalRequest| {
        let answer = ApprovalDecision::approve().remembered(Remember::Session);
        let number = replies.fetch_add(1, Ordering::SeqCst);
        async move {
            tokio::time::sleep(Duration::from_secs(8)).await;
            // Enough for one more of the same, but there are two.
            Ok::<_, BoxError>(match number {
                0 => answer.for_uses(1),
                _ => ApprovalDecision::approve(),
            })
        }
    });
    let tool = Spy::new();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human).with_deadline(Duration::from_secs(10)))
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(tool.clone());
    let ended = run_batch(&stack, [call("t"), call("t"), call("t")]).await;
    let kinds: Vec<_> = ended
        .iter()
        .map(|end| end.as_ref().err().map(toolgate::ToolBlocked::kind))
        .collect();
    assert_eq!(kinds, [None, None, None]);
    assert_eq!(tool.runs(), 3);
}
