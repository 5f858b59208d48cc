//! Asking by events and over a channel.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt as _, StreamExt as _};
use toolgate::{
    Address, AllowedBy, ApprovalRequest, Args, AskErrorKind, BlockedKind, Broker, BrokerEvent,
    Choice, Decision, EventFilter, GateLayer, Grants, MemoryLayer, Origin, PermissionResponse,
    PolicyLayer, PromptLayer, RespondErrorKind, ReviewLayer, Subscription, ToolBlocked, ToolCall,
    approval_channel,
};
use toolgate_test::Spy;
use tower::{ServiceBuilder, ServiceExt};

use crate::{always, call};

type Running = tokio::task::JoinHandle<Result<serde_json::Value, ToolBlocked>>;

/// A stack that asks a broker about everything.
struct Rig {
    broker: Broker,
    tool: Spy,
    grants: Grants,
    deadline: Duration,
    editable: bool,
}

impl Rig {
    fn new(broker: Broker) -> Self {
        let (tool, grants) = (Spy::new(), Grants::new());
        Self {
            broker,
            tool,
            grants,
            deadline: Duration::from_secs(60),
            editable: true,
        }
    }

    fn start(&self, call: ToolCall) -> Running {
        let prompt = PromptLayer::new(self.broker.prompt("tools")).with_deadline(self.deadline);
        let prompt = if self.editable {
            prompt
        } else {
            prompt.without_editing()
        };
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(prompt)
            .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
            .layer(MemoryLayer::new(self.grants.clone()))
            .layer(GateLayer::new())
            .service(self.tool.clone());
        tokio::spawn(stack.oneshot(call))
    }

    fn respond(&self, response: PermissionResponse) -> Option<RespondErrorKind> {
        self.broker
            .respond(response)
            .err()
            .map(toolgate::RespondError::kind)
    }
}

async fn requested(events: &mut Subscription) -> (Address, Arc<ApprovalRequest>) {
    match events.recv().await.unwrap() {
        BrokerEvent::Requested { address, request } => (address, request),
        other => unreachable!("{other:?}"),
    }
}

fn from(session: &str) -> ToolCall {
    call("t").with_origin(Origin::new().with_session(session))
}

async fn kind(running: Running) -> BlockedKind {
    running.await.unwrap().unwrap_err().kind()
}

