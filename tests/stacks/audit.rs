//! One record for every outcome.

mod arguments;
mod file;
mod times;

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolgate::{
    AllowedBy, Answerer, ApprovalDecision, AuditLayer, AuditOutcome, AuditRecord,
    BlockedAsResultLayer, BlockedKind, Decision, GateLayer, Grants, MemoryLayer, Mode, ModeSwitch,
    PolicyLayer, PromptLayer, Remember, ReviewLayer, Reviewing, Rule, ToolBlocked, ToolCall,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn, util::BoxCloneSyncService};

use crate::{always, call};

/// Keeps every record.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<AuditRecord>>>);

impl Log {
    fn layer(&self) -> AuditLayer {
        let log = self.clone();
        AuditLayer::new(move |record: &AuditRecord| log.0.lock().unwrap().push(record.clone()))
    }

    /// The one record there is.
    fn only(&self) -> AuditRecord {
        let records = std::mem::take(&mut *self.0.lock().unwrap());
        assert_eq!(records.len(), 1, "exactly one record: {records:?}");
        records.into_iter().next().unwrap()
    }
}

type Tools = BoxCloneSyncService<ToolCall, serde_json::Value, BoxError>;

/// A stack under audit, with everything that a test may want to change.
struct Rig {
    log: Log,
    audit: AuditLayer,
    tool: Spy<BoxError>,
    decision: Decision,
    approver: Approver,
    mode: ModeSwitch,
    grants: Grants,
}

impl Rig {
    fn new(decision: Decision, reply: Reply) -> Self {
        let log = Log::default();
        Self {
            audit: log.layer(),
            log,
            tool: Spy::with_error(),
            decision: decision.by(Rule::new("r")),
            approver: Approver::always(reply),
            mode: ModeSwitch::default(),
            grants: Grants::new(),
        }
    }

    fn stack(&self) -> Tools {
        let stack = ServiceBuilder::new()
            .layer(self.audit.clone())
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(self.approver.clone()).with_mode(self.mode.clone()))
            .layer(PolicyLayer::new(always(self.decision.clone())).named("policy"))
            .layer(MemoryLayer::new(self.grants.clone()))
            .layer(GateLayer::new())
            .service(self.tool.clone());
        BoxCloneSyncService::new(stack)
    }

    async fn run(&self) -> AuditRecord {
        let _ = self.stack().oneshot(call("t")).await;
        self.log.only()
    }
}

fn allowed(by: AllowedBy) -> AuditOutcome {
    AuditOutcome::Allowed { by }
}

fn blocked(kind: BlockedKind) -> AuditOutcome {
    AuditOutcome::Blocked { kind }
}

fn remembered(decision: ApprovalDecision) -> Reply {
    Reply::Say(decision.remembered(Remember::Session))
}

