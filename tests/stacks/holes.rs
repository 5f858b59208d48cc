//! Holes of earlier sketches. Each test fails when its hole is put back.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use toolgate::{
    Args, Authorized, BlockedKind, Capabilities, CapabilityLayer, CapabilityMap, CapabilityRules,
    Decision, Effect, GateLayer, Policy, PolicyLayer, PromptLayer, ReviewLayer, Reviewing,
    ToolBlocked, ToolCall, ToolDecision, strictest_of,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{ServiceBuilder, ServiceExt, retry, service_fn};

use crate::{always, call};

/// An allow must not skip a deny further in.
#[tokio::test]
async fn an_allow_does_not_hide_a_later_deny() {
    for allow_first in [true, false] {
        let tool = Spy::new();
        let (outer, inner) = match allow_first {
            true => (Decision::allow(), Decision::deny("no")),
            false => (Decision::deny("no"), Decision::allow()),
        };
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PolicyLayer::new(always(outer)))
            .layer(PolicyLayer::new(always(inner)))
            .layer(GateLayer::new())
            .service(tool.clone());

        let blocked = stack.oneshot(call("t")).await.unwrap_err();

        assert_eq!(blocked.kind(), BlockedKind::Denied);
        assert_eq!(blocked.reason(), Some("no"));
        assert_eq!(tool.runs(), 0);
    }
}

/// A vote must count only for the arguments it was cast on.
#[tokio::test]
async fn a_vote_cast_before_a_rewrite_does_not_count() {
    let tool = Spy::new();
    let only_tmp = |call: &ToolCall<Reviewing>| match call.args().get("path") {
        Some(path) if path == "/tmp/x" => Decision::allow(),
        _ => Decision::deny("only /tmp"),
    };
    let redirect = |_: &ToolCall<Reviewing>| {
        Decision::abstain().with_args(Args::new().with("path", "/etc/passwd"))
    };
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(only_tmp))
        .layer(PolicyLayer::new(redirect))
        .layer(GateLayer::new())
        .service(tool.clone());

    let proposed = ToolCall::new("write", Args::new().with("path", "/tmp/x"));
    let blocked = stack.oneshot(proposed).await.unwrap_err();

    assert_eq!(blocked.reason(), Some("only /tmp"));
    assert_eq!(tool.runs(), 0);
}

/// Even a policy that said nothing has to hear of the new arguments.
#[tokio::test]
async fn a_silent_policy_judges_rewritten_arguments_too() {
    let tool = Spy::new();
    let no_etc = |call: &ToolCall<Reviewing>| match call.args().get("path") {
        Some(path) if path == "/etc/passwd" => Decision::deny("not there"),
        _ => Decision::abstain(),
    };
    let redirect = |_: &ToolCall<Reviewing>| {
        Decision::allow().with_args(Args::new().with("path", "/etc/passwd"))
    };
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(no_etc))
        .layer(PolicyLayer::new(redirect))
        .layer(GateLayer::new())
        .service(tool.clone());

    let blocked = stack.oneshot(call("write")).await.unwrap_err();

    assert_eq!(blocked.reason(), Some("not there"));
    assert_eq!(tool.runs(), 0);
}

/// Several policies as one must not hide that they judged different arguments, even if the last
/// of them puts the first arguments back.
#[tokio::test]
async fn votes_on_arguments_that_came_and_went_do_not_count() {
    let tool = Spy::new();
    let path = |path: &str| Args::new().with("path", path);
    let disguise = move |_: &ToolCall<Reviewing>| Decision::abstain().with_args(path("/tmp/x"));
    let only_tmp = |call: &ToolCall<Reviewing>| match call.args().get("path") {
        Some(path) if path == "/tmp/x" => Decision::allow(),
        _ => Decision::abstain(),
    };
    let restore = move |_: &ToolCall<Reviewing>| Decision::abstain().with_args(path("/etc/passwd"));
    let policies: [Box<dyn Policy>; 3] =
        [Box::new(disguise), Box::new(only_tmp), Box::new(restore)];
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(strictest_of(policies)))
        .layer(GateLayer::new())
        .service(tool.clone());

    let blocked = stack
        .oneshot(ToolCall::new("write", path("/etc/passwd")))
        .await
        .unwrap_err();

    assert_eq!(blocked.kind(), BlockedKind::Unsettled);
    assert_eq!(tool.runs(), 0);
}

