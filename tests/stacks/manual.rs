//! Tools that ask while they work.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    runtime::{Builder, Runtime},
    time::{Instant, sleep},
};
use toolgate::{
    AllowedBy, ApprovalDecision, ApprovalRequest, Args, AskHandle, Authorized, BlockedKind,
    Decision, GateLayer, Grants, Mode, ModeSwitch, Origin, PolicyLayer, Presentation, PromptLayer,
    Question, Remember, ReviewLayer, ToolBlocked, ToolCall, Turns,
};
use toolgate_test::{Approver, Reply};
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};

use crate::{always, call};

/// A tool that asks before the part of its work that cannot be undone, and counts how often it
/// did that.
#[derive(Clone, Default)]
struct Work(Arc<AtomicUsize>);

impl Work {
    async fn after<H, M>(
        &self,
        asker: &AskHandle<H, M>,
        question: Question,
    ) -> Result<AllowedBy, BlockedKind>
    where
        H: Service<
                ApprovalRequest,
                Response = ApprovalDecision,
                Error: Into<BoxError>,
                Future: Send,
            > + Clone
            + Send
            + Sync
            + 'static,
        M: toolgate::GrantStore,
    {
        let approved = asker
            .ask(question)
            .await
            .map_err(|blocked| blocked.kind())?;
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(approved.allowed_by())
    }

