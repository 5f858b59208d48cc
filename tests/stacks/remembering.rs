//! What is remembered, for whom, for how long, and what is not.

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
    AllowedBy, Answering, ApprovalDecision, ApprovalRequest, Args, BlockedKind, Decision,
    DefinitionDigest, Found, GateLayer, Grant, GrantDecision, GrantQuery, GrantStore, Grants,
    MemoryLayer, Mode, ModeSwitch, Origin, PolicyLayer, PromptLayer, Remember, ReviewLayer, Rule,
    StoreError, ToolBlocked, ToolCall, ToolConfig, ToolId, ToolRules, ToolRulesLayer, Vote,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};

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
async fn a_session_is_a_session_whatever_its_branch() {
    let rig = Rig::new([yes(Remember::Session), yes(Remember::Session)]);
    let from = |session: &str, branch: &str| {
        call("t").with_origin(Origin::new().with_session(session).with_branch(branch))
    };
    assert_eq!(rig.run(from("s", "a")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(from("s", "b")).await, Ok(AllowedBy::Memory));
    assert_eq!(rig.run(from("other", "a")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.grants.end_session(Some("s")), 1);
    assert_eq!(
        rig.run(from("s", "a")).await,
        Err(BlockedKind::HandlerFailed)
    );
}

#[tokio::test]
async fn always_spans_sessions_but_not_principals_or_projects() {
    let rig = Rig::new([yes(Remember::Always)]);
    let from = |principal: &str, project: &str, session: &str| {
        let origin = Origin::new()
            .with_principal(principal)
            .with_project(project);
        call("t").with_origin(origin.with_session(session))
    };
    assert_eq!(rig.run(from("ann", "p", "1")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(from("ann", "p", "2")).await, Ok(AllowedBy::Memory));
    for foreign in [from("bob", "p", "1"), from("ann", "q", "1"), call("t")] {
        assert_eq!(rig.run(foreign).await, Err(BlockedKind::HandlerFailed));
    }
}

#[tokio::test]
async fn a_session_grant_without_a_session_does_not_hold_in_one() {
    let rig = Rig::new([yes(Remember::Session)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    let elsewhere = call("t").with_origin(Origin::new().with_session("s"));
    assert_eq!(rig.run(elsewhere).await, Err(BlockedKind::HandlerFailed));
}

#[tokio::test]
async fn a_child_inherits_a_no_and_a_yes_only_if_it_may_be_passed_on() {
    let root = Origin::new().with_agent("root");
    let child = || call("t").with_origin(root.child("x"));
    let parent = || call("t").with_origin(root.clone());
    for (said, expected) in [
        (yes(Remember::Session), Err(BlockedKind::HandlerFailed)),
        (yes(Remember::Session).delegable(), Ok(AllowedBy::Memory)),
        (no(Remember::Session), Err(BlockedKind::RememberedDenial)),
    ] {
        let rig = Rig::new([said]);
        let _ = rig.run(parent()).await;
        assert_eq!(rig.run(child()).await, expected);
    }
    let rig = Rig::new([yes(Remember::Session).delegable()]);
    assert_eq!(rig.run(child()).await, Ok(AllowedBy::Human));
    assert_eq!(
        rig.run(parent()).await,
        Err(BlockedKind::HandlerFailed),
        "not upwards"
    );
}

#[tokio::test(start_paused = true)]
async fn a_grant_ends_in_time_and_after_its_uses() {
    let rig = Rig::new([yes(Remember::Session).expiring_in(Duration::from_secs(60))]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    tokio::time::advance(Duration::from_secs(59)).await;
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::HandlerFailed));
    assert!(rig.grants.list().is_empty());

    let rig = Rig::new([yes(Remember::Session).for_uses(2)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    assert_eq!(rig.grants.list()[0].uses, Some(1));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::HandlerFailed));
}

#[tokio::test]
async fn a_use_is_not_spent_on_a_call_that_does_not_run() {
    let mut rig = Rig::new([yes(Remember::Session).for_uses(1)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    // Another rule asks as well, and nothing is remembered for that one.
    let both = rig
        .decision
        .clone()
        .and(Vote::ask("more?").by(Rule::new("other")));
    let only = std::mem::replace(&mut rig.decision, both);
    assert_eq!(rig.run(call("t")).await, Err(BlockedKind::HandlerFailed));
    rig.decision = only;
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
async fn the_payload_decides_what_is_the_same_operation() {
    let tool = Spy::new();
    let approver = Approver::script([Reply::Say(yes(Remember::Session))]);
    let rules =
        ToolRules::new([("mail", ToolConfig::needs_approval().remember_by(["to"]))]).unwrap();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().with_tool_rules(rules.clone()))
        .layer(PromptLayer::new(approver.clone()))
        .layer(ToolRulesLayer::new(rules))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(tool.clone());
    let mail =
        |to: &str, body: &str| ToolCall::new("mail", Args::new().with("to", to).with("body", body));
    stack.clone().oneshot(mail("ann", "hello")).await.unwrap();
    stack.clone().oneshot(mail("ann", "again")).await.unwrap();
    assert_eq!(approver.asked(), 1);
    assert!(stack.oneshot(mail("bob", "hello")).await.is_err());
}

#[tokio::test]
async fn suggestions_go_from_exact_to_broad_and_can_be_chosen() {
    let broad = Arc::new(AtomicUsize::new(0));
    let chosen = Arc::clone(&broad);
    let human = service_fn(move |request: ApprovalRequest| {
        let suggestion = request.suggestions[chosen.load(Ordering::SeqCst)].clone();
        async move { Ok::<_, BoxError>(yes(Remember::Session).suggested(&suggestion)) }
    });
    let tool = Spy::new();
    let rules = ToolRules::new([("t", ToolConfig::needs_approval())]).unwrap();
    let run = async |grants: &Grants, args: serde_json::Value| {
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(human.clone()))
            .layer(ToolRulesLayer::new(rules.clone()))
            .layer(MemoryLayer::new(grants.clone()))
            .layer(GateLayer::new())
            .service(tool.clone());
        stack.oneshot(with(args)).await.unwrap();
        tool.allowed_by().pop().unwrap()
    };
    for (choice, same_a, other) in [
        (0, AllowedBy::Human, AllowedBy::Human),
        (1, AllowedBy::Memory, AllowedBy::Human),
        (2, AllowedBy::Memory, AllowedBy::Memory),
    ] {
        let grants = Grants::new();
        broad.store(choice, Ordering::SeqCst);
        assert_eq!(
            run(&grants, json!({"a": 1, "b": 1})).await,
            AllowedBy::Human
        );
        broad.store(0, Ordering::SeqCst);
        assert_eq!(
            run(&grants, json!({"a": 1, "b": 2})).await,
            same_a,
            "choice {choice}"
        );
        assert_eq!(
            run(&grants, json!({"a": 2, "b": 2})).await,
            other,
            "choice {choice}"
        );
    }
}

#[tokio::test]
async fn nothing_broader_is_suggested_where_a_policy_may_deny_by_arguments() {
    let rig = Rig::new([yes(Remember::Session)]);
    rig.run(with(json!({"a": 1, "b": 2}))).await.unwrap();
    assert_eq!(rig.approver.questions()[0].suggestions.len(), 1);
    assert!(rig.grants.is_remembered(&rig.approver.questions()[0]));
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

#[tokio::test]
async fn what_is_exported_is_imported_whole_or_not_at_all() {
    let rig = Rig::new([yes(Remember::Always), no(Remember::Session)]);
    let _ = rig.run(with(json!({"n": 1}))).await;
    let _ = rig.run(with(json!({"n": 2}))).await;
    let lasting = Grants::new();
    lasting.import(&rig.grants.export().unwrap()).unwrap();
    assert_eq!(lasting.list().len(), 1, "a session ends with its process");
    let saved = rig.grants.export_with_sessions().unwrap();
    let restored = Grants::new();
    restored.import(&saved).unwrap();
    assert_eq!(restored.list().len(), 2);

    for broken in [
        saved[..saved.len() - 3].to_owned(),
        saved.replace("\"version\": 1", "\"version\": 2"),
        saved.replace("\"allow\"", "\"alow\""),
        saved.replace("\"exact\"", "\"exakt\""),
        saved.clone() + "x",
        String::new(),
    ] {
        let grants = Grants::new();
        assert!(grants.import(&broken).is_err(), "{broken}");
        assert!(grants.list().is_empty());
    }
}

/// A store that waits before it answers, or fails.
struct Remote {
    grants: Grants,
    fails: bool,
}

impl GrantStore for Remote {
    fn lookup(&self, query: &GrantQuery<'_>) -> Answering<Result<Found, StoreError>> {
        let found = GrantStore::lookup(&self.grants, query);
        let fails = self.fails;
        Answering::Later(Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            if fails {
                Err(StoreError::new("corrupt"))
            } else {
                found.wait().await
            }
        }))
    }

    fn record(&self, grants: Vec<Grant>) -> Answering<Result<(), StoreError>> {
        let recorded = self.grants.record(grants);
        Answering::Later(Box::pin(recorded.wait()))
    }
}

async fn through_remote(
    fails: bool,
    approver: &Approver,
    grants: &Grants,
) -> Result<(), ToolBlocked> {
    let mut stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(MemoryLayer::new(Remote {
            grants: grants.clone(),
            fails,
        }))
        .layer(GateLayer::new())
        .service(Spy::new());
    stack.ready().await?.call(call("t")).await.map(drop)
}

#[tokio::test(start_paused = true)]
async fn a_store_may_take_its_time_and_one_that_fails_has_no_grants() {
    let grants = Grants::new();
    let approver = Approver::script([Reply::Say(yes(Remember::Session)), Reply::no()]);
    through_remote(false, &approver, &grants).await.unwrap();
    through_remote(false, &approver, &grants).await.unwrap();
    assert_eq!((approver.asked(), grants.list().len()), (1, 1));
    let blocked = through_remote(true, &approver, &grants).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Declined, "it was asked about");
    assert_eq!(approver.asked(), 2);
}

/// Whoever shows the question cannot make the answer hold for more than was offered.
#[tokio::test]
async fn an_answer_for_more_than_was_offered_is_not_taken() {
    let mut broad = yes(Remember::Always);
    broad.without = vec!["path".into()];
    let rig = Rig::new([broad]);
    let ended = rig
        .run(with(json!({"path": "/tmp/x", "text": "hello"})))
        .await;
    assert_eq!(ended, Err(BlockedKind::HandlerFailed));
    assert!(rig.grants.list().is_empty());
    assert_eq!(rig.tool.runs(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_grant_for_longer_than_the_clock_reaches_is_one_without_an_end() {
    let rig = Rig::new([yes(Remember::Session).expiring_in(Duration::MAX)]);
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Human));
    assert_eq!(rig.run(call("t")).await, Ok(AllowedBy::Memory));
}

#[tokio::test]
async fn nothing_is_suggested_where_nothing_is_remembered() {
    for remembers in [true, false] {
        let asked = Arc::new(AtomicUsize::new(0));
        let offered = Arc::clone(&asked);
        let human = service_fn(move |request: ApprovalRequest| {
            offered.store(request.suggestions.len(), Ordering::SeqCst);
            async { Ok::<_, BoxError>(ApprovalDecision::approve()) }
        });
        let outside = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(human));
        let gate = GateLayer::new();
        if remembers {
            let memory = MemoryLayer::new(Grants::new());
            let stack = outside.layer(memory).layer(gate).service(Spy::new());
            stack.oneshot(call("t")).await.unwrap();
        } else {
            let stack = outside.layer(gate).service(Spy::new());
            stack.oneshot(call("t")).await.unwrap();
        }
        assert_eq!(asked.load(Ordering::SeqCst) > 0, remembers);
    }
}
