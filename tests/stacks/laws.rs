//! The laws on the library's own policies and on a stack as users write them.

use std::sync::Arc;

use toolgate::{
    Args, Capabilities, CapabilityLayer, CapabilityMap, CapabilityRules, Decision, GateLayer,
    Policy, PolicyLayer, PromptLayer, ReviewLayer, Reviewing, ToolCall, ToolConfig, ToolDecision,
    ToolRules, ToolRulesLayer, ceiling, first_of, for_tools, strictest_of, when,
};
use toolgate_test::{Approver, Spy, Stack, calls, laws, stack};
use tower::{
    ServiceBuilder,
    util::{BoxCloneSyncService, option_layer},
};

use crate::always;

const TOOLS: [&str; 4] = ["read", "write", "delete_all", "unknown"];

fn tool_rules() -> ToolRules {
    ToolRules::new([
        ("read", ToolConfig::pre_approved()),
        ("write", ToolConfig::needs_approval()),
        ("delete_*", ToolConfig::blocked()),
    ])
    .unwrap()
}

#[test]
fn hold_for_tool_rules() {
    let rules = tool_rules();
    rules.require_for("read");
    laws::hold_for_policy(rules, calls(TOOLS));
    laws::hold_for_policy(tool_rules(), calls(TOOLS));
}

#[test]
fn hold_for_combinators() {
    let boxed = |decision| Box::new(always(decision)) as Box<dyn Policy>;
    let few = || {
        [
            boxed(Decision::abstain()),
            boxed(Decision::allow()),
            boxed(Decision::ask("?")),
        ]
    };
    laws::hold_for_policy(strictest_of(few()), calls(TOOLS));
    laws::hold_for_policy(first_of(few()), calls(TOOLS));
    let short = |call: &ToolCall<Reviewing>| call.args().len() < 2;
    laws::hold_for_policy(
        when(short, tool_rules()).otherwise(first_of(few())),
        calls(TOOLS),
    );
    laws::hold_for_policy(for_tools(["r*"], tool_rules()).unwrap(), calls(TOOLS));
}

#[test]
fn hold_for_a_policy_that_rewrites() {
    let sanitise = |call: &ToolCall<Reviewing>| {
        Decision::allow().with_args(call.args().filtered(|key| key.len() < 3))
    };
    laws::hold_for_policy(sanitise, calls(TOOLS));
    let empty = |call: &ToolCall<Reviewing>| match call.args().is_empty() {
        true => Decision::allow(),
        false => Decision::ask("not empty").with_args(Args::new()),
    };
    laws::hold_for_policy(empty, calls(TOOLS));
}

#[test]
fn hold_for_a_whole_stack() {
    let build = |further: Vec<Arc<dyn Policy>>, approver: Option<Approver>, tool: Spy| -> Stack {
        let further = further
            .into_iter()
            .map(|policy| Box::new(policy) as Box<dyn Policy>);
        let map = CapabilityMap::new([("read", ["fs.read".parse().unwrap()])]);
        let rules = CapabilityRules::new([("fs.read", ToolDecision::PreApproved)]).unwrap();
        BoxCloneSyncService::new(
            ServiceBuilder::new()
                .layer(
                    ReviewLayer::new()
                        .describe(map)
                        .with_tool_rules(tool_rules()),
                )
                .layer(option_layer(approver.map(PromptLayer::new)))
                .layer(ToolRulesLayer::new(tool_rules()))
                .layer(CapabilityLayer::new(
                    Capabilities::new(rules).with_tool_rules(tool_rules()),
                ))
                .layer(PolicyLayer::new(strictest_of(further)))
                .layer(GateLayer::new())
                .service(tool),
        )
    };
    laws::hold_for_stack(build, || calls(TOOLS));
}

#[test]
fn a_ceiling_holds() {
    let parent = |spy: Spy| stack([tool_rules()], None, spy);
    let child = |parent: Stack, spy: Spy| -> Stack {
        BoxCloneSyncService::new(
            ServiceBuilder::new()
                .layer(ReviewLayer::new())
                .layer(ceiling(parent))
                .layer(PolicyLayer::new(always(Decision::allow())))
                .layer(GateLayer::new())
                .service(spy),
        )
    };
    laws::a_child_does_no_more_than_its_parent(&parent, &child, calls(TOOLS));
}

/// The kit must be able to fail: each of these breaks the law that it is named for.
mod broken {
    use super::*;

    fn without_further(_: Vec<Arc<dyn Policy>>, approver: Option<Approver>, tool: Spy) -> Stack {
        stack([always(Decision::allow())], approver, tool)
    }

    #[test]
    #[should_panic(expected = "a child does no more than its parent")]
    fn a_child_without_a_ceiling_is_found() {
        let parent = |spy: Spy| stack([tool_rules()], None, spy);
        let child = |_: Stack, spy: Spy| stack([always(Decision::allow())], None, spy);
        laws::a_child_does_no_more_than_its_parent(&parent, &child, calls(TOOLS));
    }

    #[test]
    #[should_panic(expected = "a failed answer runs nothing")]
    fn a_stack_that_takes_a_failure_for_a_yes_is_found() {
        laws::a_failed_answer_runs_nothing(&without_further, calls(TOOLS));
    }

    #[test]
    #[should_panic(expected = "a dropped call runs nothing")]
    fn a_stack_that_runs_before_it_asks_is_found() {
        laws::a_dropped_call_runs_nothing(&without_further, calls(TOOLS));
    }

    #[test]
    #[should_panic(expected = "a deny anywhere is a deny")]
    fn a_stack_that_drops_a_deny_is_found() {
        laws::deny_is_final(&without_further, calls(TOOLS));
    }

    #[test]
    #[should_panic(expected = "restricting never lets more through")]
    fn a_stack_that_drops_a_restriction_is_found() {
        laws::restricting_never_lets_more_through(&without_further, calls(TOOLS));
    }

    #[test]
    #[should_panic(expected = "what nobody can answer is blocked")]
    fn a_stack_that_asks_nobody_and_runs_is_found() {
        laws::what_nobody_can_answer_is_blocked(&without_further, calls(TOOLS));
    }

    #[test]
    #[should_panic(expected = "the order of policies does not matter")]
    fn a_policy_that_looks_at_other_votes_is_found() {
        let nosy = |call: &ToolCall<Reviewing>| match call.trail().is_empty() {
            true => Decision::allow(),
            false => Decision::deny("somebody spoke before"),
        };
        laws::hold_for_policy(nosy, calls(TOOLS));
    }

    #[test]
    #[should_panic(expected = "what runs is what was shown")]
    fn a_policy_that_denies_what_was_approved_is_found() {
        let rounds = std::sync::atomic::AtomicUsize::new(0);
        let fickle = move |_: &ToolCall<Reviewing>| match rounds
            .fetch_add(1, std::sync::atomic::Ordering::SeqCst)
            % 2
        {
            0 => Decision::abstain(),
            _ => Decision::deny("changed its mind"),
        };
        let policy: Arc<dyn Policy> = Arc::new(fickle);
        let build = |mut further: Vec<Arc<dyn Policy>>, approver, tool| {
            further.push(Arc::clone(&policy));
            stack(further, approver, tool)
        };
        laws::what_runs_was_shown(&build, calls(TOOLS));
    }
}