/// A no must stay a no, even if by the next round every rule that asked has fallen silent.
#[tokio::test]
async fn a_declined_call_does_not_run_because_votes_changed() {
    let tool = Spy::new();
    let rounds = Arc::new(AtomicUsize::new(0));
    let fickle = {
        let rounds = Arc::clone(&rounds);
        move |_: &ToolCall<Reviewing>| match rounds.fetch_add(1, Ordering::SeqCst) {
            0 => Decision::ask("sure?"),
            _ => Decision::allow(),
        }
    };
    let approver = Approver::script([Reply::no()]);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(fickle))
        .layer(GateLayer::new())
        .service(tool.clone());

    let blocked = stack.oneshot(call("t")).await.unwrap_err();

    assert_eq!(blocked.kind(), BlockedKind::Declined);
    assert_eq!((approver.asked(), tool.runs()), (1, 0));
    assert_eq!(
        rounds.load(Ordering::SeqCst),
        2,
        "the second round really allowed it"
    );
}

/// An answer to one rule must not cover another that began to ask meanwhile.
#[tokio::test]
async fn an_answer_covers_only_the_rules_it_was_given_for() {
    let tool = Spy::new();
    let rounds = AtomicUsize::new(0);
    let changing = move |_: &ToolCall<Reviewing>| match rounds.fetch_add(1, Ordering::SeqCst) {
        0 => Decision::ask("may it read?"),
        _ => Decision::ask("may it send?"),
    };
    let approver = Approver::script([Reply::yes(), Reply::no()]);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(changing))
        .layer(GateLayer::new())
        .service(tool.clone());

    let blocked = stack.oneshot(call("t")).await.unwrap_err();

    assert_eq!(blocked.kind(), BlockedKind::Declined);
    let reasons = approver
        .questions()
        .iter()
        .map(|q| q.reasons().join(""))
        .collect::<Vec<_>>();
    assert_eq!(reasons, ["may it read?", "may it send?"]);
    assert_eq!(tool.runs(), 0);
}

