//! Questions as events: answering, leaving and subscribing.

use std::{pin::pin, task::Poll};

use loom::{future::block_on, thread};
use tower_service::Service as _;

use super::{model, poll_once};
use crate::{
    Address, ApprovalRequest, Args, Broker, BrokerEvent, Choice, EventFilter, Origin,
    PermissionResponse, RespondErrorKind, Subscription, ToolCall, approval::Terms,
    future::BrokerFuture, round::Token,
};

fn request() -> ApprovalRequest {
    let call = ToolCall::new("t", Args::new()).review(Token::default(), 8);
    call.question(&Terms::default()).unwrap()
}

fn response(request: &ApprovalRequest, choice: Choice) -> PermissionResponse {
    PermissionResponse::new(request.id, Address::new(&Origin::new(), "tools"), choice)
}

/// Everything that can be heard now.
fn all(events: &mut Subscription) -> Vec<BrokerEvent> {
    let next = || match poll_once(&mut pin!(events.recv())) {
        Poll::Ready(event) => event,
        Poll::Pending => None,
    };
    std::iter::from_fn(next).collect()
}

#[test]
fn of_two_answers_one_counts() {
    model(|| {
        let broker = Broker::new();
        let request = request();
        let asking = broker.prompt("tools").call(request.clone());
        let (other, yes) = (broker.clone(), response(&request, Choice::AllowOnce));
        let answering = thread::spawn(move || other.respond(yes).is_ok());
        let no = broker.respond(response(&request, Choice::DenyOnce)).is_ok();
        let yes = answering.join().unwrap();
        assert!(yes ^ no);
        assert_eq!(block_on(asking).unwrap().approved, yes);
        assert!(broker.open().is_empty());
    });
}

#[test]
fn an_answer_that_counts_wakes_whoever_asked() {
    model(|| {
        let broker = Broker::new();
        let request = request();
        let asking = broker.prompt("tools").call(request.clone());
        let other = broker.clone();
        let answering = thread::spawn(move || {
            other
                .respond(response(&request, Choice::AllowOnce))
                .unwrap();
        });
        assert!(block_on(asking).unwrap().approved);
        answering.join().unwrap();
    });
}

#[test]
fn an_answer_and_a_withdrawal_do_not_both_count() {
    model(|| {
        let broker = Broker::new();
        let request = request();
        let mut events = broker.subscribe(EventFilter::all());
        let mut asking = broker.prompt("tools").call(request.clone());
        let dropping = thread::spawn(move || {
            let answered = poll_once(&mut asking).is_ready();
            drop(asking);
            answered
        });
        let answer = broker.respond(response(&request, Choice::AllowOnce));
        let heard = dropping.join().unwrap();
        // Whoever heard the answer was told that it counted. The other way round it may come
        // between looking and leaving; then nobody runs anything.
        assert!(!heard || answer.is_ok());
        if let Err(error) = answer {
            assert_eq!(error.kind(), RespondErrorKind::Withdrawn);
        }
        assert!(broker.open().is_empty());
        let over = |event: &&BrokerEvent| !matches!(event, BrokerEvent::Requested { .. });
        let events = all(&mut events);
        assert_eq!(
            events.iter().filter(over).count(),
            1,
            "a question ends once"
        );
    });
}

#[test]
fn an_answer_does_not_count_once_the_time_is_over() {
    model(|| {
        let broker = Broker::new();
        let over = ApprovalRequest {
            expires: Some(std::time::SystemTime::UNIX_EPOCH),
            ..request()
        };
        let mut events = broker.subscribe(EventFilter::all());
        let asking = broker.prompt("tools").call(over.clone());
        let leaving = thread::spawn(move || drop(asking));
        let late = broker
            .respond(response(&over, Choice::AllowOnce))
            .unwrap_err();
        assert_eq!(late.kind(), RespondErrorKind::Expired);
        leaving.join().unwrap();
        let expired = |event: &&BrokerEvent| matches!(event, BrokerEvent::Expired { .. });
        let events = all(&mut events);
        assert_eq!(events.iter().filter(expired).count(), 1);
    });
}

#[test]
fn a_late_subscriber_hears_of_every_question_once() {
    model(|| {
        let broker = Broker::new();
        let other = broker.clone();
        let asking = thread::spawn(move || other.prompt("tools").call(request()));
        let mut events = broker.subscribe(EventFilter::all());
        let asking = asking.join().unwrap();
        assert_eq!(all(&mut events).len(), 1);
        drop(asking);
    });
}

/// Subscribes while a question ends. Either all of it is heard, in order, or nothing.
fn a_late_subscriber_hears_all_or_nothing<T: 'static>(
    end: fn(&Broker, BrokerFuture, PermissionResponse) -> T,
) {
    model(move || {
        let broker = Broker::new();
        let request = request();
        let asking = broker.prompt("tools").call(request.clone());
        let yes = response(&request, Choice::AllowOnce);
        let other = broker.clone();
        let ending = thread::spawn(move || end(&other, asking, yes));
        let mut events = broker.subscribe(EventFilter::all());
        ending.join().unwrap();
        match &all(&mut events)[..] {
            [] => {}
            [BrokerEvent::Requested { .. }, over] => {
                assert!(!matches!(over, BrokerEvent::Requested { .. }));
            }
            other => panic!("heard {other:?}"),
        }
    });
}

#[test]
fn a_late_subscriber_hears_no_answer_without_its_question() {
    a_late_subscriber_hears_all_or_nothing(|broker, asking, yes| {
        broker.respond(yes).unwrap();
        asking
    });
}

#[test]
fn a_late_subscriber_hears_no_withdrawal_without_its_question() {
    a_late_subscriber_hears_all_or_nothing(|_, asking, _| drop(asking));
}
