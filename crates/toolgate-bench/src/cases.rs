//! What is measured: each case by its name, with everything prepared.

use std::hint::black_box;
#[cfg(feature = "engines")]
use std::{cell::RefCell, rc::Rc};

use futures_util::FutureExt as _;
use serde_json::Value;
use toolgate::{
    ApprovalDecision, Effect, Grants, Policy, Remember, Reviewing, ToolBlocked, ToolCall,
};
use toolgate_policy::FilePolicy;
use tower::{Service, service_fn};

use crate::{
    stacks::{self, Tools},
    workload::{COMMON, Call, HOT, Kind, WHOLE, Workload},
};

/// One thing that is measured.
pub(crate) struct Case {
    pub(crate) name: String,
    /// How many calls one run is.
    pub(crate) calls: usize,
    /// What is to be done before each run, and is not measured.
    pub(crate) prepare: Box<dyn FnMut() -> Run>,
}

pub(crate) type Run = Box<dyn FnMut()>;

impl Case {
    fn new(name: impl Into<String>, calls: usize, prepare: impl FnMut() -> Run + 'static) -> Self {
        Self {
            name: name.into(),
            calls,
            prepare: Box::new(prepare),
        }
    }

    /// A case that needs no preparation, and cannot be cloned.
    #[cfg(feature = "engines")]
    pub(crate) fn shared(
        name: impl Into<String>,
        calls: usize,
        run: impl FnMut() + 'static,
    ) -> Self {
        let run = Rc::new(RefCell::new(run));
        Self::new(name, calls, move || {
            let run = Rc::clone(&run);
            Box::new(move || (*run.borrow_mut())())
        })
    }

    /// A case that needs no preparation. `run` is one run.
    fn simple(name: impl Into<String>, calls: usize, run: impl FnMut() + Clone + 'static) -> Self {
        Self::new(name, calls, move || Box::new(run.clone()))
    }
}

/// A name with a number of rules.
pub(crate) fn at(name: &str, rules: usize) -> String {
    format!("{name}, {rules} rules")
}

/// What everything else is compared with.
pub(crate) fn yardsticks() -> Vec<Case> {
    let workload = Workload::new(COMMON, 10);
    let calls = workload.allowed_by(Kind::Tool);
    let texts: Vec<String> = calls.iter().map(Call::json).collect();
    let mut large = String::from("[");
    for text in &texts {
        if large.len() + text.len() > 2_048 {
            break;
        }
        large += text;
        large.push(',');
    }
    large += "0]";
    vec![
        sending("bare call", &calls, service_fn(stacks::bare)),
        Case::simple("parse the call's JSON", HOT, move || {
            for text in &texts {
                black_box(serde_json::from_str::<Value>(black_box(text)).unwrap());
            }
        }),
        Case::simple("parse 2 KB of JSON", 1, move || {
            black_box(serde_json::from_str::<Value>(black_box(&large)).unwrap());
        }),
    ]
}

/// Sends calls through a service that needs no waiting.
fn sending<S, R>(name: impl Into<String>, calls: &[Call], service: S) -> Case
where
    S: Service<ToolCall, Response = R, Error = ToolBlocked> + Clone + 'static,
    R: 'static,
{
    let calls: Vec<ToolCall> = calls.iter().map(stacks::proposed).collect();
    Case::new(name, calls.len(), move || {
        let mut service = service.clone();
        let mut calls = calls.clone();
        let mut ended = Vec::with_capacity(calls.len());
        Box::new(move || {
            for call in calls.drain(..) {
                ended.push(service.call(call).now_or_never());
            }
            black_box(&ended);
        })
    })
}

