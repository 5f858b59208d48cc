//! The laws of the library that concern decisions, as property tests.
//!
//! Each function takes what builds a stack, and calls to try. The builder is handed further
//! policies to put among its own, somebody to ask or nobody, and the tool:
//!
//! ```
//! use std::sync::Arc;
//!
//! use toolgate::{
//!     GateLayer, Policy, PolicyLayer, PromptLayer, ReviewLayer, ToolConfig, ToolRules,
//!     ToolRulesLayer, strictest_of,
//! };
//! use toolgate_test::{Approver, Spy, Stack, calls, laws};
//! use tower::{ServiceBuilder, util::{BoxCloneSyncService, option_layer}};
//!
//! fn mine(further: Vec<Arc<dyn Policy>>, approver: Option<Approver>, tool: Spy) -> Stack {
//!     let rules = ToolRules::new([("read", ToolConfig::pre_approved())]).unwrap();
//!     let further = further.into_iter().map(|policy| Box::new(policy) as Box<dyn Policy>);
//!     BoxCloneSyncService::new(
//!         ServiceBuilder::new()
//!             .layer(ReviewLayer::new())
//!             .layer(option_layer(approver.map(PromptLayer::new)))
//!             .layer(ToolRulesLayer::new(rules))
//!             .layer(PolicyLayer::new(strictest_of(further)))
//!             .layer(GateLayer::new())
//!             .service(tool),
//!     )
//! }
//!
//! laws::hold_for_stack(mine, || calls(["read", "write"]));
//! ```

use std::sync::Arc;

use proptest::{
    prelude::Strategy,
    test_runner::{Config, TestCaseError, TestRunner},
};
use toolgate::{AllowedBy, BlockedKind, Decision, Policy, Reviewing, ToolCall};
use tower::ServiceExt as _;

use crate::{
    Approver, Outcome, Reply, Spy, Stack, outcome,
    stack::{poll_and_drop, shared, stack},
};

type Policies = Vec<Arc<dyn Policy>>;

/// Checks every law of this module on a stack.
///
/// # Panics
///
/// If one of them does not hold; the message says which, and for which call.
pub fn hold_for_stack<B, C>(build: B, calls: impl Fn() -> C)
where
    B: Fn(Policies, Option<Approver>, Spy) -> Stack,
    C: Strategy<Value = ToolCall>,
{
    deny_is_final(&build, calls());
    restricting_never_lets_more_through(&build, calls());
    what_nobody_can_answer_is_blocked(&build, calls());
    what_runs_was_shown(&build, calls());
    a_failed_answer_runs_nothing(&build, calls());
    a_dropped_call_runs_nothing(&build, calls());
}

/// Checks every law of this module on a policy, in the plain stack.
///
/// # Panics
///
/// If one of them does not hold; the message says which, and for which call.
pub fn hold_for_policy<P, C>(policy: P, calls: C)
where
    P: Policy,
    C: Strategy<Value = ToolCall> + 'static,
{
    let policy = shared(policy);
    let build = |mut further: Policies, approver, tool| {
        further.push(Arc::clone(&policy));
        stack(further, approver, tool)
    };
    let calls = calls.boxed();
    hold_for_stack(build, || calls.clone());
    what_nobody_spoke_for_is_asked_about(&policy, calls.clone());
    order_does_not_matter(&policy, calls);
}

/// Law 1: a deny anywhere is a deny, even if somebody is there to approve everything.
///
/// # Panics
///
/// If a call runs although a policy denies it.
pub fn deny_is_final<B>(build: &B, calls: impl Strategy<Value = ToolCall>)
where
    B: Fn(Policies, Option<Approver>, Spy) -> Stack,
{
    holds("a deny anywhere is a deny", calls, |call| {
        let approver = Approver::always(Reply::yes());
        let denying = vec![always(Decision::deny("law 1"))];
        let ended = outcome(|spy| build(denying, Some(approver.clone()), spy), call);
        if ended.ran() {
            Err(format!("{ended:?} although denied"))
        } else {
            Ok(())
        }
    });
}

