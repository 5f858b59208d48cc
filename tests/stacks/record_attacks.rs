//! Attacks on what is remembered and on what is recorded. Each test fails when its hole is put back.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use serde_json::json;
use toolgate::{
    AllowedBy, Answerer, Approval, ApprovalDecision, Args, AuditLayer, AuditOutcome, AuditRecord,
    Authorize, Authorized, BlockedKind, CheckApproval, CheckApprovalLayer, Decision, GateLayer,
    Grant, Grants, JsonLinesSink, MemoryLayer, MemoryView, Origin, PolicyLayer, PromptLayer,
    Remember, Remembered, ReviewLayer, Reviewing, SelfChecking, ToolBlocked, ToolCall, Vote,
    ceiling, run_batch,
};
use toolgate_test::{Approver, Reply};
use tower::{ServiceBuilder, ServiceExt, util::BoxCloneSyncService};

use crate::{always, call};

type Stack = BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>;

fn remembering(grants: &Grants, reply: Reply) -> Stack {
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(Approver::always(reply)))
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(MemoryLayer::new(grants.clone()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    BoxCloneSyncService::new(stack)
}

/// What is remembered if somebody says so to a call of `t`.
async fn remembered(said: ApprovalDecision) -> Grant {
    let grants = Grants::new();
    let said = said.remembered(Remember::Session);
    let _ = remembering(&grants, Reply::Say(said))
        .oneshot(call("t"))
        .await;
    grants.list().pop().unwrap()
}

/// What no longer holds must not be kept for ever.
#[tokio::test]
async fn grants_that_ended_do_not_pile_up() {
    let yes = remembered(ApprovalDecision::approve()).await;
    let grants = Grants::new();
    for n in 0..50_000_u32 {
        let mut ended = yes.clone();
        ended.payload = Args::new().with("n", n);
        match n % 2 {
            0 => ended.uses = Some(0),
            _ => ended.expires = Some(SystemTime::UNIX_EPOCH + Duration::from_secs(1)),
        }
        grants.add(ended);
    }
    grants.add(yes.clone());
    let kept: String = format!("{grants:?}")
        .chars()
        .filter(char::is_ascii_digit)
        .collect();
    assert!(kept.parse::<u32>().unwrap() < 5_000, "{kept} kept");
    assert_eq!(grants.list().len(), 1);
}

/// A no that is listed holds, however odd the file is that it comes from.
#[tokio::test]
async fn a_no_that_is_listed_is_not_dead() {
    let from = || call("t").with_origin(Origin::new().with_session("s"));
    let no = remembered(ApprovalDecision::decline()).await;
    let mut of_a_session = no.clone();
    of_a_session.scope.one_session = false;
    of_a_session.scope.session = Some("s".into());
    let mut used_up = no;
    used_up.scope.session = Some("s".into());
    used_up.uses = Some(0);
    for odd in [of_a_session, used_up] {
        let saved = Grants::new();
        saved.add(odd);
        let grants = Grants::new();
        let file = saved.export_with_sessions().unwrap();
        grants.import(&file).unwrap();
        assert_eq!(grants.list().len(), 1, "{file}");
        let stack = remembering(&grants, Reply::yes());
        let ended = stack.oneshot(from()).await.map(drop).unwrap_err();
        assert_eq!(ended.kind(), BlockedKind::RememberedDenial, "{file}");
    }
}

/// Asks about reading and about deleting under names of their own, with one payload.
struct Files;

impl SelfChecking for Files {
    fn check_approval(&self, call: &ToolCall<Reviewing>, memory: &dyn MemoryView) -> Approval {
        let path = call.args().filtered(|key| key == "path");
        let what = call.args().get("do").and_then(|what| what.as_str());
        match memory.lookup(call, &path) {
            Some(Remembered::Approved) => Approval::NotNeeded,
            Some(Remembered::Denied) => Approval::Blocked("no".into()),
            None => Approval::Ask(
                Vote::ask("sure?")
                    .with_subject(what.unwrap_or_default())
                    .with_payload(path),
            ),
        }
    }
}

/// A yes under one name is none under another, also for tools that look for themselves.
#[tokio::test]
async fn the_view_of_the_memory_tells_names_apart() {
    let grants = Grants::new();
    let always_yes = ApprovalDecision::approve().remembered(Remember::Always);
    let approver = Approver::script([Reply::Say(always_yes), Reply::no()]);
    let own = CheckApproval::new(Files, grants.clone());
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(CheckApprovalLayer::new(own))
        .layer(MemoryLayer::new(grants))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let ended = async |what: &str| {
        let args = json!({"path": "/a", "do": what}).try_into().unwrap();
        let ended = stack.clone().oneshot(ToolCall::new("files", args)).await;
        ended
            .map(|call| call.allowed_by())
            .map_err(|blocked| blocked.kind())
    };
    assert_eq!(ended("read").await, Ok(AllowedBy::Human));
    assert_eq!(ended("read").await, Ok(AllowedBy::Memory));
    assert_eq!(ended("delete").await, Err(BlockedKind::Declined));
}

/// Keeps every record.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<AuditRecord>>>);

impl Log {
    fn layer(&self) -> AuditLayer {
        let log = self.clone();
        AuditLayer::new(move |record: &AuditRecord| log.0.lock().unwrap().push(record.clone()))
    }

    fn take(&self) -> Vec<AuditRecord> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }

    fn stack(&self, approver: Approver) -> Stack {
        let stack = ServiceBuilder::new()
            .layer(self.layer())
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(approver))
            .layer(GateLayer::new())
            .service(Authorize::new());
        BoxCloneSyncService::new(stack)
    }
}