/// The layers, with rules in code.
pub(crate) fn layers(rules: usize) -> Vec<Case> {
    let workload = Workload::new(COMMON, rules);
    let build = |calls: &[Call]| {
        stacks::layers(&workload, calls, Grants::new(), ApprovalDecision::approve())
    };
    let allowed = workload.allowed_by(Kind::Tool);
    let labelled = workload.allowed_by(Kind::Capability);
    let denied = only(&workload, Effect::Deny);
    let asked = only(&workload, Effect::Ask);
    vec![
        sending(
            at("layers, allow by tool", rules),
            &allowed,
            ran(build(&allowed), &allowed),
        ),
        sending(
            at("layers, allow by capability", rules),
            &labelled,
            ran(build(&labelled), &labelled),
        ),
        sending(at("layers, deny", rules), &denied, build(&denied)),
        sending(
            at("layers, ask answered at once", rules),
            &asked,
            ran(build(&asked), &asked),
        ),
        sending(
            at("layers, memory hit", rules),
            &asked,
            remembering(&workload, &asked),
        ),
    ]
}

/// The stack, after it was seen that it lets all calls through.
fn ran<T: Tools>(mut stack: T, calls: &[Call]) -> T {
    for call in calls {
        let ended = stack.call(stacks::proposed(call)).now_or_never();
        assert!(ended.unwrap().is_ok(), "{call:?}");
    }
    stack
}

/// A stack that knows the answers already.
fn remembering(workload: &Workload, calls: &[Call]) -> impl Tools + use<> {
    let grants = Grants::new();
    let always = ApprovalDecision::approve().remembered(Remember::Session);
    drop(ran(
        stacks::layers(workload, calls, grants.clone(), always),
        calls,
    ));
    let stack = stacks::layers(workload, calls, grants, ApprovalDecision::decline());
    ran(stack, calls)
}

/// Calls of tools that are decided so.
fn only(workload: &Workload, effect: Effect) -> Vec<Call> {
    let calls = workload.all(effect);
    calls
        .into_iter()
        .filter(|call| call.kind == Kind::Tool)
        .collect()
}

/// One decision of a compiled policy.
pub(crate) fn policy(rules: usize) -> Vec<Case> {
    let workload = Workload::new(WHOLE, rules);
    let policy = stacks::policy(&workload);
    let kinds = [
        (Kind::Tool, "tool"),
        (Kind::Capability, "capability"),
        (Kind::Path, "path"),
        (Kind::Shell, "shell"),
        (Kind::Host, "host"),
    ];
    let case = |(kind, name)| {
        let calls = workload.allowed_by(kind);
        deciding(
            at(&format!("policy, allow by {name}"), rules),
            &policy,
            &calls,
        )
    };
    kinds.map(case).into()
}

/// Decides on calls again and again, after it was seen that it decides as expected.
pub(crate) fn deciding(name: impl Into<String>, policy: &FilePolicy, calls: &[Call]) -> Case {
    let seen: Vec<ToolCall<Reviewing>> = calls.iter().map(stacks::reviewing).collect();
    for (call, expected) in seen.iter().zip(calls) {
        let decision = policy.decide(call);
        let effect = decision.effect().unwrap_or(Effect::Ask);
        assert_eq!(effect, expected.expected, "{expected:?}: {decision:?}");
    }
    let policy = policy.clone();
    Case::simple(name, calls.len(), move || {
        for call in &seen {
            drop(black_box(policy.decide(black_box(call))));
        }
    })
}

/// Command lines, read and decided on.
pub(crate) fn lines() -> Vec<Case> {
    let policy = stacks::load(
        r#"
        [shell]
        allow = ["git status *", "git log *", "cargo test *", "ls *", "grep *", "wc *", "cat *"]
        ask = ["git push *"]
        deny = ["rm -rf *", "curl *"]
        "#,
    );
    let lines = [
        ("typical shell line", "git log --oneline -n 20 src/main.rs"),
        (
            "shell line of 5 commands",
            "git status -s && cat a.txt | grep -n todo | wc -l; ls -la src",
        ),
    ];
    let case = |(name, line)| deciding(name, &policy, &vec![Call::line(line); HOT]);
    lines.map(case).into()
}

/// Everything whose instructions are counted.
pub(crate) fn counted() -> Vec<Case> {
    let mut cases = yardsticks();
    for rules in [10, 10_000] {
        cases.extend(layers(rules));
        cases.extend(policy(rules));
    }
    cases.extend(lines());
    cases
}
