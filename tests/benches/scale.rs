//! What a question and a lookup cost when there are many: `cargo bench -p toolgate-tests`.
//!
//! Prints nanoseconds and bytes for each question, and nanoseconds for each lookup, at a thousand
//! and at a million. Bytes are those beside the request itself, the future of the handler included.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    clippy::print_stdout,
    reason = "a measurement, to be read by people"
)]

use std::{
    hint::black_box,
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Instant,
};

use serde_json::json;
use toolgate::{
    Address, ApprovalRequest, Args, Broker, Choice, Grant, Grants, Origin, PermissionResponse,
    future::BrokerFuture,
};
use tower::Service;

const FEW: usize = 1_000;
const MANY: usize = 1_000_000;

fn main() {
    // Without this it was only to be seen whether it compiles.
    if !std::env::args().any(|word| word == "--bench") {
        return;
    }
    let titles = ["register", "answer", "hear", "withdraw", "another", "bytes"];
    let titles = titles.map(|title| format!("{title:>9}")).concat();
    println!("{:<33}{titles}", "questions, ns each");
    for (per_session, name) in [(1, "each in a session"), (100, "a hundred to a session")] {
        for (count, times) in [(FEW, 200), (MANY, 2)] {
            let best = (0..times).map(|_| questions(count, per_session));
            let best = best.reduce(least).unwrap();
            let best = best.map(|figure| format!("{figure:>9.0}")).concat();
            println!("{count:>9}, {name:<22}{best}");
        }
    }
    println!("grants, ns each     lookup  allocations");
    for count in [FEW, MANY] {
        let (looking, allocations) = grants(count);
        println!("{count:>9} {looking:>16.0} {allocations:>12}");
    }
}

/// The best of two, place by place: whatever else runs on the machine only adds.
fn least(a: [f64; 6], b: [f64; 6]) -> [f64; 6] {
    std::array::from_fn(|n| a[n].min(b[n]))
}

/// A question of its own, from a session that it shares with `per_session` others at most.
fn request(number: usize, per_session: usize) -> ApprovalRequest {
    let session = format!("session-{}", number / per_session);
    let request = json!({
        "id": format!("{:032x}", (number as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)),
        "tool": {"name": "send_email"},
        "description": "send_email(…)",
        "args": {"to": "ann@example.com"},
        "asks": [{"layer": "tool rules", "rule": {"id": "send_*"}, "payload": {}}],
        "capabilities": [],
        "origin": {"session": session},
        "editable": true,
        "suggestions": [],
    });
    serde_json::from_value(request).unwrap()
}

/// Registers so many questions and looks at each once; answers every other one, and hears of
/// that; withdraws the rest. The requests are kept, so that taking them apart is not measured.
///
/// While all are open, another one is registered and withdrawn again and again. What that costs
/// more than among few is not due to their number: it is in the cache.
fn questions(count: usize, per_session: usize) -> [f64; 6] {
    let mut requests: Vec<_> = (0..count).map(|n| request(n, per_session)).collect();
    let answers: Vec<_> = requests.iter().step_by(2).map(answer).collect();
    let broker = Broker::with_limits(per_session, count + 1);
    let mut prompt = broker.prompt("tools");
    let mut open: Vec<BrokerFuture> = Vec::with_capacity(count);
    let mut registering = 0.0;
    let used = allocation_counter::measure(|| {
        registering = each(count, || {
            for request in requests.drain(..) {
                let mut asking = prompt.call(request);
                assert!(poll(&mut asking).is_pending());
                open.push(asking);
            }
        });
    });
    let bytes = used.bytes_current as f64 / count as f64 - size_of::<ApprovalRequest>() as f64
        + size_of::<BrokerFuture>() as f64;
    let mut more: Vec<_> = (count..count + FEW).map(|n| request(n + FEW, 1)).collect();
    let another = each(FEW, || {
        for request in more.drain(..) {
            drop(prompt.call(request));
        }
    });
    let kept = broker.open();
    let answering = each(answers.len(), || {
        for answer in answers {
            broker.respond(answer).unwrap();
        }
    });
    let (mut answered, left): (Vec<_>, Vec<_>) =
        (0..).zip(open).partition(|(number, _)| number % 2 == 0);
    let hearing = each(answered.len(), || {
        for (_, asking) in &mut answered {
            assert!(poll(asking).is_ready());
        }
    });
    let withdrawing = each(left.len(), || drop(left));
    drop(kept);
    [registering, answering, hearing, withdrawing, another, bytes]
}

fn answer(request: &ApprovalRequest) -> PermissionResponse {
    let address = Address::new(&request.origin, "tools");
    PermissionResponse::new(request.id, address, Choice::AllowOnce)
}

fn poll(asking: &mut BrokerFuture) -> Poll<bool> {
    let mut cx = Context::from_waker(Waker::noop());
    let polled = Future::poll(Pin::new(asking), &mut cx);
    polled.map(|decision| decision.unwrap().approved)
}

/// Looks up what is remembered, over and over for a few operations, as in a session.
fn grants(count: usize) -> (f64, u64) {
    let grants = Grants::new();
    for number in 0..count {
        grants.add(grant(number));
    }
    let warm: Vec<_> = (0..64).map(|n| asked(n * count / 64)).collect();
    let look = || {
        let found = warm.iter().filter(|request| grants.is_remembered(request));
        assert_eq!(black_box(found.count()), warm.len());
    };
    let looking = (0..10_000).map(|_| each(warm.len(), look));
    let best = looking.reduce(f64::min).unwrap();
    (best, allocation_counter::measure(look).count_total)
}

/// A question about operation `number`.
fn asked(number: usize) -> ApprovalRequest {
    let mut request = request(number, 1);
    request.origin = Origin::new().with_session("s");
    request.asks[0].payload = Args::new().with("n", number);
    request
}

fn grant(number: usize) -> Grant {
    let grant = json!({
        "id": 0,
        "decision": "allow",
        "tool": {"name": "send_email"},
        "payload": {"n": number},
        "exact": true,
        "layer": "tool rules",
        "rule": "send_*",
        "named": true,
        "scope": {"one_session": true, "session": "s"},
        "delegable": false,
        "given": {"secs_since_epoch": 0, "nanos_since_epoch": 0},
    });
    serde_json::from_value(grant).unwrap()
}

/// How many nanoseconds each of `count` steps takes.
fn each(count: usize, steps: impl FnOnce()) -> f64 {
    let began = Instant::now();
    steps();
    began.elapsed().as_nanos() as f64 / count as f64
}
