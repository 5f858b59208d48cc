//! Asking: deadlines, turns, modes, withdrawals.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::join_all;
use tokio::time::{Instant, sleep};
use toolgate::{
    AllowedBy, ApprovalDecision, ApprovalRequest, Args, AskError, AskErrorKind, BlockedKind,
    Decision, GateLayer, Mode, ModeSwitch, Origin, PolicyLayer, PromptLayer, ReviewLayer,
    Reviewing, ToolBlocked, ToolCall, Turns,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};

use crate::{always, call};

/// A stack that asks about everything, and the tool in it.
fn asking<H>(prompt: PromptLayer<H>) -> (impl Guarded, Spy)
where
    H: Service<ApprovalRequest, Response = ApprovalDecision, Error: Into<BoxError>, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
{
    let tool = Spy::new();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(prompt)
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(GateLayer::new())
        .service(tool.clone());
    (stack, tool)
}

trait Guarded:
    Service<ToolCall, Response = serde_json::Value, Error = ToolBlocked, Future: Send>
    + Clone
    + Send
    + 'static
{
}

impl<S> Guarded for S where
    S: Service<ToolCall, Response = serde_json::Value, Error = ToolBlocked, Future: Send>
        + Clone
        + Send
        + 'static
{
}

/// Says yes after a while, and keeps how many questions were open at once, at most.
#[derive(Clone, Default)]
struct Slow {
    open: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    order: Arc<Mutex<Vec<String>>>,
}

impl Slow {
    fn handler(
        &self,
    ) -> impl Service<ApprovalRequest, Response = ApprovalDecision, Error = BoxError, Future: Send>
    + Clone
    + Send
    + Sync
    + use<> {
        let this = self.clone();
        service_fn(move |request: ApprovalRequest| {
            let this = this.clone();
            async move {
                let open = this.open.fetch_add(1, Ordering::SeqCst) + 1;
                this.most.fetch_max(open, Ordering::SeqCst);
                this.order.lock().unwrap().push(request.tool.to_string());
                sleep(Duration::from_secs(10)).await;
                this.open.fetch_sub(1, Ordering::SeqCst);
                Ok(ApprovalDecision::approve())
            }
        })
    }
}

fn in_session(tool: &str, session: &str) -> ToolCall {
    call(tool).with_origin(Origin::new().with_session(session))
}

#[tokio::test(start_paused = true)]
async fn questions_of_one_session_are_asked_one_at_a_time_in_order() {
    let slow = Slow::default();
    let (stack, tool) = asking(PromptLayer::new(slow.handler()));
    let names = ["a", "b", "c", "d"];
    let calls = names.map(|name| stack.clone().oneshot(in_session(name, "s")));
    let ended = join_all(calls).await;
    assert!(ended.iter().all(Result::is_ok));
    assert_eq!(slow.most.load(Ordering::SeqCst), 1);
    assert_eq!(*slow.order.lock().unwrap(), names);
    assert_eq!(tool.runs(), 4);
}

#[tokio::test(start_paused = true)]
async fn sessions_do_not_wait_for_each_other_unless_they_share_one() {
    let slow = Slow::default();
    let (stack, _) = asking(PromptLayer::new(slow.handler()));
    let calls = ["s1", "s2", "s3"].map(|s| stack.clone().oneshot(in_session("t", s)));
    assert!(join_all(calls).await.iter().all(Result::is_ok));
    assert_eq!(slow.most.load(Ordering::SeqCst), 3);

    let slow = Slow::default();
    let turns = Turns::new();
    let stacks =
        [(); 2].map(|()| asking(PromptLayer::new(slow.handler()).with_turns(turns.clone())).0);
    let calls = stacks.map(|stack| stack.oneshot(in_session("t", "s")));
    assert!(join_all(calls).await.iter().all(Result::is_ok));
    assert_eq!(slow.most.load(Ordering::SeqCst), 1);
    assert!(turns.is_idle());
}

