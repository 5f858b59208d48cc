//! Several calls at once, and agents that work for others.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use toolgate::{
    AllowedBy, ApprovalDecision, ApprovalRequest, Args, AuditLayer, AuditOutcome, AuditRecord,
    Authorize, Authorized, BlockedAsResultLayer, BlockedKind, Decision, GateLayer, Grants,
    MemoryLayer, Origin, PolicyLayer, PromptLayer, Remember, ReviewLayer, Reviewing, Rule,
    ToolBlocked, ToolCall, ceiling, run_batch,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};

use crate::{always, call};

fn ask_but_free(call: &ToolCall<Reviewing>) -> Decision {
    match call.tool().name() {
        "free" => Decision::allow(),
        "never" => Decision::deny("no"),
        _ => Decision::ask("sure?").by(Rule::new("ask")),
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_runs_before_the_whole_batch_is_settled() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let (asks, runs) = (Arc::clone(&log), Arc::clone(&log));
    let human = service_fn(move |request: ApprovalRequest| {
        asks.lock().unwrap().push(format!("ask {}", request.tool));
        async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            Ok::<_, BoxError>(match request.tool.name() {
                "b" => ApprovalDecision::decline(),
                _ => ApprovalDecision::approve(),
            })
        }
    });
    let tool = service_fn(move |call: ToolCall<Authorized>| {
        runs.lock().unwrap().push(format!("run {}", call.tool()));
        async { Ok::<_, ToolBlocked>(()) }
    });
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(PolicyLayer::new(ask_but_free))
        .layer(GateLayer::new())
        .service(tool);
    let results = run_batch(&stack, ["free", "a", "never", "b", "c"].map(call)).await;
    let kinds: Vec<_> = results
        .iter()
        .map(|r| r.as_ref().err().map(ToolBlocked::kind))
        .collect();
    let (denied, declined) = (Some(BlockedKind::Denied), Some(BlockedKind::Declined));
    assert_eq!(kinds, [None, None, denied, declined, None]);
    let log = log.lock().unwrap();
    assert_eq!(
        *log,
        ["ask a", "ask b", "ask c", "run free", "run a", "run c"]
    );
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_tool_are_answered_one_by_one() {
    let tool = Spy::new();
    let approver = Approver::script([Reply::yes(), Reply::no(), Reply::yes()]);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(ask_but_free))
        .layer(GateLayer::new())
        .service(tool.clone());
    let calls = [1, 2, 1].map(|n| ToolCall::new("f", Args::new().with("n", n)));
    let results = run_batch(&stack, calls).await;
    let ran: Vec<_> = results.iter().map(Result::is_ok).collect();
    assert_eq!(ran, [true, false, true]);
    assert_eq!(
        approver.asked(),
        3,
        "once covers exactly one call, equal ones included"
    );
}

#[tokio::test(start_paused = true)]
async fn a_remembered_answer_settles_equal_calls_of_the_batch() {
    let tool = Spy::new();
    let always = ApprovalDecision::approve().remembered(Remember::Session);
    let approver = Approver::script([Reply::Say(always), Reply::no()]);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(PolicyLayer::new(ask_but_free))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(tool.clone());
    let calls = [1, 1, 2, 1].map(|n| ToolCall::new("f", Args::new().with("n", n)));
    let results = run_batch(&stack, calls).await;
    let ran: Vec<_> = results.iter().map(Result::is_ok).collect();
    assert_eq!(ran, [true, true, false, true]);
    assert_eq!((approver.asked(), tool.runs()), (2, 3));
}

