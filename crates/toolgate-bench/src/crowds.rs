//! Many grants, and many questions that wait.

use std::{
    env,
    hint::black_box,
    pin::Pin,
    process::Command,
    task::{Context, Poll, Waker},
};

use serde_json::{Value, json};
use toolgate::{
    Address, ApprovalRequest, Args, Broker, Choice, Grant, Grants, Origin, PermissionResponse,
    future::BrokerFuture,
};
use tower::Service;

use crate::measure::{once, resident};

pub(crate) const CROWDS: [usize; 3] = [1_000, 100_000, 1_000_000];

/// What a question costs among many.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Questions {
    pub(crate) register: f64,
    pub(crate) answer: f64,
    pub(crate) withdraw: f64,
}

impl Questions {
    /// The best of several rounds.
    pub(crate) fn among(count: usize) -> Self {
        let rounds = if count > 100_000 { 3 } else { 7 };
        let best = (0..rounds).map(|_| Self::once(count));
        let best = best.reduce(|a, b| Self {
            register: a.register.min(b.register),
            answer: a.answer.min(b.answer),
            withdraw: a.withdraw.min(b.withdraw),
        });
        best.unwrap()
    }

    /// Registers so many and looks at each once; answers every other one; withdraws the rest. The
    /// requests are kept, so that taking them apart is not measured.
    fn once(count: usize) -> Self {
        let mut requests: Vec<_> = (0..count).map(question).collect();
        let answers: Vec<_> = requests.iter().step_by(2).map(answer).collect();
        let broker = Broker::with_limits(count, count);
        let mut prompt = broker.prompt("tools");
        let mut open: Vec<BrokerFuture> = Vec::with_capacity(count);
        let register = once(|| {
            for request in requests.drain(..) {
                let mut asking = prompt.call(request);
                assert!(poll(&mut asking).is_pending());
                open.push(asking);
            }
        });
        let kept = broker.open();
        let answered = answers.len();
        let answering = once(|| {
            for answer in answers {
                broker.respond(answer).unwrap();
            }
        });
        let (answered_ones, left): (Vec<_>, Vec<_>) =
            (0..).zip(open).partition(|(number, _)| number % 2 == 0);
        let (rest, withdrawing) = (left.len(), once(|| drop(left)));
        drop((answered_ones, kept));
        Self {
            register: register / count as f64,
            answer: answering / answered as f64,
            withdraw: withdrawing / rest as f64,
        }
    }
}

/// A question of its own, in a session of its own.
fn question(number: usize) -> ApprovalRequest {
    let id = (number as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let request = json!({
        "id": format!("{id:032x}"),
        "tool": {"name": "send_email"},
        "description": "send_email(…)",
        "args": {"to": "ann@example.com"},
        "asks": [{"layer": "tool rules", "rule": {"id": "send_*"}, "payload": {}}],
        "capabilities": [],
        "origin": {"session": format!("session-{number}")},
        "editable": true,
        "suggestions": [],
    });
    serde_json::from_value(request).unwrap()
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

/// What a lookup costs among many grants.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lookups {
    /// For a payload of one short field.
    pub(crate) short: f64,
    /// For a payload of a kilobyte.
    pub(crate) long: f64,
}

impl Lookups {
    pub(crate) fn among(count: usize) -> Self {
        let grants = Grants::new();
        for number in 0..count {
            grants.add(grant(&json!({"n": number})));
        }
        let long = |number: usize| json!({"n": number, "content": "x".repeat(500), "other": "y".repeat(480)});
        for number in 0..64 {
            grants.add(grant(&long(number)));
        }
        let best = |asked: Vec<ApprovalRequest>| {
            let look = || {
                let found = asked.iter().filter(|request| grants.is_remembered(request));
                assert_eq!(black_box(found.count()), asked.len());
            };
            let times = (0..2_000).map(|_| once(look) / asked.len() as f64);
            times.reduce(f64::min).unwrap()
        };
        let short = (0..64).map(|n| asked(json!({"n": n * count / 64})));
        Self {
            short: best(short.collect()),
            long: best((0..64).map(|n| asked(long(n))).collect()),
        }
    }
}

/// A question about an operation.
fn asked(payload: Value) -> ApprovalRequest {
    let mut request = question(0);
    request.origin = Origin::new().with_session("s");
    request.asks[0].payload = Args::try_from(payload).unwrap();
    request
}

fn grant(payload: &Value) -> Grant {
    let grant = json!({
        "id": 0,
        "decision": "allow",
        "tool": {"name": "send_email"},
        "payload": payload,
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

/// How many there are in all when bytes are measured, so that there is something to be seen.
const IN_ALL: usize = 1_000_000;

/// What a grant and an open question take in memory, each among `count`. Measured in processes of
/// their own, whose memory nobody used before.
pub(crate) fn bytes(count: usize) -> [f64; 2] {
    ["grants", "questions"].map(|what| {
        let program = env::current_exe().unwrap();
        let output = Command::new(program)
            .args(["bytes", what, &count.to_string()])
            .output();
        let printed = String::from_utf8(output.unwrap().stdout).unwrap();
        printed.trim().parse().unwrap()
    })
}

/// Prints what one takes.
pub(crate) fn print_bytes(what: &str, count: usize) -> bool {
    let each = match what {
        "grants" => grants_take(count),
        _ => questions_take(count),
    };
    println!("{each}");
    true
}

fn grants_take(count: usize) -> f64 {
    let before = resident();
    let tables: Vec<Grants> = (0..IN_ALL / count)
        .map(|_| {
            let grants = Grants::new();
            for number in 0..count {
                grants.add(grant(&json!({"n": number})));
            }
            grants
        })
        .collect();
    let each = (resident() - before) / IN_ALL as f64;
    drop(tables);
    each
}

/// Beside the question itself, and with the future of whoever asks.
fn questions_take(count: usize) -> f64 {
    let mut requests: Vec<_> = (0..IN_ALL).map(question).collect();
    let mut open: Vec<BrokerFuture> = Vec::with_capacity(IN_ALL);
    let before = resident();
    for _ in 0..IN_ALL / count {
        let mut prompt = Broker::with_limits(count, count).prompt("tools");
        for request in requests.drain(..count) {
            let mut asking = prompt.call(request);
            assert!(poll(&mut asking).is_pending());
            open.push(asking);
        }
    }
    // The room of the requests stays as it was, and their bytes are in the tables now.
    let own = (IN_ALL * size_of::<ApprovalRequest>()) as f64;
    (resident() - before - own) / IN_ALL as f64
}