#[tokio::test(start_paused = true)]
async fn the_deadline_counts_waiting_for_a_turn() {
    let slow = Slow::default();
    let prompt = PromptLayer::new(slow.handler()).with_deadline(Duration::from_secs(15));
    let (stack, tool) = asking(prompt);
    let begun = Instant::now();
    let calls = ["a", "b", "c"].map(|name| stack.clone().oneshot(in_session(name, "s")));
    let kinds = join_all(calls)
        .await
        .into_iter()
        .map(|ended| ended.err().map(|b| b.kind()));
    let late = Some(BlockedKind::TimedOut);
    assert_eq!(kinds.collect::<Vec<_>>(), [None, late, late]);
    assert_eq!(begun.elapsed(), Duration::from_secs(15));
    assert_eq!(tool.runs(), 1);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_ever_unless_told_to() {
    let hang = || PromptLayer::new(Approver::always(Reply::Hang));
    let (stack, tool) = asking(hang());
    let blocked = stack.oneshot(call("t")).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::TimedOut);
    assert_eq!(tool.runs(), 0);
    let (stack, _) = asking(hang().without_deadline());
    let waiting = tokio::time::timeout(Duration::from_secs(100_000), stack.oneshot(call("t")));
    assert!(waiting.await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_withdraws_its_question_and_gives_up_its_turn() {
    let turns = Turns::new();
    let approver = Approver::script([Reply::Hang, Reply::yes()]);
    let (stack, tool) = asking(PromptLayer::new(approver.clone()).with_turns(turns.clone()));
    let asked = tokio::spawn(stack.clone().oneshot(in_session("a", "s")));
    tokio::task::yield_now().await;
    let queued = tokio::spawn(stack.clone().oneshot(in_session("b", "s")));
    let last = tokio::spawn(stack.oneshot(in_session("c", "s")));
    tokio::task::yield_now().await;
    queued.abort();
    asked.abort();
    assert!(last.await.unwrap().is_ok());
    assert_eq!((approver.asked(), tool.runs()), (2, 1));
    assert!(turns.is_idle());
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_comes_is_reviewed_before_anybody_is_asked() {
    // By the time the second call has its turn, the policy no longer asks.
    let asking = Arc::new(Mutex::new(Decision::ask("sure?")));
    let policy = {
        let asking = Arc::clone(&asking);
        move |_: &ToolCall<Reviewing>| asking.lock().unwrap().clone()
    };
    for (then, expected) in [
        (Decision::allow(), None),
        (Decision::deny("changed"), Some(BlockedKind::Denied)),
    ] {
        *asking.lock().unwrap() = Decision::ask("sure?");
        let tool = Spy::new();
        let switch = Arc::clone(&asking);
        let human = service_fn(move |_: ApprovalRequest| {
            let (switch, then) = (Arc::clone(&switch), then.clone());
            async move {
                sleep(Duration::from_secs(1)).await;
                *switch.lock().unwrap() = then;
                Ok::<_, BoxError>(ApprovalDecision::decline())
            }
        });
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(human))
            .layer(PolicyLayer::new(policy.clone()))
            .layer(GateLayer::new())
            .service(tool.clone());
        let calls = [call("a"), call("b")].map(|call| stack.clone().oneshot(call));
        let ended = join_all(calls).await;
        let first = ended[0].as_ref().err().map(ToolBlocked::kind);
        assert!(matches!(
            first,
            Some(BlockedKind::Declined | BlockedKind::Denied)
        ));
        assert_eq!(ended[1].as_ref().err().map(ToolBlocked::kind), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn modes_behave_as_their_table_says() {
    for (mode, decision, runs, asked) in [
        (Mode::Interactive, Decision::allow(), 1, 0),
        (Mode::Interactive, Decision::ask("?"), 1, 1),
        (Mode::Interactive, Decision::deny("no"), 0, 0),
        (Mode::ApproveAll, Decision::allow(), 1, 0),
        (Mode::ApproveAll, Decision::ask("?"), 1, 0),
        (Mode::ApproveAll, Decision::deny("no"), 0, 0),
        (Mode::Strict, Decision::allow(), 1, 0),
        (Mode::Strict, Decision::ask("?"), 0, 0),
        (Mode::Strict, Decision::deny("no"), 0, 0),
    ] {
        let (tool, approver) = (Spy::new(), Approver::always(Reply::yes()));
        let switch = ModeSwitch::new(mode);
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(approver.clone()).with_mode(switch))
            .layer(PolicyLayer::new(always(decision.clone())))
            .layer(GateLayer::new())
            .service(tool.clone());
        let ended = stack.oneshot(call("t")).await;
        assert_eq!(
            (tool.runs(), approver.asked()),
            (runs, asked),
            "{mode:?} {decision:?}"
        );
        if mode == Mode::Strict && decision.effect() == Some(toolgate::Effect::Ask) {
            assert_eq!(ended.unwrap_err().kind(), BlockedKind::Strict);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn approve_all_says_so() {
    let switch = ModeSwitch::new(Mode::ApproveAll);
    let (stack, tool) = asking(PromptLayer::new(Approver::default()).with_mode(switch));
    stack.oneshot(call("t")).await.unwrap();
    assert_eq!(tool.allowed_by(), [AllowedBy::ApproveAll]);
}

#[tokio::test(start_paused = true)]
async fn turning_strict_refuses_what_is_pending_at_once() {
    let switch = ModeSwitch::new(Mode::Interactive);
    let prompt = PromptLayer::new(Approver::always(Reply::Hang)).with_mode(switch.clone());
    let (stack, tool) = asking(prompt.without_deadline());
    let waiting =
        ["a", "b", "c"].map(|name| tokio::spawn(stack.clone().oneshot(in_session(name, "s"))));
    sleep(Duration::from_secs(1)).await;
    let begun = Instant::now();
    switch.set(Mode::Strict);
    for call in waiting {
        assert_eq!(call.await.unwrap().unwrap_err().kind(), BlockedKind::Strict);
    }
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(tool.runs(), 0);
}

#[tokio::test(start_paused = true)]
async fn towers_layers_on_the_handler_have_kinds_of_their_own() {
    let hang = service_fn(|_: ApprovalRequest| {
        std::future::pending::<Result<ApprovalDecision, BoxError>>()
    });
    let timeout = ServiceBuilder::new()
        .timeout(Duration::from_secs(1))
        .service(hang);
    let (stack, _) = asking(PromptLayer::new(timeout));
    assert_eq!(
        stack.oneshot(call("t")).await.unwrap_err().kind(),
        BlockedKind::TimedOut
    );

    let shedding = ServiceBuilder::new()
        .load_shed()
        .concurrency_limit(1)
        .service(hang);
    let (stack, _) = asking(PromptLayer::new(shedding));
    let first = tokio::spawn(stack.clone().oneshot(in_session("a", "s1")));
    sleep(Duration::from_secs(1)).await;
    let second = stack.oneshot(in_session("b", "s2")).await.unwrap_err();
    assert_eq!(second.kind(), BlockedKind::Overloaded);
    first.abort();

    for (kind, expected) in [
        (AskErrorKind::Withdrawn, BlockedKind::Withdrawn),
        (AskErrorKind::Overloaded, BlockedKind::Overloaded),
        (AskErrorKind::TimedOut, BlockedKind::TimedOut),
        (AskErrorKind::Closed, BlockedKind::HandlerFailed),
        (AskErrorKind::Nobody, BlockedKind::NoHandler),
        (AskErrorKind::TooLarge, BlockedKind::TooLarge),
    ] {
        let failing = service_fn(move |_: ApprovalRequest| async move {
            Err::<ApprovalDecision, _>(AskError::new(kind))
        });
        let (stack, tool) = asking(PromptLayer::new(failing));
        assert_eq!(stack.oneshot(call("t")).await.unwrap_err().kind(), expected);
        assert_eq!(tool.runs(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_declined_is_not_asked_again_in_the_same_turn() {
    let approver = Approver::script([Reply::no(), Reply::yes(), Reply::yes()]);
    let (stack, tool) = asking(PromptLayer::new(approver.clone()));
    let turn = |turn: &str, n: u64| {
        let origin = Origin::new().with_session("s").with_turn(turn);
        ToolCall::new("t", Args::new().with("n", n)).with_origin(origin)
    };
    let run = async |call: ToolCall| stack.clone().oneshot(call).await.err().map(|b| b.kind());
    assert_eq!(run(turn("1", 1)).await, Some(BlockedKind::Declined));
    assert_eq!(run(turn("1", 1)).await, Some(BlockedKind::Declined));
    assert_eq!(approver.asked(), 1, "not asked again");
    assert_eq!(run(turn("1", 2)).await, None, "another call is");
    assert_eq!(
        run(turn("2", 1)).await,
        None,
        "and so is the same one in another turn"
    );
    assert_eq!((approver.asked(), tool.runs()), (3, 2));
}

#[tokio::test(start_paused = true)]
async fn an_answer_may_change_arguments_only_where_it_is_permitted() {
    let edit = Approver::always(Reply::edit(Args::new().with("n", 2)));
    let (stack, tool) = asking(PromptLayer::new(edit.clone()).without_editing());
    let blocked = stack.oneshot(call("t")).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::HandlerFailed);
    assert_eq!(tool.runs(), 0);
    assert!(!edit.questions()[0].editable);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_what_cannot_be_shown_in_full() {
    let large = || {
        let text = "x".repeat(toolgate::Rendering::MAX_BYTES);
        ToolCall::new("t", Args::new().with("text", text))
    };
    let approver = Approver::always(Reply::yes());
    let (stack, tool) = asking(PromptLayer::new(approver.clone()));
    let blocked = stack.oneshot(large()).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::TooLarge);
    assert_eq!((approver.asked(), tool.runs()), (0, 0));

    let (stack, tool) = asking(PromptLayer::new(approver.clone()).dangerous_any_size());
    assert!(stack.oneshot(large()).await.is_ok());
    assert_eq!((approver.asked(), tool.runs()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_beyond_the_clock_is_no_deadline() {
    let (stack, tool) =
        asking(PromptLayer::new(Approver::always(Reply::yes())).with_deadline(Duration::MAX));
    assert!(stack.oneshot(call("t")).await.is_ok());
    assert_eq!(tool.runs(), 1);
}

/// Keeps a clone of every call, as a retry does.
#[derive(Clone)]
struct Keeping;

impl<R, E> tower::retry::Policy<ToolCall<Reviewing>, R, E> for Keeping {
    type Future = std::future::Ready<()>;

    fn retry(&mut self, _: &mut ToolCall<Reviewing>, _: &mut Result<R, E>) -> Option<Self::Future> {
        None
    }

    fn clone_request(&mut self, call: &ToolCall<Reviewing>) -> Option<ToolCall<Reviewing>> {
        Some(call.clone())
    }
}

/// A layer that keeps a clone of the call must not keep the turn to ask with it.
#[tokio::test(start_paused = true)]
async fn the_next_question_is_asked_while_the_tool_runs() {
    let approver = Approver::always(Reply::yes());
    let tool = service_fn(|_: ToolCall<toolgate::Authorized>| async {
        sleep(Duration::from_secs(1000)).await;
        Ok::<_, ToolBlocked>(())
    });
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()).with_deadline(Duration::from_secs(10)))
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(tower::retry::RetryLayer::new(Keeping))
        .layer(GateLayer::new())
        .service(tool);
    let calls = ["a", "b"].map(|name| stack.clone().oneshot(in_session(name, "s")));
    let ended = join_all(calls).await;
    assert!(ended.iter().all(Result::is_ok));
    assert_eq!(approver.asked(), 2);
}