/// A deny that comes while others are still being asked must not be missed.
#[tokio::test(start_paused = true)]
async fn every_call_of_a_batch_is_judged_again_before_it_runs() {
    let tool = Spy::new();
    let open = Arc::new(AtomicUsize::new(1));
    let (switch, closing) = (Arc::clone(&open), Arc::clone(&open));
    let policy = move |call: &ToolCall<Reviewing>| match switch.load(Ordering::SeqCst) {
        0 => Decision::deny("closed meanwhile"),
        _ => ask_but_free(call),
    };
    let human = service_fn(move |_: ApprovalRequest| {
        closing.store(0, Ordering::SeqCst);
        async { Ok::<_, BoxError>(ApprovalDecision::approve()) }
    });
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::new())
        .service(tool.clone());
    let results = run_batch(&stack, ["free", "asked"].map(call)).await;
    assert!(
        results
            .iter()
            .all(|r| r.as_ref().is_err_and(|b| b.kind() == BlockedKind::Denied))
    );
    assert_eq!(tool.runs(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_batch_through_refusals_as_results_still_settles_first() {
    let stack = ServiceBuilder::new()
        .layer(BlockedAsResultLayer::new(|blocked: ToolBlocked| {
            blocked.for_model()
        }))
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(ask_but_free))
        .layer(GateLayer::new())
        .service_fn(|_: ToolCall<Authorized>| async { Ok::<_, ToolBlocked>("ran".to_owned()) });
    let results = run_batch(&stack, ["free", "never"].map(call)).await;
    assert_eq!(results[0].as_deref().unwrap(), "ran");
    assert!(results[1].as_ref().unwrap().contains("did not run"));
}

#[tokio::test(start_paused = true)]
async fn a_child_can_do_no_more_than_its_parent() {
    // What parent and child decide, and how the child's call ends with nobody to ask.
    let denied = Some(BlockedKind::Denied);
    let asked = Some(BlockedKind::NoHandler);
    let (yes, no) = (Decision::allow, || Decision::deny("no"));
    let (ask, none) = (|| Decision::ask("sure?"), Decision::abstain);
    for (parent, child, expected) in [
        (yes(), yes(), None),
        (yes(), none(), asked),
        (yes(), no(), denied),
        (ask(), yes(), asked),
        (none(), yes(), asked),
        (no(), yes(), denied),
        (no(), ask(), denied),
    ] {
        let (parent_tool, tool) = (Spy::new(), Spy::new());
        let approver = Approver::always(Reply::yes());
        let parents = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(approver.clone()))
            .layer(PolicyLayer::new(always(parent)))
            .layer(GateLayer::new())
            .service(parent_tool.clone());
        let childs = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(ceiling(parents))
            .layer(PolicyLayer::new(always(child)))
            .layer(GateLayer::new())
            .service(tool.clone());
        let ended = childs
            .oneshot(call("t"))
            .await
            .err()
            .map(|blocked| blocked.kind());
        assert_eq!(ended, expected);
        assert_eq!(tool.runs(), usize::from(expected.is_none()));
        assert_eq!(
            (approver.asked(), parent_tool.runs()),
            (0, 0),
            "the parent only judges"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_ceiling_follows_the_parent_live_and_its_questions_name_the_child() {
    let approver = Approver::always(Reply::yes());
    let permits = Arc::new(AtomicUsize::new(1));
    let switch = Arc::clone(&permits);
    let policy = move |_: &ToolCall<Reviewing>| match switch.load(Ordering::SeqCst) {
        0 => Decision::deny("revoked"),
        _ => Decision::ask("the parent would ask").by(Rule::new("r")),
    };
    let parent = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let child = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(ceiling(parent))
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let from_child = || call("t").with_origin(Origin::new().with_agent("root").child("helper"));
    assert!(child.clone().oneshot(from_child()).await.is_ok());
    let question = approver.questions().pop().unwrap();
    assert_eq!(question.origin.agent().to_string(), "root/helper");
    assert_eq!(question.reasons(), ["the parent would ask"]);
    permits.store(0, Ordering::SeqCst);
    assert_eq!(
        child.oneshot(from_child()).await.unwrap_err().kind(),
        BlockedKind::Denied
    );
}

#[tokio::test(start_paused = true)]
async fn a_parents_grant_counts_for_a_child_only_if_it_may_be_passed_on() {
    for delegable in [false, true] {
        let grants = Grants::new();
        let yes = ApprovalDecision::approve().remembered(Remember::Session);
        let yes = if delegable { yes.delegable() } else { yes };
        let parent = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(Approver::always(Reply::Say(yes))))
            .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
            .layer(MemoryLayer::new(grants.clone()))
            .layer(GateLayer::new())
            .service(Authorize::new());
        let root = Origin::new().with_agent("root");
        let own = parent.clone().oneshot(call("t").with_origin(root.clone()));
        assert!(own.await.is_ok());
        let child = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(ceiling(parent))
            .layer(PolicyLayer::new(always(Decision::allow())))
            .layer(GateLayer::new())
            .service(Authorize::new());
        let ended = child.oneshot(call("t").with_origin(root.child("x"))).await;
        assert_eq!(ended.is_ok(), delegable);
    }
}

#[tokio::test(start_paused = true)]
async fn an_audit_has_one_record_for_each_call_of_a_batch() {
    let records = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&records);
    let stack = ServiceBuilder::new()
        .layer(AuditLayer::new(move |record: &AuditRecord| {
            sink.lock()
                .unwrap()
                .push((record.tool.to_string(), record.outcome));
        }))
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(Approver::always(Reply::yes())))
        .layer(PolicyLayer::new(ask_but_free))
        .layer(GateLayer::new())
        .service(Spy::new());
    run_batch(&stack, ["free", "never", "asked"].map(call)).await;
    let records = records.lock().unwrap();
    let of = |tool: &str| -> Vec<_> {
        let own = records.iter().filter(|(name, _)| name == tool);
        own.map(|(_, outcome)| *outcome).collect()
    };
    assert_eq!(
        of("free"),
        [AuditOutcome::Allowed {
            by: AllowedBy::Rules
        }]
    );
    assert_eq!(
        of("asked"),
        [AuditOutcome::Allowed {
            by: AllowedBy::Human
        }]
    );
    assert_eq!(
        of("never"),
        [AuditOutcome::Blocked {
            kind: BlockedKind::Denied
        }]
    );
}