/// A record says who answered, in a batch as well.
#[tokio::test]
async fn a_batch_is_recorded_with_who_answered() {
    let log = Log::default();
    let yes = ApprovalDecision::approve().by("ann");
    let stack = log.stack(Approver::always(Reply::Say(yes)));
    let ended = run_batch(&stack, [call("t")]).await;
    assert!(ended[0].is_ok() && stack.oneshot(call("t")).await.is_ok());
    let records = log.take();
    assert_eq!(records.len(), 2);
    for record in records {
        assert_eq!(record.answered_by, Some(Answerer::Human));
        assert_eq!(record.answered_as.as_deref(), Some("ann"));
    }
}

/// A no has a name as well.
#[tokio::test]
async fn a_no_is_recorded_with_who_said_it() {
    let log = Log::default();
    let no = ApprovalDecision::decline().by("bob");
    let stack = log.stack(Approver::always(Reply::Say(no)));
    assert!(stack.oneshot(call("t")).await.is_err());
    let record = log.take().pop().unwrap();
    assert_eq!(record.answered_as.as_deref(), Some("bob"));
}

/// Calls that somebody approved do not go unrecorded because the rest of the batch was given up.
#[tokio::test(start_paused = true)]
async fn a_batch_that_is_given_up_is_recorded() {
    let log = Log::default();
    let stack = log.stack(Approver::script([Reply::yes(), Reply::Hang]));
    let batch = run_batch(&stack, [call("approved"), call("pending")]);
    let given_up = tokio::time::timeout(Duration::from_secs(1), batch).await;
    assert!(given_up.is_err());
    let mut records = log.take();
    records.sort_by_key(|record| record.tool.to_string());
    let seen: Vec<_> = records
        .iter()
        .map(|record| (record.outcome, record.answered_by, record.runs))
        .collect();
    let dropped = AuditOutcome::Dropped { by: None };
    assert_eq!(
        seen,
        [(dropped, Some(Answerer::Human), 0), (dropped, None, 0)]
    );
}

/// What a parent is only asked to judge did not end there.
#[tokio::test]
async fn a_judgement_is_no_outcome() {
    let log = Log::default();
    let parent = log.stack(Approver::always(Reply::no()));
    let child = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(Approver::always(Reply::yes())))
        .layer(ceiling(parent))
        .layer(GateLayer::new())
        .service(Authorize::new());
    assert!(child.oneshot(call("t")).await.is_ok());
    assert_eq!(log.take(), []);
}

#[derive(Clone, Default)]
struct Bytes(Arc<Mutex<Vec<u8>>>);

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A line of the log looks like what it is on any terminal, and reads back as it was.
#[tokio::test]
async fn nothing_in_a_log_can_repaint_it() {
    let bytes = Bytes::default();
    let odd = "x\u{9b}2K\u{202e}\u{2028}\u{7f}\u{e0041}\u{1b}\"\\ä\u{10ffff}";
    let stack = ServiceBuilder::new()
        .layer(AuditLayer::new(JsonLinesSink::new(bytes.clone())).with_arguments())
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(always(Decision::deny(odd))))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let args = Args::new().with(odd, odd);
    let call = ToolCall::new(odd, args.clone()).with_id(odd);
    assert!(stack.oneshot(call).await.is_err());
    let text = String::from_utf8(bytes.0.lock().unwrap().clone()).unwrap();
    let line = text.strip_suffix('\n').unwrap();
    let plain = |c: char| c == ' ' || c == 'ä' || c.is_ascii_graphic();
    assert!(line.chars().all(plain), "{}", line.escape_unicode());
    let record: AuditRecord = serde_json::from_str(line).unwrap();
    assert_eq!(record.args, Some(args));
    assert_eq!(record.tool.name(), odd);
    assert_eq!(record.reason.as_deref(), Some(odd));
}