/// Law 2: a further policy that can only ask or deny never lets more through.
///
/// # Panics
///
/// If a call runs that did not run without it.
pub fn restricting_never_lets_more_through<B>(build: &B, calls: impl Strategy<Value = ToolCall>)
where
    B: Fn(Policies, Option<Approver>, Spy) -> Stack,
{
    holds("restricting never lets more through", calls, |call| {
        let without = outcome(|spy| build(vec![], None, spy), call.clone());
        for restriction in [
            Decision::ask("law 2"),
            Decision::deny("law 2"),
            Decision::abstain(),
        ] {
            let abstains = restriction.effect().is_none();
            let with = outcome(
                |spy| build(vec![always(restriction)], None, spy),
                call.clone(),
            );
            if with.ran() && (!without.ran() || !abstains) {
                return Err(format!("{with:?} with a restriction, {without:?} without"));
            }
        }
        Ok(())
    });
}

/// Law 3: the order of policies does not change the decision.
///
/// # Panics
///
/// If a call ends in another way when the policy stands elsewhere.
pub fn order_does_not_matter(policy: &Arc<dyn Policy>, calls: impl Strategy<Value = ToolCall>) {
    let others = [
        Decision::abstain(),
        Decision::allow(),
        Decision::ask("law 3"),
        Decision::deny("law 3"),
    ];
    holds("the order of policies does not matter", calls, |call| {
        for other in &others {
            let both = [Arc::clone(policy), always(other.clone())];
            let mut reversed = both.clone();
            reversed.reverse();
            let ended = [both, reversed].map(|policies| {
                let approver = Approver::always(Reply::yes());
                outcome(|spy| stack(policies, Some(approver), spy), call.clone())
            });
            let [one, another] = &ended;
            if one != another {
                return Err(format!("{one:?} in one order, {another:?} in the other"));
            }
        }
        Ok(())
    });
}

/// Law 4: what nobody spoke for is asked about, and does not run by itself.
///
/// # Panics
///
/// If a call runs that the policy did not allow.
pub fn what_nobody_spoke_for_is_asked_about(
    policy: &Arc<dyn Policy>,
    calls: impl Strategy<Value = ToolCall>,
) {
    holds("what nobody spoke for is asked about", calls, |call| {
        let approver = Approver::always(Reply::no());
        let build = |spy| stack([Arc::clone(policy)], Some(approver.clone()), spy);
        match outcome(build, call) {
            Outcome::Ran(_, AllowedBy::Rules) if approver.asked() == 0 => Ok(()),
            Outcome::Ran(..) => Err("it ran, and no rule allowed it".to_owned()),
            Outcome::Blocked(_) => Ok(()),
        }
    });
}

/// Law 4: what some policy asks about is blocked when nobody is there to answer.
///
/// # Panics
///
/// If such a call runs, or is asked of nobody and not said to be.
pub fn what_nobody_can_answer_is_blocked<B>(build: &B, calls: impl Strategy<Value = ToolCall>)
where
    B: Fn(Policies, Option<Approver>, Spy) -> Stack,
{
    holds("what nobody can answer is blocked", calls, |call| {
        let asking = vec![always(Decision::ask("law 4"))];
        match outcome(|spy| build(asking, None, spy), call) {
            Outcome::Blocked(kind) if kind != BlockedKind::Declined => Ok(()),
            ended => Err(format!("{ended:?} although there is nobody to ask")),
        }
    });
}

