//! One record for every outcome.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::json;
use tokio::time::sleep;
use toolgate::{
    AllowedBy, Annotations, Answerer, ApprovalDecision, ApprovalRequest, Args, AuditLayer,
    AuditOutcome, AuditRecord, AuditSink, Authorized, BlockedAsResultLayer, BlockedKind, Decision,
    Effect, GateLayer, Grants, JsonLinesSink, MemoryLayer, Mode, ModeSwitch, Origin, PolicyLayer,
    PromptLayer, Remember, ReviewLayer, Reviewing, Rule, ToolBlocked, ToolCall,
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

/// A stack whose policy asks about "asked" and panics for "panics", and whose tool takes two
/// seconds and then fails or panics if it is called so.
fn slow(log: &Log) -> BoxCloneSyncService<ToolCall, (), BoxError> {
    let human = service_fn(|_: ApprovalRequest| async {
        sleep(Duration::from_secs(7)).await;
        Ok::<_, BoxError>(ApprovalDecision::approve())
    });
    let policy = |call: &ToolCall<Reviewing>| match call.tool().name() {
        "asked" => Decision::ask("sure?"),
        "panics" => panic!("a policy that panics"),
        _ => Decision::allow(),
    };
    let stack = ServiceBuilder::new()
        .layer(log.layer())
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(PolicyLayer::new(policy))
        .layer(GateLayer::new())
        .service_fn(|call: ToolCall<Authorized>| async move {
            sleep(Duration::from_secs(2)).await;
            match call.tool().name() {
                "fails" => Err(BoxError::from("broken")),
                "breaks" => panic!("a tool that panics"),
                _ => Ok(()),
            }
        });
    BoxCloneSyncService::new(stack)
}

#[tokio::test(start_paused = true)]
async fn waiting_and_running_are_told_apart() {
    let log = Log::default();
    for (tool, waited_us, ran_us) in [("free", 0, 2_000_000), ("asked", 7_000_000, 2_000_000)] {
        slow(&log).oneshot(call(tool)).await.unwrap();
        let record = log.only();
        assert_eq!(
            (record.waited_us, record.ran_us),
            (waited_us, ran_us),
            "{tool}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_turn_counts_as_waiting() {
    let log = Log::default();
    let stack = slow(&log);
    let calls = [(); 2].map(|()| stack.clone().oneshot(call("asked")));
    futures_util::future::join_all(calls).await;
    let records = log.0.lock().unwrap().clone();
    let waited: Vec<_> = records.iter().map(|record| record.waited_us).collect();
    assert_eq!(waited, [7_000_000, 14_000_000]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_fails_or_panics_has_failed() {
    let log = Log::default();
    let failed = AuditOutcome::Failed {
        by: Some(AllowedBy::Rules),
    };
    assert!(slow(&log).oneshot(call("fails")).await.is_err());
    let record = log.only();
    assert_eq!(
        (record.outcome, record.runs, record.ran_us),
        (failed, 1, 2_000_000)
    );
    let task = tokio::spawn(slow(&log).oneshot(call("breaks")));
    assert!(task.await.unwrap_err().is_panic());
    assert_eq!(log.only().outcome, failed);
}

#[tokio::test(start_paused = true)]
async fn a_policy_that_panics_has_failed_and_the_tool_never_ran() {
    let log = Log::default();
    let task = tokio::spawn(slow(&log).oneshot(call("panics")));
    assert!(task.await.unwrap_err().is_panic());
    let record = log.only();
    assert_eq!(
        (record.outcome, record.runs),
        (AuditOutcome::Failed { by: None }, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_given_up_is_recorded_as_dropped() {
    let log = Log::default();
    for (after, by, runs, waited_us, ran_us) in [
        (3, None, 0, 3_000_000, 0),
        (8, Some(AllowedBy::Human), 1, 7_000_000, 1_000_000),
    ] {
        let task = tokio::spawn(slow(&log).oneshot(call("asked")));
        sleep(Duration::from_secs(after)).await;
        task.abort();
        let _ = task.await;
        let record = log.only();
        assert_eq!(
            (record.outcome, record.runs),
            (AuditOutcome::Dropped { by }, runs)
        );
        assert_eq!((record.waited_us, record.ran_us), (waited_us, ran_us));
        assert_eq!(record.rules[0].effect, Effect::Ask, "what it waited for");
    }
    let mut stack = slow(&log);
    drop(tower::Service::call(
        stack.ready().await.unwrap(),
        call("free"),
    ));
    assert_eq!(log.only().runs, 1, "never polled, but the tool was called");
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

fn secret() -> ToolCall {
    let args = json!({"to": "bob@example.com", "password": "hunter2", "auth": [{"password": "hunter2", "n": 1}]});
    ToolCall::new("t", args.try_into().unwrap())
        .with_id("c-1")
        .with_origin(Origin::new().with_session("s").with_agent("root"))
        .with_annotations(Annotations::new().with_destructive(true))
}

#[tokio::test(start_paused = true)]
async fn arguments_are_in_a_record_only_if_asked_for_and_not_excluded() {
    let mut rig = Rig::new(Decision::allow(), Reply::no());
    rig.stack().oneshot(secret()).await.unwrap();
    let record = rig.log.only();
    assert!(record.args.is_none() && record.to_call().is_none());
    assert_eq!(record.digest, secret().args().digest());
    assert!(!serde_json::to_string(&record).unwrap().contains("hunter2"));

    rig.audit = rig.log.layer().with_arguments().exclude_keys(["password"]);
    rig.stack().oneshot(secret()).await.unwrap();
    let record = rig.log.only();
    let text = serde_json::to_string(&record).unwrap();
    assert!(
        !text.contains("hunter2") && text.contains("bob@example.com"),
        "{text}"
    );
    assert!(record.incomplete);
    let kept: Args = json!({"to": "bob@example.com", "auth": [{"n": 1}]})
        .try_into()
        .unwrap();
    assert_eq!(record.args.as_ref(), Some(&kept));
    assert_eq!(
        record.digest,
        kept.digest(),
        "a digest gives no secret away"
    );
    assert!(!format!("{record:?}").contains("bob@example.com"));
    assert_eq!(serde_json::from_str::<AuditRecord>(&text).unwrap(), record);
    let unknown = text.replacen('{', r#"{"approved":true,"#, 1);
    assert!(serde_json::from_str::<AuditRecord>(&unknown).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_recorded_call_can_be_made_again_under_another_policy() {
    let mut rig = Rig::new(Decision::allow(), Reply::no());
    rig.audit = rig.log.layer().with_arguments();
    rig.stack().oneshot(secret()).await.unwrap();
    let record = rig.log.only();
    let again = record.to_call().unwrap();
    assert_eq!(again.args(), secret().args());
    assert_eq!(
        (again.id(), again.origin()),
        (secret().id(), secret().origin())
    );
    assert_eq!(again.annotations(), secret().annotations());

    rig.decision = Decision::deny("no longer");
    let ended = rig.stack().oneshot(again).await.unwrap_err();
    assert_eq!(
        ended.downcast::<ToolBlocked>().unwrap().kind(),
        BlockedKind::Denied
    );
    let replayed = rig.log.only();
    assert_eq!(replayed.outcome, blocked(BlockedKind::Denied));
    assert_eq!(replayed.digest, record.digest);
    assert_eq!(rig.tool.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn arguments_that_were_edited_are_recorded_beside_the_proposed_ones() {
    let edited = Args::new().with("n", 2);
    let mut rig = Rig::new(Decision::ask("sure?"), Reply::edit(edited.clone()));
    rig.audit = rig.log.layer().with_arguments();
    rig.stack()
        .oneshot(ToolCall::new("t", Args::new().with("n", 1)))
        .await
        .unwrap();
    let record = rig.log.only();
    assert_eq!(record.digest, Args::new().with("n", 1).digest());
    assert_eq!(record.ran_digest, Some(edited.digest()));
    assert_eq!(
        (record.args, record.ran_args),
        (Some(Args::new().with("n", 1)), Some(edited))
    );
    let plain = Rig::new(Decision::allow(), Reply::no()).run().await;
    assert_eq!((plain.ran_digest, plain.ran_args), (None, None));
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

#[tokio::test(start_paused = true)]
async fn a_file_has_one_object_to_a_line_and_is_appended_to() {
    let path = std::env::temp_dir().join(format!("toolgate-audit-{}.jsonl", std::process::id()));
    std::fs::write(&path, "torn").unwrap();
    for name in ["first", "two\nlines"] {
        let mut rig = Rig::new(Decision::allow(), Reply::no());
        rig.audit = AuditLayer::new(JsonLinesSink::open(&path).unwrap());
        rig.stack().oneshot(call(name)).await.unwrap();
        rig.stack().oneshot(call(name)).await.unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let (torn, lines) = text.split_once('\n').unwrap();
    assert_eq!(torn, "torn");
    let read = |line| serde_json::from_str::<AuditRecord>(line).unwrap();
    let names: Vec<_> = lines
        .lines()
        .map(|line| read(line).tool.name().to_owned())
        .collect();
    assert_eq!(names, ["first", "first", "two\nlines", "two\nlines"]);
}

/// Takes a few bytes of the first line and then fails, once.
struct Full(Arc<Mutex<Vec<u8>>>, u32);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1 += 1;
        let room = match self.1 {
            1 => 4,
            2 => return Err(io::Error::other("disk full")),
            _ => bytes.len(),
        };
        self.0.lock().unwrap().extend_from_slice(&bytes[..room]);
        Ok(room)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_is_reported_and_tears_no_other_line() {
    let written = Arc::new(Mutex::new(Vec::new()));
    let sink = JsonLinesSink::new(Full(Arc::clone(&written), 0));
    let record = Rig::new(Decision::allow(), Reply::no()).run().await;
    assert!(sink.last_error().is_none());
    sink.record(&record);
    assert_eq!(sink.last_error().unwrap().to_string(), "disk full");
    sink.record(&record);
    let text = String::from_utf8(written.lock().unwrap().clone()).unwrap();
    let last = text.lines().nth(1).unwrap();
    assert_eq!(serde_json::from_str::<AuditRecord>(last).unwrap(), record);
    assert_eq!(text.lines().count(), 2);
}