#[tokio::test(start_paused = true)]
async fn every_outcome_has_one_record_that_says_how_and_by_whom() {
    let (ask, yes, no) = (|| Decision::ask("sure?"), Reply::yes, Reply::no);
    for (decision, reply, mode, outcome, answered_by, runs) in [
        (
            Decision::allow(),
            no(),
            0,
            allowed(AllowedBy::Rules),
            None,
            1,
        ),
        (
            ask(),
            yes(),
            0,
            allowed(AllowedBy::Human),
            Some(Answerer::Human),
            1,
        ),
        (
            ask(),
            no(),
            1,
            allowed(AllowedBy::ApproveAll),
            Some(Answerer::ApproveAll),
            1,
        ),
        (
            Decision::deny("no"),
            yes(),
            0,
            blocked(BlockedKind::Denied),
            None,
            0,
        ),
        (
            ask(),
            no(),
            0,
            blocked(BlockedKind::Declined),
            Some(Answerer::Human),
            0,
        ),
        (ask(), yes(), 2, blocked(BlockedKind::Strict), None, 0),
        (
            ask(),
            Reply::Hang,
            0,
            blocked(BlockedKind::TimedOut),
            None,
            0,
        ),
        (
            ask(),
            Reply::Fail,
            0,
            blocked(BlockedKind::HandlerFailed),
            None,
            0,
        ),
        (
            ask(),
            Reply::Panic,
            0,
            blocked(BlockedKind::HandlerFailed),
            None,
            0,
        ),
    ] {
        let effect = decision.effect().unwrap();
        let rig = Rig::new(decision, reply);
        rig.mode
            .set([Mode::Interactive, Mode::ApproveAll, Mode::Strict][mode]);
        let record = rig.run().await;
        assert_eq!(record.outcome, outcome);
        assert_eq!(record.answered_by, answered_by, "{outcome:?}");
        assert_eq!(
            (record.runs, rig.tool.runs()),
            (runs, runs as usize),
            "{outcome:?}"
        );
        let [rule] = &record.rules[..] else {
            unreachable!("{record:?}")
        };
        assert_eq!((&*rule.layer, rule.rule.as_deref()), ("policy", Some("r")));
        assert_eq!(rule.effect, effect);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_remembered_is_answered_by_memory() {
    for (reply, outcome, runs) in [
        (ApprovalDecision::approve(), allowed(AllowedBy::Memory), 2),
        (
            ApprovalDecision::decline(),
            blocked(BlockedKind::RememberedDenial),
            0,
        ),
    ] {
        let rig = Rig::new(Decision::ask("sure?"), remembered(reply));
        assert_eq!(rig.run().await.answered_by, Some(Answerer::Human));
        let record = rig.run().await;
        assert_eq!(
            (record.outcome, record.answered_by),
            (outcome, Some(Answerer::Memory))
        );
        assert_eq!(rig.tool.runs(), runs);
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_to_ask_and_the_default_are_recorded_too() {
    for (gate, outcome, runs) in [
        (GateLayer::new(), blocked(BlockedKind::NoHandler), 0),
        (
            GateLayer::deny_by_default(),
            blocked(BlockedKind::Denied),
            0,
        ),
        (
            GateLayer::dangerous_allow_by_default(),
            allowed(AllowedBy::Default),
            1,
        ),
    ] {
        let (log, tool) = (Log::default(), Spy::new());
        let stack = ServiceBuilder::new()
            .layer(log.layer())
            .layer(ReviewLayer::new())
            .layer(gate)
            .service(tool.clone());
        let _ = stack.oneshot(call("t")).await;
        assert_eq!(log.only().outcome, outcome);
        assert_eq!(tool.runs(), runs);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_became_a_result_is_still_a_refusal() {
    let (log, tool) = (Log::default(), Spy::new());
    let as_text = BlockedAsResultLayer::new(|blocked: ToolBlocked| json!(blocked.for_model()));
    let stack = ServiceBuilder::new()
        .layer(log.layer())
        .layer(as_text)
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(always(Decision::deny("no"))))
        .layer(GateLayer::new())
        .service(tool.clone());
    assert!(stack.oneshot(call("t")).await.is_ok());
    let record = log.only();
    assert_eq!(record.outcome, blocked(BlockedKind::Denied));
    assert_eq!(record.reason.as_deref(), Some("no"));
    assert_eq!(tool.runs(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_no_review_saw_says_so() {
    let log = Log::default();
    let cache = service_fn(|_: ToolCall| async { Ok::<_, BoxError>("from a cache") });
    let stack = ServiceBuilder::new().layer(log.layer()).service(cache);
    stack.oneshot(call("t")).await.unwrap();
    assert_eq!(log.only().outcome, AuditOutcome::Unreviewed);
}

#[tokio::test(start_paused = true)]
async fn of_several_tries_the_last_is_recorded_once() {
    let (log, deny) = (Log::default(), Arc::new(Mutex::new(true)));
    let policy = move |_: &ToolCall<Reviewing>| match std::mem::take(&mut *deny.lock().unwrap()) {
        true => Decision::deny("not yet"),
        false => Decision::allow(),
    };
    let stack = ServiceBuilder::new()
        .layer(log.layer())
        .retry(Once(true))
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::new())
        .service(Spy::new());
    stack.oneshot(call("t")).await.unwrap();
    let record = log.only();
    assert_eq!(
        (record.outcome, record.runs),
        (allowed(AllowedBy::Rules), 1)
    );
    assert_eq!(record.reason, None);
}

#[tokio::test(start_paused = true)]
async fn of_an_earlier_try_nothing_is_left() {
    let (log, deny) = (Log::default(), Arc::new(Mutex::new(true)));
    let policy = move |_: &ToolCall<Reviewing>| match std::mem::take(&mut *deny.lock().unwrap()) {
        true => Decision::deny("not yet"),
        false => panic!("a policy that panics"),
    };
    let stack = ServiceBuilder::new()
        .layer(log.layer())
        .retry(Once(true))
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::new())
        .service(Spy::new());
    let task = tokio::spawn(stack.oneshot(call("t")));
    assert!(task.await.unwrap_err().is_panic());
    let record = log.only();
    assert_eq!(record.outcome, AuditOutcome::Failed { by: None });
    assert_eq!((record.rules, record.reason), (Vec::new(), None));
}

/// Tries a second time.
#[derive(Clone)]
struct Once(bool);

impl<R> tower::retry::Policy<ToolCall, R, ToolBlocked> for Once {
    type Future = std::future::Ready<()>;

    fn retry(
        &mut self,
        _: &mut ToolCall,
        end: &mut Result<R, ToolBlocked>,
    ) -> Option<Self::Future> {
        let again = end.is_err() && std::mem::take(&mut self.0);
        again.then(|| std::future::ready(()))
    }

    fn clone_request(&mut self, call: &ToolCall) -> Option<ToolCall> {
        Some(call.clone())
    }
}

#[tokio::test(start_paused = true)]
async fn two_audits_around_one_stack_both_have_a_record() {
    let (outer, inner) = (Log::default(), Log::default());
    let stack = ServiceBuilder::new()
        .layer(outer.layer())
        .layer(inner.layer())
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service(Spy::new());
    stack.oneshot(call("t")).await.unwrap();
    assert_eq!(outer.only().outcome, inner.only().outcome);
}

#[tokio::test(start_paused = true)]
async fn a_sink_that_panics_breaks_nothing() {
    let mut rig = Rig::new(Decision::allow(), Reply::no());
    rig.audit = AuditLayer::new(|_: &AuditRecord| panic!("a sink that panics"));
    assert!(rig.stack().oneshot(call("t")).await.is_ok());
    rig.decision = Decision::deny("no");
    let ended = rig.stack().oneshot(call("t")).await.unwrap_err();
    assert_eq!(
        ended.downcast::<ToolBlocked>().unwrap().kind(),
        BlockedKind::Denied
    );
    assert_eq!(rig.tool.runs(), 1);
}