/// Laws 5 and 6: what runs after a question is what was shown last, and it runs once.
///
/// # Panics
///
/// If other arguments run, or somebody is asked about a call that is then denied.
pub fn what_runs_was_shown<B>(build: &B, calls: impl Strategy<Value = ToolCall>)
where
    B: Fn(Policies, Option<Approver>, Spy) -> Stack,
{
    holds("what runs is what was shown", calls, |call| {
        let approver = Approver::always(Reply::yes());
        let asking = vec![always(Decision::ask("laws 5 and 6"))];
        let ended = outcome(|spy| build(asking, Some(approver.clone()), spy), call);
        let shown = approver.questions().pop().map(|question| question.args);
        match ended {
            Outcome::Ran(args, _) if Some(&args) != shown.as_ref() => {
                Err("other arguments ran than were shown".to_owned())
            }
            Outcome::Blocked(BlockedKind::Denied) if shown.is_some() => {
                Err("somebody was asked about a call that policy denies".to_owned())
            }
            _ => Ok(()),
        }
    });
}

/// Laws 6 and 7: a declined, failed or crashed answer runs a call zero times.
///
/// # Panics
///
/// If such a call runs.
pub fn a_failed_answer_runs_nothing<B>(build: &B, calls: impl Strategy<Value = ToolCall>)
where
    B: Fn(Policies, Option<Approver>, Spy) -> Stack,
{
    holds("a failed answer runs nothing", calls, |call| {
        for reply in [Reply::no(), Reply::Fail, Reply::Panic] {
            let asking = vec![always(Decision::ask("laws 6 and 7"))];
            let approver = Approver::always(reply.clone());
            let ended = outcome(|spy| build(asking, Some(approver), spy), call.clone());
            if ended.ran() {
                return Err(format!("{ended:?} although the answer was {reply:?}"));
            }
        }
        Ok(())
    });
}

/// Law 7: a call that is dropped while somebody is asked does not run.
///
/// # Panics
///
/// If it does.
pub fn a_dropped_call_runs_nothing<B>(build: &B, calls: impl Strategy<Value = ToolCall>)
where
    B: Fn(Policies, Option<Approver>, Spy) -> Stack,
{
    holds("a dropped call runs nothing", calls, |call| {
        let (spy, approver) = (Spy::new(), Approver::always(Reply::Hang));
        let asking = vec![always(Decision::ask("law 7"))];
        let stack = build(asking, Some(approver), spy.clone());
        let ended = poll_and_drop(stack.oneshot(call));
        match (ended, spy.runs()) {
            (_, 0) => Ok(()),
            (ended, runs) => Err(format!("it ran {runs} times, and ended: {ended}")),
        }
    });
}

/// Law 9: a child whose stack has the parent's as its [`ceiling`](toolgate::ceiling) can do no more
/// than the parent. `child` builds the child's stack around the parent's.
///
/// # Panics
///
/// If a call runs in the child's stack that would not run in the parent's.
pub fn a_child_does_no_more_than_its_parent<P, C>(
    parent: &P,
    child: &C,
    calls: impl Strategy<Value = ToolCall>,
) where
    P: Fn(Spy) -> Stack,
    C: Fn(Stack, Spy) -> Stack,
{
    holds("a child does no more than its parent", calls, |call| {
        let parents = outcome(parent, call.clone());
        let unused = Spy::new();
        let childs = outcome(|spy| child(parent(unused.clone()), spy), call);
        if unused.runs() > 0 {
            return Err("the parent's tool ran".to_owned());
        }
        match childs.ran() && !parents.ran() {
            true => Err(format!(
                "{childs:?} for the child, {parents:?} for the parent"
            )),
            false => Ok(()),
        }
    });
}

/// A policy that says the same of every call.
fn always(decision: Decision) -> Arc<dyn Policy> {
    shared(move |_: &ToolCall<Reviewing>| decision.clone())
}

#[expect(clippy::panic, reason = "that is how a test fails")]
fn holds(
    law: &str,
    calls: impl Strategy<Value = ToolCall>,
    check: impl Fn(ToolCall) -> Result<(), String>,
) {
    let config = Config {
        failure_persistence: None,
        ..Config::default()
    };
    let result =
        TestRunner::new(config).run(&calls, |call| check(call).map_err(TestCaseError::fail));
    if let Err(error) = result {
        panic!("broken law: {law}: {error}");
    }
}