#[tokio::test(start_paused = true)]
async fn an_answer_counts_once() {
    let rig = Rig::new(Broker::new());
    let mut events = rig.broker.subscribe(EventFilter::all());
    let running = rig.start(call("t"));
    let (address, request) = requested(&mut events).await;
    let answer = |choice| PermissionResponse::new(request.id, address.clone(), choice);
    assert_eq!(
        rig.respond(answer(Choice::DenyOnce).with_feedback("no")),
        None
    );
    let second = rig.respond(answer(Choice::AllowOnce));
    assert_eq!(second, Some(RespondErrorKind::AlreadyAnswered));
    let blocked = running.await.unwrap().unwrap_err();
    assert_eq!(
        (blocked.kind(), blocked.reason()),
        (BlockedKind::Declined, Some("no"))
    );
    let third = rig.respond(answer(Choice::AllowOnce));
    assert_eq!(third, Some(RespondErrorKind::AlreadyAnswered));
    assert_eq!(rig.tool.runs(), 0);
    assert!(matches!(
        events.recv().await,
        Some(BrokerEvent::Answered { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn an_answer_from_elsewhere_is_not_taken_and_changes_nothing() {
    let rig = Rig::new(Broker::new());
    let mut events = rig.broker.subscribe(EventFilter::all());
    let origin = Origin::new()
        .with_session("s")
        .with_branch("b")
        .with_principal("ann");
    let running = rig.start(call("t").with_origin(origin.clone().with_agent("root")));
    let (address, request) = requested(&mut events).await;
    let yes = |address: Address| PermissionResponse::new(request.id, address, Choice::AllowOnce);
    let at = |origin: &Origin| Address::new(origin, "tools");
    for foreign in [
        yes(at(&origin.clone().with_agent("root").with_session("x"))).by("ann"),
        yes(at(&origin.clone().with_agent("root").with_branch("x"))).by("ann"),
        yes(at(&origin.clone().with_agent("other"))).by("ann"),
        yes(Address::new(&origin.with_agent("root"), "continuation")).by("ann"),
        yes(address.clone()).by("bob"),
        yes(address.clone()),
    ] {
        assert_eq!(rig.respond(foreign), Some(RespondErrorKind::NotYours));
    }
    assert_eq!(rig.tool.runs(), 0);
    assert_eq!(rig.respond(yes(address).by("ann")), None);
    assert!(running.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_over_cannot_be_answered() {
    let rig = Rig::new(Broker::new());
    let mut events = rig.broker.subscribe(EventFilter::all());
    let running = rig.start(call("t"));
    let (address, request) = requested(&mut events).await;
    let late = PermissionResponse::new(request.id, address.clone(), Choice::AllowOnce);
    assert_eq!(kind(running).await, BlockedKind::TimedOut);
    assert_eq!(rig.respond(late), Some(RespondErrorKind::Expired));
    assert!(matches!(
        events.recv().await,
        Some(BrokerEvent::Expired { .. })
    ));

    let running = rig.start(call("t"));
    let (address, request) = requested(&mut events).await;
    running.abort();
    assert!(running.await.is_err());
    let late = PermissionResponse::new(request.id, address.clone(), Choice::AllowOnce);
    assert_eq!(rig.respond(late), Some(RespondErrorKind::Withdrawn));
    assert!(matches!(
        events.recv().await,
        Some(BrokerEvent::Withdrawn { .. })
    ));

    let unknown = serde_json::from_value(serde_json::json!("0".repeat(32))).unwrap();
    let guess = PermissionResponse::new(unknown, address.clone(), Choice::AllowOnce);
    assert_eq!(
        rig.respond(guess.clone()),
        Some(RespondErrorKind::NoSuchRequest)
    );
    let other = Address::new(&Origin::new().with_session("served"), "tools");
    let _active = rig.broker.activate(other);
    assert_eq!(rig.respond(guess), Some(RespondErrorKind::NotActive));
    assert_eq!(rig.tool.runs(), 0);
    assert!(rig.broker.open().is_empty());
}

#[tokio::test(start_paused = true)]
async fn arguments_are_changed_only_where_that_is_permitted() {
    let mut rig = Rig::new(Broker::new());
    let mut events = rig.broker.subscribe(EventFilter::all());
    let edited = Args::new().with("n", 2);
    for editable in [false, true] {
        rig.editable = editable;
        let running = rig.start(call("t"));
        let (address, request) = requested(&mut events).await;
        let yes = PermissionResponse::new(request.id, address, Choice::AllowOnce);
        let refused = rig.respond(yes.clone().with_args(edited.clone()));
        assert_eq!(
            refused,
            (!editable).then_some(RespondErrorKind::NotEditable)
        );
        assert_eq!(rig.respond(yes).is_none(), !editable);
        assert!(running.await.unwrap().is_ok());
        while !matches!(events.recv().await, Some(BrokerEvent::Answered { .. })) {}
    }
    assert_eq!(rig.tool.args(), [Args::new(), edited]);
}

#[tokio::test(start_paused = true)]
async fn every_choice_means_what_it_says() {
    for (choice, runs, remembered) in [
        (Choice::AllowOnce, 1, 0),
        (Choice::AllowSession, 2, 1),
        (Choice::AllowAlways, 2, 1),
        (Choice::DenyOnce, 0, 0),
        (Choice::DenySession, 0, 1),
        (Choice::DenyAlways, 0, 1),
    ] {
        let mut rig = Rig::new(Broker::new());
        rig.deadline = Duration::from_secs(1);
        let mut events = rig.broker.subscribe(EventFilter::all());
        let running = rig.start(call("t"));
        let (address, request) = requested(&mut events).await;
        assert_eq!(
            rig.respond(PermissionResponse::new(request.id, address, choice)),
            None
        );
        let _ = running.await.unwrap();
        let _ = rig.start(call("t")).await.unwrap();
        assert_eq!(
            (rig.tool.runs(), rig.grants.list().len()),
            (runs, remembered),
            "{choice:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn late_subscribers_hear_of_what_is_open_and_filters_hold() {
    let rig = Rig::new(Broker::new());
    let running: Vec<_> = ["a", "b"].map(|session| rig.start(from(session))).into();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut late = rig.broker.subscribe(EventFilter::all().with_session("b"));
    let (address, request) = requested(&mut late).await;
    assert_eq!(address.session.as_deref(), Some("b"));
    assert!(late.recv().now_or_never().is_none(), "nothing of session a");
    assert_eq!(rig.broker.open().len(), 2);
    for filter in [
        EventFilter::all().with_source("continuation"),
        EventFilter::all().with_branch("x"),
        EventFilter::all().with_agent("x"),
    ] {
        assert!(rig.broker.subscribe(filter).recv().now_or_never().is_none());
    }
    assert_eq!(
        rig.respond(PermissionResponse::new(
            request.id,
            address,
            Choice::AllowOnce
        )),
        None
    );
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(rig.tool.runs(), 1);
    for call in running {
        call.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn beyond_capacity_a_call_is_blocked_as_such() {
    let rig = Rig::new(Broker::with_limits(10, 2));
    let running: Vec<_> = ["a", "b", "c"]
        .map(|session| rig.start(from(session)))
        .into();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let [a, b, c] = <[Running; 3]>::try_from(running).unwrap();
    assert_eq!(kind(c).await, BlockedKind::Overloaded);
    a.abort();
    b.abort();
    tokio::time::sleep(Duration::from_secs(1)).await;
    let again = rig.start(from("d"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(rig.broker.open().len(), 1, "room again");
    again.abort();
    assert_eq!(rig.tool.runs(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_that_falls_behind_starts_over() {
    let rig = Rig::new(Broker::with_limits(10_000, 10_000));
    let mut slow = rig.broker.subscribe(EventFilter::all());
    for n in 0..1_500 {
        let running = rig.start(from(&n.to_string()));
        tokio::time::sleep(Duration::from_millis(1)).await;
        running.abort();
    }
    let open = rig.start(from("open"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let (address, _) = requested(&mut slow).await;
    assert_eq!(address.session.as_deref(), Some("open"));
    open.abort();
}

#[test]
fn events_and_answers_cross_a_process_and_refuse_what_they_do_not_know() {
    let address = Address::new(&Origin::new().with_session("s"), "tools");
    let id = serde_json::from_value(serde_json::json!("1".repeat(32))).unwrap();
    let response = PermissionResponse::new(id, address, Choice::AllowAlways).by("ann");
    let json = serde_json::to_value(&response).unwrap();
    assert_eq!(json["choice"], "allow_always");
    assert_eq!(
        serde_json::from_value::<PermissionResponse>(json.clone()).unwrap(),
        response
    );
    for (key, value) in [("choice", "maybe"), ("approved", "true"), ("id", "1")] {
        let mut bad = json.clone();
        bad[key] = value.into();
        assert!(
            serde_json::from_value::<PermissionResponse>(bad).is_err(),
            "{key}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_channel_carries_questions_and_dropping_one_declines() {
    let (prompt, mut questions) = approval_channel(8);
    let tool = Spy::new();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(GateLayer::new())
        .service(tool.clone());
    let run = |session| tokio::spawn(stack.clone().oneshot(from(session)));

    let running = run("a");
    questions.recv().await.unwrap().approve().unwrap();
    assert!(running.await.unwrap().is_ok());

    let running = run("b");
    questions.next().await.unwrap().decline("not now").unwrap();
    assert_eq!(
        running.await.unwrap().unwrap_err().reason(),
        Some("not now")
    );

    let running = run("c");
    questions
        .recv()
        .await
        .unwrap()
        .edit(Args::new().with("n", 1))
        .unwrap();
    assert!(running.await.unwrap().is_ok());

    let running = run("d");
    drop(questions.recv().await.unwrap());
    assert_eq!(kind(running).await, BlockedKind::Declined);

    let running = run("e");
    let question = questions.recv().await.unwrap();
    running.abort();
    tokio::task::yield_now().await;
    assert!(question.is_withdrawn());
    assert_eq!(
        question.approve().unwrap_err().kind(),
        AskErrorKind::Withdrawn
    );

    let (waiting, dropped) = (run("f"), questions);
    tokio::task::yield_now().await;
    drop(dropped);
    assert_eq!(kind(waiting).await, BlockedKind::Declined);
    assert_eq!(kind(run("g")).await, BlockedKind::HandlerFailed);
    assert_eq!(tool.runs(), 2);
    assert_eq!(tool.allowed_by(), [AllowedBy::Human; 2]);
}

#[tokio::test(start_paused = true)]
async fn a_full_channel_blocks_as_overloaded() {
    let (prompt, _questions) = approval_channel(1);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(GateLayer::new())
        .service(Spy::new());
    let first = tokio::spawn(stack.clone().oneshot(from("a")));
    tokio::task::yield_now().await;
    let second = stack.oneshot(from("b")).await.unwrap_err();
    assert_eq!(second.kind(), BlockedKind::Overloaded);
    first.abort();
}
