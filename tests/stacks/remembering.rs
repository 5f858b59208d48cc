//! What is remembered, for whom, for how long, and what is not.

mod limits;
mod stores;
mod suggesting;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use serde_json::json;
use toolgate::{
    AllowedBy, ApprovalDecision, ApprovalRequest, Args, BlockedKind, Decision, DefinitionDigest,
    GateLayer, GrantDecision, Grants, MemoryLayer, Mode, ModeSwitch, PolicyLayer, PromptLayer,
    Remember, ReviewLayer, Rule, ToolCall, ToolId,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};

use crate::{always, call};

fn yes(remember: Remember) -> ApprovalDecision {
    ApprovalDecision::approve().remembered(remember)
}

fn no(remember: Remember) -> ApprovalDecision {
    ApprovalDecision::decline().remembered(remember)
}

/// A stack that asks about everything, remembers in `grants`, and is answered by a script.
struct Rig {
    tool: Spy,
    approver: Approver,
    grants: Grants,
    mode: ModeSwitch,
    decision: Decision,
}

impl Rig {
    fn new(replies: impl IntoIterator<Item = ApprovalDecision>) -> Self {
        Self {
            tool: Spy::new(),
            approver: Approver::script(replies.into_iter().map(Reply::Say)),
            grants: Grants::new(),
            mode: ModeSwitch::default(),
            decision: Decision::ask("sure?").by(Rule::new("r")),
        }
    }

    async fn run(&self, call: ToolCall) -> Result<AllowedBy, BlockedKind> {
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(self.approver.clone()).with_mode(self.mode.clone()))
            .layer(PolicyLayer::new(always(self.decision.clone())))
            .layer(MemoryLayer::new(self.grants.clone()))
            .layer(GateLayer::new())
            .service(self.tool.clone());
        let ended = stack.oneshot(call).await;
        ended.map_err(|blocked| blocked.kind())?;
        Ok(self.tool.allowed_by().pop().unwrap())
    }
}

fn with(args: serde_json::Value) -> ToolCall {
    ToolCall::new("t", args.try_into().unwrap())
}

#[tokio::test]
async fn once_is_once() {
    let rig = Rig::new([yes(Remember::Once), no(Remember::Once)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::Declined));
    assert!(rig.grants.list().is_empty());
}

#[tokio::test]
async fn a_yes_is_remembered_for_equal_payloads_and_no_others() {
    let rig = Rig::new([yes(Remember::Session)]);
    let first = json!({"a": 1, "b": {"x": [1, 2], "y": null}});
    assert_eq!(rig.run(with(first)).await, Ok(AllowedBy::Human));
    let reordered = Args::parse(r#"{"b": {"y": null, "x": [1, 2]}, "a": 1}"#).unwrap();
    assert_eq!(
        rig.run(ToolCall::new("t", reordered)).await,
        Ok(AllowedBy::Memory)
    );
    for other in [
        json!({"a": 1.0, "b": {"x": [1, 2], "y": null}}),
        json!({"a": true, "b": {"x": [1, 2], "y": null}}),
        json!({"a": 1, "b": {"x": [2, 1], "y": null}}),
        json!({"a": 1, "b": {"x": [1, 2]}}),
        json!({"a": 1, "b": {"x": [1, 2], "y": null}, "c": 0}),
        json!({"a": 1}),
    ] {
        let asked = rig.approver.asked();
        assert_eq!(
            rig.run(with(other.clone())).await,
            Err(BlockedKind::HandlerFailed),
            "{other}"
        );
        assert_eq!(rig.approver.asked(), asked + 1);
    }
}

#[tokio::test]
async fn a_no_is_remembered_and_wins_over_a_yes() {
    let rig = Rig::new([
        no(Remember::Session).with_note("never"),
        yes(Remember::Session),
    ]);
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::Declined));
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::RememberedDenial));
    assert_eq!(rig.approver.asked(), 1);
    let mut allow = rig.grants.list().pop().unwrap();
    allow.decision = GrantDecision::Allow;
    rig.grants.add(allow);
    assert_eq!(rig.grants.list().len(), 2, "a yes does not replace a no");
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::RememberedDenial));
    let denial = rig
        .grants
        .list()
        .into_iter()
        .find(|g| g.decision == GrantDecision::Deny);
    assert!(rig.grants.revoke(denial.unwrap().id));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
}