/// An answer to one capability must not cover another that a describer found meanwhile.
#[tokio::test]
async fn an_answer_covers_only_the_capabilities_it_was_given_for() {
    let tool = Spy::new();
    let rounds = Arc::new(AtomicUsize::new(0));
    let describer = service_fn(move |_: ToolCall<Reviewing>| {
        let further = (rounds.fetch_add(1, Ordering::SeqCst) > 0).then_some("net.send");
        let labels = ["net.fetch"]
            .into_iter()
            .chain(further)
            .map(|label| label.parse().unwrap());
        let description = toolgate::Description::new().with(labels);
        async move { Ok::<_, std::io::Error>(description) }
    });
    let rules = CapabilityRules::new([("net.*", ToolDecision::NeedsApproval)]).unwrap();
    let approver = Approver::script([Reply::yes(), Reply::no()]);
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

/// A retry between prompt and gate must not use one answer twice.
#[tokio::test]
async fn a_retry_does_not_use_an_answer_twice() {
    let runs = Arc::new(AtomicUsize::new(0));
    let failing = {
        let runs = Arc::clone(&runs);
        service_fn(move |_: ToolCall<Authorized>| {
            let run = runs.fetch_add(1, Ordering::SeqCst);
            async move {
                if run < 3 {
                    Err::<(), _>("tool failed".into())
                } else {
                    Ok(())
                }
            }
        })
    };
    // The second reply stands for whoever is asked again; a retry that needs no second answer
    // would never get there.
    let approver = Approver::script([Reply::yes(), Reply::no()]);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(retry::RetryLayer::new(Bounded(2)))
        .layer(GateLayer::new())
        .service(failing);

    let error: tower::BoxError = stack.oneshot(call("t")).await.unwrap_err();

    assert_eq!(runs.load(Ordering::SeqCst), 1, "one answer, one run");
    assert_eq!(
        approver.asked(),
        2,
        "the retried call was asked about again"
    );
    let blocked = error.downcast::<ToolBlocked>().unwrap();
    assert_eq!(blocked.kind(), BlockedKind::Declined);
}

/// Tries again after a failure of the tool, not after an open call.
#[derive(Clone)]
struct Bounded(usize);

impl<R> retry::Policy<ToolCall<Reviewing>, R, tower::BoxError> for Bounded {
    type Future = std::future::Ready<()>;

    fn retry(
        &mut self,
        _: &mut ToolCall<Reviewing>,
        result: &mut Result<R, tower::BoxError>,
    ) -> Option<Self::Future> {
        let failed = result
            .as_ref()
            .is_err_and(|error| !error.is::<ToolBlocked>());
        self.0 = self.0.checked_sub(1)?;
        failed.then(|| std::future::ready(()))
    }

    fn clone_request(&mut self, call: &ToolCall<Reviewing>) -> Option<ToolCall<Reviewing>> {
        Some(call.clone())
    }
}

/// The open call of a stack behind the tool must not be asked about by the outer one.
#[tokio::test]
async fn a_nested_stacks_open_call_is_only_an_error_outside() {
    let tool = Spy::new();
    let nested = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(GateLayer::new())
        .service(tool.clone());
    let sub_agent =
        service_fn(move |_: ToolCall<Authorized>| nested.clone().oneshot(call("inner")));
    let approver = Approver::always(Reply::yes());
    let outer = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service(sub_agent);

    let blocked = outer.oneshot(call("outer")).await.unwrap_err();

    assert_eq!(blocked.kind(), BlockedKind::NoHandler);
    assert_eq!(blocked.tool().name(), "inner");
    assert!(blocked.is_from_inside_tool());
    assert_eq!((approver.asked(), tool.runs()), (0, 0));
}

/// Labels must be there wherever a policy stands, also outside the capability layer.
#[tokio::test]
async fn a_policy_outside_the_capability_layer_sees_the_labels() {
    let tool = Spy::new();
    let no_exec = |call: &ToolCall<Reviewing>| match call.labels().has("proc.exec") {
        true => Decision::deny("no programs"),
        false => Decision::abstain(),
    };
    let map = CapabilityMap::new([("shell", ["proc.exec".parse().unwrap()])]);
    let rules = CapabilityRules::new([("proc.exec", ToolDecision::PreApproved)]).unwrap();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(map))
        .layer(PolicyLayer::new(no_exec))
        .layer(CapabilityLayer::new(Capabilities::new(rules)))
        .layer(GateLayer::new())
        .service(tool.clone());

    let blocked = stack.oneshot(call("shell")).await.unwrap_err();

    assert_eq!(blocked.reason(), Some("no programs"));
    assert_eq!(tool.runs(), 0);
}

/// Labels must be those of the arguments that run, not of those that came in.
#[tokio::test]
async fn labels_are_made_anew_for_rewritten_arguments() {
    let tool = Spy::new();
    let describe = |call: &ToolCall<Reviewing>| {
        let path = call
            .args()
            .get("path")
            .and_then(|path| path.as_str())
            .unwrap_or("?");
        toolgate::Description::new().with([format!("fs.write({path})").parse().unwrap()])
    };
    let redirect = |_: &ToolCall<Reviewing>| {
        Decision::abstain().with_args(Args::new().with("path", "/etc/passwd"))
    };
    let rules = CapabilityRules::new([
        ("fs.write(/tmp/**)", ToolDecision::PreApproved),
        ("fs.write(/etc/**)", ToolDecision::Blocked),
    ]);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(Describer(describe)))
        .layer(CapabilityLayer::new(Capabilities::new(rules.unwrap())))
        .layer(PolicyLayer::new(redirect))
        .layer(GateLayer::new())
        .service(tool.clone());

    let proposed = ToolCall::new("write", Args::new().with("path", "/tmp/x"));
    let blocked = stack.oneshot(proposed).await.unwrap_err();

    assert_eq!(blocked.kind(), BlockedKind::Denied);
    assert_eq!(blocked.trail().saying(Effect::Deny).count(), 1);
    assert_eq!(tool.runs(), 0);
}

struct Describer<F>(F);

impl<F> toolgate::Describe for Describer<F>
where
    F: Fn(&ToolCall<Reviewing>) -> toolgate::Description + Send + Sync + 'static,
{
    fn describe(
        &self,
        call: &ToolCall<Reviewing>,
        _: &toolgate::ToolEntries<'_>,
    ) -> Result<toolgate::Description, toolgate::DescribeError> {
        Ok((self.0)(call))
    }
}
