//! Models of every piece of shared state: loom tries every order in which threads may meet.
//!
//! ```sh
//! RUSTFLAGS="--cfg toolgate_loom" cargo test --release -p toolgate --lib models
//! ```

use std::{
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use loom::{future::block_on, model::Builder, thread};
use tower_service::Service as _;

use crate::{
    Address, Answering, ApprovalDecision, ApprovalRequest, Args, Broker, BrokerEvent, Choice,
    EventFilter, Found, Grant, GrantDecision, GrantQuery, GrantStore as _, Grants, Mode,
    ModeSwitch, Origin, PermissionResponse, Remember, RespondErrorKind, ToolCall, ToolId,
    ToolRules, Turns,
    approval::Terms,
    memory::{GrantScope, Ticket},
    round::{Answer, AnsweredBy, Token},
};

fn model(check: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(check);
}

/// Polls once, and forgets the waker.
fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    let mut cx = Context::from_waker(Waker::noop());
    pin!(future).poll(&mut cx)
}

#[test]
fn an_answer_is_used_once_however_many_clones_there_are() {
    model(|| {
        let yes = ApprovalDecision::approve();
        let answer = Answer::new(Vec::new(), &Args::new(), yes, AnsweredBy::Handler);
        let clone = answer.clone();
        let other = thread::spawn(move || clone.use_up());
        let here = answer.use_up();
        assert!(here ^ other.join().unwrap());
    });
}

#[test]
fn the_last_use_of_a_grant_is_taken_once() {
    model(|| {
        let ticket = Ticket::limited(1);
        let clone = ticket.clone();
        let other = thread::spawn(move || clone.take());
        let here = ticket.take();
        assert!(here ^ other.join().unwrap());
        assert_eq!(ticket.left(), Some(0));
    });
}

#[test]
fn a_use_that_is_given_back_is_there_again() {
    model(|| {
        let ticket = Ticket::limited(1);
        let clone = ticket.clone();
        let other = thread::spawn(move || {
            if clone.take() {
                clone.give_back();
            }
        });
        let here = ticket.take();
        other.join().unwrap();
        assert_eq!(ticket.left(), Some(u32::from(!here)));
    });
}

fn request() -> ApprovalRequest {
    let call = ToolCall::new("t", Args::new()).review(Token::default(), 8);
    call.question(&Terms::default()).unwrap()
}

fn response(request: &ApprovalRequest, choice: Choice) -> PermissionResponse {
    PermissionResponse::new(request.id, Address::new(&Origin::new(), "tools"), choice)
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
        let ends = std::iter::from_fn(|| match poll_once(&mut pin!(events.recv())) {
            Poll::Ready(event) => event,
            Poll::Pending => None,
        });
        let over = |event: &BrokerEvent| !matches!(event, BrokerEvent::Requested { .. });
        assert_eq!(ends.filter(over).count(), 1, "a question ends once");
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
        let ends = std::iter::from_fn(|| match poll_once(&mut pin!(events.recv())) {
            Poll::Ready(event) => event,
            Poll::Pending => None,
        });
        let expired = |event: &BrokerEvent| matches!(event, BrokerEvent::Expired { .. });
        assert_eq!(ends.filter(expired).count(), 1);
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
        let mut heard = 0;
        while let Poll::Ready(Some(_)) = poll_once(&mut pin!(events.recv())) {
            heard += 1;
        }
        assert_eq!(heard, 1);
        drop(asking);
    });
}

#[test]
fn a_turn_is_had_by_one_and_passed_on() {
    model(|| {
        let turns = Turns::new();
        let inside = Arc::new(crate::sync::AtomicBool::new(false));
        let (other, flag) = (turns.clone(), Arc::clone(&inside));
        let enter = |turns: Turns, inside: Arc<crate::sync::AtomicBool>| {
            let (turn, _) = block_on(turns.take(Some("s"))).unwrap();
            assert!(
                !inside.swap(true, crate::sync::Ordering::SeqCst),
                "one at a time"
            );
            inside.store(false, crate::sync::Ordering::SeqCst);
            drop(turn);
        };
        let second = thread::spawn(move || enter(other, flag));
        enter(turns.clone(), inside);
        second.join().unwrap();
        assert!(turns.is_idle());
    });
}