#[tokio::test]
async fn a_grant_answers_only_the_rules_its_question_named() {
    let mut rig = Rig::new([yes(Remember::Always), yes(Remember::Always)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    rig.decision = Decision::ask("a new reason").by(Rule::new("new"));
    assert_eq!(
        rig.run(call("t")).await,
        Ok(AllowedBy::Human),
        "a newly configured ask is asked"
    );
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    rig.decision = Decision::deny("no").by(Rule::new("r"));
    assert_eq!(
        rig.run(call("t")).await,
        Err(BlockedKind::Denied),
        "a grant turns no deny"
    );
}

#[tokio::test]
async fn the_gates_own_asks_are_remembered_too() {
    let mut rig = Rig::new([yes(Remember::Session)]);
    rig.decision = Decision::abstain();
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    rig.decision = Decision::ask("sure?").by(Rule::new("r"));
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::HandlerFailed));
}

#[tokio::test]
async fn another_definition_of_a_tool_voids_its_grants() {
    let rig = Rig::new([yes(Remember::Always)]);
    let defined = |n: u8| {
        let id = ToolId::new("t")
            .on_server("s")
            .defined_as(DefinitionDigest::new([n; 32]));
        ToolCall::new(id, Args::new())
    };
    assert_eq!(rig.run(defined(1)).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(defined(1)).await, Ok(AllowedBy::Memory));
    assert_eq!(rig.run(defined(2)).await, Err(BlockedKind::HandlerFailed));
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::HandlerFailed));
}

#[tokio::test]
async fn strict_mode_applies_what_was_declined_and_nothing_else() {
    let rig = Rig::new([yes(Remember::Always), no(Remember::Always)]);
    assert_eq!(rig.run(with(json!({"n": 1}))).await, Ok(AllowedBy::Human));
    assert_eq!(
        rig.run(with(json!({"n": 2}))).await,
        Err(BlockedKind::Declined)
    );
    rig.mode.set(Mode::Strict);
    assert_eq!(
        rig.run(with(json!({"n": 1}))).await,
        Err(BlockedKind::Strict)
    );
    assert_eq!(
        rig.run(with(json!({"n": 2}))).await,
        Err(BlockedKind::RememberedDenial)
    );
    rig.mode.set(Mode::ApproveAll);
    assert_eq!(
        rig.run(with(json!({"n": 3}))).await,
        Ok(AllowedBy::ApproveAll)
    );
    assert_eq!(
        rig.run(with(json!({"n": 2}))).await,
        Err(BlockedKind::RememberedDenial)
    );
    assert_eq!(
        rig.grants.list().len(),
        2,
        "what the mode approved is not remembered"
    );
}

#[tokio::test]
async fn edited_arguments_are_what_is_remembered() {
    let edited = Args::new().with("n", 2);
    let said = ApprovalDecision::edit(edited.clone()).remembered(Remember::Session);
    let rig = Rig::new([said]);
    assert_eq!(rig.run(with(json!({"n": 1}))).await, Ok(AllowedBy::Human));
    assert_eq!(rig.grants.list()[0].payload, edited);
    assert_eq!(rig.run(with(json!({"n": 2}))).await, Ok(AllowedBy::Memory));
    assert_eq!(
        rig.run(with(json!({"n": 1}))).await,
        Err(BlockedKind::HandlerFailed)
    );
}

#[tokio::test(start_paused = true)]
async fn one_always_settles_all_equal_calls_behind_it() {
    let tool = Spy::new();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let human = service_fn(move |_: ApprovalRequest| {
        count.fetch_add(1, Ordering::SeqCst);
        async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok::<_, BoxError>(yes(Remember::Always))
        }
    });
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(tool.clone());
    let ended = join_all([(); 20].map(|()| stack.clone().oneshot(call("t")))).await;
    assert!(ended.iter().all(Result::is_ok));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    assert_eq!(tool.runs(), 20);
}