    fn done(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn delete(file: &str) -> Question {
    let payload = Args::new().with("file", file);
    Question::new("clean_up", format!("delete {file}")).with_payload(payload)
}

#[tokio::test(start_paused = true)]
async fn a_tool_goes_on_only_after_a_yes() {
    for (reply, expected) in [
        (Reply::yes(), Ok(AllowedBy::Human)),
        (Reply::no(), Err(BlockedKind::Declined)),
        (Reply::Fail, Err(BlockedKind::HandlerFailed)),
        (Reply::Panic, Err(BlockedKind::HandlerFailed)),
        (Reply::Hang, Err(BlockedKind::TimedOut)),
        (Reply::edit(Args::new()), Err(BlockedKind::HandlerFailed)),
    ] {
        let (work, approver) = (Work::default(), Approver::always(reply));
        let asker = AskHandle::new(approver.clone());
        assert_eq!(work.after(&asker, delete("a")).await, expected);
        assert_eq!(work.done(), usize::from(expected.is_ok()));
        assert_eq!(approver.asked(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn the_question_shows_what_the_tool_said() {
    let approver = Approver::always(Reply::Say(ApprovalDecision::approve().with_note("careful")));
    let question = delete("a")
        .with_origin(Origin::new().with_session("s"))
        .with_call_id("c-1")
        .with_subject("delete")
        .with_presentation(Presentation::Plain {
            text: "rm a".to_owned(),
        });
    assert!(!format!("{question:?}").contains("delete a"));
    let yes = AskHandle::new(approver.clone())
        .ask(question)
        .await
        .unwrap();
    assert_eq!(yes.note(), Some("careful"));
    let question = &approver.questions()[0];
    assert_eq!(
        (question.tool.name(), &*question.description),
        ("clean_up", "delete a")
    );
    assert_eq!(question.args, Args::new().with("file", "a"));
    assert_eq!(
        question.call_id.as_ref().map(toolgate::CallId::as_str),
        Some("c-1")
    );
    assert_eq!(question.origin.session(), Some("s"));
    assert_eq!(question.asks[0].subject.as_deref(), Some("delete"));
    assert!(question.presentation.is_some());
    assert!(!question.editable);
}

#[tokio::test(start_paused = true)]
async fn the_mode_answers_in_place_of_somebody() {
    for (mode, expected) in [
        (Mode::Strict, Err(BlockedKind::Strict)),
        (Mode::ApproveAll, Ok(AllowedBy::ApproveAll)),
    ] {
        let (work, approver) = (Work::default(), Approver::always(Reply::yes()));
        let prompt = PromptLayer::new(approver.clone()).with_mode(ModeSwitch::new(mode));
        let asker = AskHandle::from_prompt(prompt);
        assert_eq!(work.after(&asker, delete("a")).await, expected);
        assert_eq!(
            (work.done(), approver.asked()),
            (usize::from(expected.is_ok()), 0)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn turning_strict_refuses_a_question_that_waits() {
    let (work, switch) = (Work::default(), ModeSwitch::default());
    let prompt = PromptLayer::new(Approver::always(Reply::Hang)).with_mode(switch.clone());
    let asker = AskHandle::from_prompt(prompt.without_deadline());
    let waiting = work.after(&asker, delete("a"));
    let (ended, ()) = tokio::join!(waiting, async { switch.set(Mode::Strict) });
    assert_eq!(ended, Err(BlockedKind::Strict));
    assert_eq!(work.done(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_remembered_for_the_same_payload_and_no_other() {
    for (answer, first, then) in [
        (
            ApprovalDecision::approve(),
            Ok(AllowedBy::Human),
            Ok(AllowedBy::Memory),
        ),
        (
            ApprovalDecision::decline(),
            Err(BlockedKind::Declined),
            Err(BlockedKind::RememberedDenial),
        ),
    ] {
        let (work, grants) = (Work::default(), Grants::new());
        let said = Reply::Say(answer.remembered(Remember::Session));
        let approver = Approver::script([said, Reply::no()]);
        let asker = AskHandle::new(approver.clone()).with_memory(grants.clone());
        assert_eq!(work.after(&asker, delete("a")).await, first);
        assert_eq!(grants.list().len(), 1);
        let other = AskHandle::new(approver.clone()).with_memory(grants.clone());
        assert_eq!(work.after(&other, delete("a")).await, then);
        assert_eq!(approver.asked(), 1);
        assert_eq!(
            work.after(&asker, delete("b")).await,
            Err(BlockedKind::Declined)
        );
        assert_eq!(approver.asked(), 2);
        assert_eq!(work.done(), if then.is_ok() { 2 } else { 0 });
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_payload_the_words_are_what_is_remembered() {
    let yes = ApprovalDecision::approve().remembered(Remember::Session);
    let approver = Approver::script([Reply::Say(yes), Reply::no()]);
    let (work, asker) = (Work::default(), AskHandle::new(approver));
    let ask = |words: &str| Question::new("t", words);
    assert_eq!(
        work.after(&asker, ask("delete a?")).await,
        Ok(AllowedBy::Human)
    );
    assert_eq!(
        work.after(&asker, ask("delete a?")).await,
        Ok(AllowedBy::Memory)
    );
    assert_eq!(
        work.after(&asker, ask("delete b?")).await,
        Err(BlockedKind::Declined)
    );
    assert_eq!(work.done(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_edited_payload_is_handed_on_where_that_is_said() {
    let edited = Args::new().with("file", "b");
    let approver = Approver::always(Reply::edit(edited.clone()));
    let asker = AskHandle::new(approver.clone()).with_editing();
    assert_eq!(asker.ask(delete("a")).await.unwrap().args(), &edited);
    let forbidding = PromptLayer::new(approver).without_editing();
    let blocked = AskHandle::from_prompt(forbidding)
        .with_editing()
        .ask(delete("a"))
        .await;
    assert_eq!(blocked.unwrap_err().kind(), BlockedKind::HandlerFailed);
}

/// Says yes after ten seconds, and keeps how many questions were open at once, at most.
fn slow(
    most: &Arc<AtomicUsize>,
) -> impl Service<ApprovalRequest, Response = ApprovalDecision, Error = BoxError, Future: Send>
+ Clone
+ Send
+ Sync
+ use<> {
    let (open, most) = (Arc::new(AtomicUsize::new(0)), Arc::clone(most));
    service_fn(move |_: ApprovalRequest| {
        let (open, most) = (Arc::clone(&open), Arc::clone(&most));
        async move {
            most.fetch_max(open.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            sleep(Duration::from_secs(10)).await;
            open.fetch_sub(1, Ordering::SeqCst);
            Ok(ApprovalDecision::approve())
        }
    })
}

#[tokio::test(start_paused = true)]
async fn a_session_is_asked_one_thing_at_a_time_by_its_stack_and_its_tools() {
    let (most, turns) = (Arc::default(), Turns::new());
    let prompt = PromptLayer::new(slow(&most)).with_turns(turns.clone());
    let asker = AskHandle::from_prompt(prompt.clone());
    // The tool asks while its own call, which was asked about as well, is not over.
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(prompt)
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(GateLayer::new())
        .service_fn(move |call: ToolCall<Authorized>| {
            let asker = asker.clone();
            async move {
                asker.ask(Question::about(&call, "really?")).await?;
                Ok::<_, ToolBlocked>(())
            }
        });
    let begun = Instant::now();
    let calls = ["a", "b"].map(|name| {
        let origin = Origin::new().with_session("s");
        stack.clone().oneshot(call(name).with_origin(origin))
    });
    let ended = futures_util::future::join_all(calls).await;
    assert!(ended.iter().all(Result::is_ok));
    assert_eq!(most.load(Ordering::SeqCst), 1);
    assert_eq!(begun.elapsed(), Duration::from_secs(40));
    assert!(turns.is_idle());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_inside_a_tool_is_an_error_of_the_tool() {
    let (work, approver) = (Work::default(), Approver::always(Reply::no()));
    let (asker, done) = (AskHandle::new(approver.clone()), work.clone());
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service_fn(move |call: ToolCall<Authorized>| {
            let (asker, work) = (asker.clone(), done.clone());
            async move {
                asker.ask(Question::about(&call, "really?")).await?;
                work.0.fetch_add(1, Ordering::SeqCst);
                Ok::<_, ToolBlocked>(())
            }
        });
    let origin = Origin::new().with_session("s");
    let outer = call("t").with_id("c-1").with_origin(origin.clone());
    let blocked = stack.oneshot(outer).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Declined);
    assert!(blocked.is_from_inside_tool());
    let question = &approver.questions()[0];
    assert_eq!((question.tool.name(), &question.origin), ("t", &origin));
    let id = question.call_id.as_ref().map(toolgate::CallId::as_str);
    assert_eq!(id, Some("c-1"));
    assert_eq!(work.done(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_deadline_is_that_of_the_prompt() {
    let (work, approver) = (Work::default(), Approver::always(Reply::Hang));
    let prompt = PromptLayer::new(approver).with_deadline(Duration::from_secs(9));
    let begun = Instant::now();
    let ended = work
        .after(&AskHandle::from_prompt(prompt), delete("a"))
        .await;
    assert_eq!(ended, Err(BlockedKind::TimedOut));
    assert_eq!(begun.elapsed(), Duration::from_secs(9));
    assert_eq!(work.done(), 0);
}

fn threads() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(1)
        .enable_time()
        .build()
        .unwrap()
}

/// Says yes or no from another task of the runtime that the tool runs on.
fn asker_on(runtime: &Runtime, answer: ApprovalDecision) -> AskHandle<impl Handler> {
    let runtime = runtime.handle().clone();
    AskHandle::new(service_fn(move |_: ApprovalRequest| {
        let answer = answer.clone();
        let task = runtime.spawn(async move {
            sleep(Duration::from_millis(5)).await;
            answer
        });
        async move { Ok::<_, BoxError>(task.await?) }
    }))
}

trait Handler:
    Service<ApprovalRequest, Response = ApprovalDecision, Error = BoxError, Future: Send>
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> Handler for S where
    S: Service<ApprovalRequest, Response = ApprovalDecision, Error = BoxError, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static
{
}

fn kind(ended: Result<toolgate::Approved, ToolBlocked>) -> Result<AllowedBy, BlockedKind> {
    ended.map(|yes| yes.allowed_by()).map_err(|no| no.kind())
}

#[test]
fn a_tool_may_block_on_threads_that_may_block() {
    let runtime = threads();
    for (answer, expected) in [
        (ApprovalDecision::approve(), Ok(AllowedBy::Human)),
        (ApprovalDecision::decline(), Err(BlockedKind::Declined)),
    ] {
        let asker = asker_on(&runtime, answer);
        assert_eq!(
            kind(asker.ask_blocking(delete("a"))),
            expected,
            "without a runtime"
        );
        let here = asker.clone();
        let worker = runtime.spawn(async move { here.ask_blocking(delete("a")) });
        assert_eq!(
            kind(runtime.block_on(worker).unwrap()),
            expected,
            "on the only worker"
        );
        let here = asker.clone();
        let blocking = runtime.spawn_blocking(move || here.ask_blocking(delete("a")));
        assert_eq!(
            kind(runtime.block_on(blocking).unwrap()),
            expected,
            "on a blocking thread"
        );
        let root = runtime.block_on(async { asker.ask_blocking(delete("a")) });
        assert_eq!(kind(root), expected, "in the root of the runtime");
    }
}

#[test]
fn blocking_has_a_deadline_too() {
    let prompt = PromptLayer::new(Approver::always(Reply::Hang));
    let asker = AskHandle::from_prompt(prompt.with_deadline(Duration::from_millis(20)));
    let ended = asker.ask_blocking(delete("a"));
    assert_eq!(kind(ended), Err(BlockedKind::TimedOut));
}

#[tokio::test(flavor = "current_thread")]
async fn a_current_thread_runtime_is_never_blocked() {
    let approver = Approver::always(Reply::yes());
    let asker = AskHandle::new(approver.clone());
    let here = asker.clone();
    let blocked = here.ask_blocking(delete("a")).unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::HandlerFailed);
    assert!(blocked.reason().unwrap().contains("current-thread runtime"));
    let task = tokio::spawn(async move { asker.ask_blocking(delete("a")) });
    assert_eq!(kind(task.await.unwrap()), Err(BlockedKind::HandlerFailed));
    assert_eq!(approver.asked(), 0);
}

#[test]
fn a_local_set_is_never_blocked_either() {
    let runtime = threads();
    let asker = asker_on(&runtime, ApprovalDecision::approve());
    let local = tokio::task::LocalSet::new();
    let task = local.spawn_local(async move { asker.ask_blocking(delete("a")) });
    let ended = runtime.block_on(async { local.run_until(task).await });
    assert_eq!(kind(ended.unwrap()), Err(BlockedKind::HandlerFailed));
}
