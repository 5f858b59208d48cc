//! What holds for every policy, whatever it says.

use futures_util::FutureExt as _;
use toolgate::{Authorized, BlockedKind, Effect, Grants, PolicyLayer, ToolBlocked, ToolCall};
use toolgate_policy::{FilePolicy, Part};
use toolgate_test::{Approver, Reply};
use tower::{Layer, Service, ServiceBuilder};

use super::{
    load,
    random::{self, Call, Random, World},
};

const WORLDS: u64 = 600;
const CALLS: u64 = 60;

/// Calls `check` with policies, what they were made from, and calls.
fn each(check: impl Fn(&mut Random, &World, &FilePolicy, &[Call])) {
    for seed in 0..WORLDS {
        let mut random = Random(seed ^ 0x005e_ed00);
        let world = World::random(&mut random);
        let calls: Vec<Call> = (0..CALLS).map(|_| Call::random(&mut random)).collect();
        if let Some(policy) = load(&world) {
            check(&mut random, &world, &policy, &calls);
        }
    }
}

#[test]
fn neither_order_nor_number_of_rules_matters() {
    each(|random, world, policy, calls| {
        let mut shuffled = world.clone();
        for (_, text) in &mut shuffled.layers {
            random::shuffle(random, text);
        }
        let shuffled = load(&shuffled).unwrap();
        for call in calls {
            let call = call.call();
            assert_eq!(
                policy.effect(&call),
                shuffled.effect(&call),
                "{world:?} {call:?}"
            );
        }
    });
}

#[test]
fn one_more_rule_that_restricts_never_widens() {
    each(|random, world, policy, calls| {
        let mut stricter = world.clone();
        for (_, text) in &mut stricter.layers {
            random::restrict(random, text);
        }
        // A policy may contradict itself now.
        let Some(stricter) = load(&stricter) else {
            return;
        };
        for call in calls.iter().map(Call::call) {
            let (now, before) = (stricter.effect(&call), policy.explain(&call));
            // What nobody spoke of, and so was denied, may have found somebody who asks.
            let spoken_of = before.by_default && now == Effect::Ask;
            assert!(now >= before.effect || spoken_of, "{world:?} {call:?}");
        }
    });
}

#[test]
fn stack_parts_evaluator_and_explanation_agree() {
    each(|_, world, policy, calls| {
        let part = |part| PolicyLayer::new(policy.part(part));
        let [tools, capabilities, shell, paths, hosts] = Part::ALL.map(part);
        let whole = policy.stack(Approver::always(Reply::no()), Grants::new());
        let parts = ServiceBuilder::new()
            .layer(policy.review())
            .layer(policy.prompt(Approver::always(Reply::no())))
            .layer(tools)
            .layer(capabilities)
            .layer(shell)
            .layer(paths)
            .layer(hosts)
            .layer(policy.gate())
            .into_inner();
        for call in calls.iter().map(Call::call) {
            let effect = policy.effect(&call);
            let told = policy.explain(&call);
            assert_eq!(told.effect, effect, "{world:?} {call:?}");
            assert_eq!(run(&whole, &call), effect, "whole: {world:?} {call:?}");
            assert_eq!(run(&parts, &call), effect, "parts: {world:?} {call:?}");
        }
    });
}

/// What becomes of a call in a stack where whoever is asked says no.
fn run<L>(layer: &L, call: &ToolCall) -> Effect
where
    L: Layer<fn_tool::Tool>,
    L::Service: Service<ToolCall, Response = (), Error = ToolBlocked>,
{
    let ran = layer
        .layer(fn_tool::new())
        .call(call.clone())
        .now_or_never();
    match ran.unwrap() {
        Ok(()) => Effect::Allow,
        Err(blocked) if blocked.kind() == BlockedKind::Declined => Effect::Ask,
        Err(blocked) if blocked.kind() == BlockedKind::Denied => Effect::Deny,
        Err(blocked) => panic!("{blocked}"),
    }
}

/// A tool that does nothing.
mod fn_tool {
    use std::future::{Ready, ready};

    use super::{Authorized, ToolBlocked, ToolCall};

    type Run = fn(ToolCall<Authorized>) -> Ready<Result<(), ToolBlocked>>;
    pub(super) type Tool = tower::util::ServiceFn<Run>;

    pub(super) fn new() -> Tool {
        tower::service_fn(|_| ready(Ok(())))
    }
}