#[test]
fn a_turn_that_comes_to_somebody_who_leaves_goes_on() {
    model(|| {
        let turns = Turns::new();
        let (first, _) = block_on(turns.take(Some("s"))).unwrap();
        let mut leaving = turns.take(Some("s"));
        assert!(poll_once(&mut leaving).is_pending());
        let waiting = turns.clone();
        let mut last = waiting.take(Some("s"));
        assert!(poll_once(&mut last).is_pending());
        let passing = thread::spawn(move || drop(first));
        drop(leaving);
        let (turn, waited) = block_on(last).unwrap();
        assert!(waited);
        passing.join().unwrap();
        drop(turn);
        assert!(turns.is_idle());
    });
}

#[test]
fn a_switch_to_strict_is_never_missed() {
    model(|| {
        let switch = ModeSwitch::new(Mode::Interactive);
        let other = switch.clone();
        let switching = thread::spawn(move || other.set(Mode::Strict));
        block_on(switch.turned_strict());
        assert_eq!(switch.get(), Mode::Strict);
        switching.join().unwrap();
    });
}

#[test]
fn a_call_sees_one_mode_or_the_other() {
    model(|| {
        let switch = ModeSwitch::new(Mode::ApproveAll);
        let other = switch.clone();
        let switching = thread::spawn(move || other.set(Mode::Strict));
        let (first, second) = (switch.get(), switch.get());
        assert!(matches!(first, Mode::ApproveAll | Mode::Strict));
        assert!(
            first == second || second == Mode::Strict,
            "it does not go back"
        );
        switching.join().unwrap();
    });
}

fn grant(decision: GrantDecision) -> Grant {
    let scope = GrantScope::of(&Origin::new(), Remember::Session);
    let (layer, rule) = (Arc::from("l"), Arc::from("r"));
    Grant {
        decision,
        scope,
        layer,
        rule,
        ..Grant::blank(&ToolId::from("t"))
    }
}

fn found(grants: &Grants) -> Found {
    let (tool, origin, payload) = (ToolId::from("t"), Origin::new(), Args::new());
    let query = GrantQuery {
        tool: &tool,
        origin: &origin,
        layer: "l",
        rule: "r",
        named: true,
        subject: None,
        payload: &payload,
    };
    match grants.lookup(&query) {
        Answering::Now(found) => found.unwrap(),
        Answering::Later(_) => unreachable!("grants in memory are at hand"),
    }
}

#[test]
fn a_no_that_is_recorded_wins_whatever_else_is() {
    model(|| {
        let grants = Grants::new();
        let other = grants.clone();
        let recording = thread::spawn(move || other.add(grant(GrantDecision::Allow)));
        grants.add(grant(GrantDecision::Deny));
        assert!(matches!(found(&grants), Found::Denied(_)));
        recording.join().unwrap();
        assert!(matches!(found(&grants), Found::Denied(_)));
    });
}

#[test]
fn what_is_revoked_is_not_found_afterwards() {
    model(|| {
        let grants = Grants::new();
        let id = grants.add(grant(GrantDecision::Allow));
        let other = grants.clone();
        let looking = thread::spawn(move || matches!(found(&other), Found::Denied(_)));
        assert!(grants.revoke(id));
        assert!(matches!(found(&grants), Found::Nothing));
        assert!(!looking.join().unwrap());
    });
}

#[test]
fn an_override_is_seen_by_whoever_comes_after_it() {
    model(|| {
        let rules = ToolRules::default();
        let other = rules.clone();
        let setting = thread::spawn(move || other.require_for("t"));
        let _ = rules.of(&"t".into()).decision();
        setting.join().unwrap();
        assert!(rules.of(&"t".into()).decision().is_some());
        rules.clear_override("t");
        assert!(rules.of(&"t".into()).decision().is_none());
    });
}
