//! Faults at every await between call and tool.
//!
//! Everything in this stack that can wait does, several times, and each time is a point at which
//! something can go wrong. The tests go from point to point, or from poll to poll, until a call
//! gets through without meeting the fault: an await that is added later is covered by itself.

use std::{
    future::{pending, poll_fn},
    pin::pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    task::Poll,
    time::Duration,
};

use tokio::{task::yield_now, time::timeout};
use toolgate::{
    Answering, ApprovalDecision, ApprovalRequest, AsyncPolicyLayer, BlockedKind, Broker, Choice,
    Decision, Description, EventFilter, Found, GateLayer, Grant, GrantQuery, GrantStore, Grants,
    MemoryLayer, PermissionResponse, PromptLayer, Remember, ReviewLayer, Reviewing, StoreError,
    ToolBlocked, ToolCall, Turns, approval_channel,
};
use toolgate_test::Spy;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn};

use crate::call;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Error,
    Panic,
    Hang,
}

/// Counts the points that a call passes, and injects a fault at one of them.
#[derive(Clone)]
struct Faults {
    fault: Fault,
    at: usize,
    passed: Arc<AtomicUsize>,
    /// Where the fault was met.
    met: Arc<std::sync::Mutex<Option<&'static str>>>,
}

impl Faults {
    fn new(fault: Fault, at: usize) -> Self {
        Self {
            fault,
            at,
            passed: Arc::default(),
            met: Arc::default(),
        }
    }

    fn met(&self) -> Option<&'static str> {
        *self.met.lock().unwrap()
    }

    /// Waits, a few times, and maybe meets the fault.
    async fn points(&self, place: &'static str) -> Result<(), BoxError> {
        for _ in 0..3 {
            yield_now().await;
            if self.passed.fetch_add(1, Ordering::SeqCst) + 1 != self.at {
                continue;
            }
            if self.fault != Fault::None {
                *self.met.lock().unwrap() = Some(place);
            }
            match self.fault {
                Fault::None => {}
                Fault::Error => return Err("injected".into()),
                Fault::Panic => std::panic::panic_any("injected"),
                Fault::Hang => pending().await,
            }
        }
        Ok(())
    }
}

/// A store that waits.
struct Remote {
    grants: Grants,
    faults: Faults,
}

impl Remote {
    fn after<T: Send + 'static>(
        &self,
        place: &'static str,
        answer: Answering<Result<T, StoreError>>,
    ) -> Answering<Result<T, StoreError>> {
        let faults = self.faults.clone();
        Answering::Later(Box::pin(async move {
            faults.points(place).await.map_err(StoreError::new)?;
            answer.wait().await
        }))
    }
}

impl GrantStore for Remote {
    fn lookup(&self, query: &GrantQuery<'_>) -> Answering<Result<Found, StoreError>> {
        self.after("lookup", GrantStore::lookup(&self.grants, query))
    }

    fn record(&self, grants: Vec<Grant>) -> Answering<Result<(), StoreError>> {
        self.after("record", self.grants.record(grants))
    }
}

struct Rig {
    tool: Spy,
    turns: Turns,
    faults: Faults,
    asked: Arc<AtomicBool>,
}

impl Rig {
    fn new(fault: Fault, at: usize) -> Self {
        let (tool, turns, asked) = (Spy::new(), Turns::new(), Arc::default());
        Self {
            tool,
            turns,
            faults: Faults::new(fault, at),
            asked,
        }
    }

    fn human(
        &self,
    ) -> impl Service<ApprovalRequest, Response = ApprovalDecision, Error = BoxError, Future: Send>
    + Clone
    + Send
    + Sync
    + use<> {
        let (faults, asked) = (self.faults.clone(), Arc::clone(&self.asked));
        service_fn(move |_: ApprovalRequest| {
            let (faults, asked) = (faults.clone(), Arc::clone(&asked));
            async move {
                faults.points("handler").await?;
                asked.store(true, Ordering::SeqCst);
                Ok(ApprovalDecision::approve().remembered(Remember::Session))
            }
        })
    }

    fn stack<H>(&self, human: H) -> impl Guarded + use<H>
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
    {
        let (describing, deciding) = (self.faults.clone(), self.faults.clone());
        let describer = service_fn(move |_: ToolCall<Reviewing>| {
            let faults = describing.clone();
            async move {
                faults
                    .points("describer")
                    .await
                    .map(|()| Description::new())
            }
        });
        let policy = service_fn(move |_: ToolCall<Reviewing>| {
            let faults = deciding.clone();
            async move {
                faults
                    .points("policy")
                    .await
                    .map(|()| Decision::ask("sure?"))
            }
        });
        let remote = Remote {
            grants: Grants::new(),
            faults: self.faults.clone(),
        };
        let prompt = PromptLayer::new(human).with_turns(self.turns.clone());
        ServiceBuilder::new()
            .layer(ReviewLayer::new().describe_async(describer))
            .layer(prompt.with_deadline(Duration::from_secs(60)))
            .layer(AsyncPolicyLayer::new(policy))
            .layer(MemoryLayer::new(remote))
            .layer(GateLayer::new())
            .service(self.tool.clone())
    }
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

/// How a call ended: with a result, with a panic, or not at all.
#[derive(Debug)]
enum End {
    Result(Result<(), BlockedKind>),
    Panicked,
    Hung,
}

async fn run(rig: &Rig) -> End {
    let running = tokio::spawn(rig.stack(rig.human()).oneshot(call("t")));
    let abort = running.abort_handle();
    let ended = timeout(Duration::from_secs(3600), running).await;
    abort.abort();
    yield_now().await;
    match ended {
        Ok(Ok(result)) => End::Result(result.map(drop).map_err(|blocked| blocked.kind())),
        Ok(Err(_)) => End::Panicked,
        Err(_) => End::Hung,
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_at_any_point_ends_typed_and_nothing_runs() {
    for at in 1.. {
        let rig = Rig::new(Fault::Error, at);
        let End::Result(ended) = run(&rig).await else {
            unreachable!("neither panics nor hangs")
        };
        let Some(place) = rig.faults.met() else {
            assert!(at > 20, "the call has many points: {at}");
            assert_eq!((ended, rig.tool.runs()), (Ok(()), 1));
            break;
        };
        let expected = match place {
            "describer" | "policy" => Err(BlockedKind::PolicyFailed),
            "handler" => Err(BlockedKind::HandlerFailed),
            // A store that fails has no grants: somebody was asked, and said yes.
            _ => Ok(()),
        };
        assert_eq!(ended, expected, "{place} at {at}");
        assert_eq!(rig.tool.runs(), usize::from(ended.is_ok()));
        assert!(ended.is_err() || rig.asked.load(Ordering::SeqCst));
        assert!(rig.turns.is_idle());
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_at_any_point_runs_nothing() {
    for at in 1.. {
        let rig = Rig::new(Fault::Panic, at);
        let ended = run(&rig).await;
        let Some(place) = rig.faults.met() else { break };
        match place {
            "handler" => assert!(matches!(
                ended,
                End::Result(Err(BlockedKind::HandlerFailed))
            )),
            _ => assert!(matches!(ended, End::Panicked), "{place} at {at}: {ended:?}"),
        }
        assert_eq!(rig.tool.runs(), 0, "{place} at {at}");
        assert!(rig.turns.is_idle());
    }
}

#[tokio::test(start_paused = true)]
async fn a_hang_at_any_point_runs_nothing() {
    for at in 1.. {
        let rig = Rig::new(Fault::Hang, at);
        let ended = run(&rig).await;
        let Some(place) = rig.faults.met() else { break };
        match place {
            "handler" => assert!(matches!(ended, End::Result(Err(BlockedKind::TimedOut)))),
            _ => assert!(matches!(ended, End::Hung), "{place} at {at}: {ended:?}"),
        }
        assert_eq!(rig.tool.runs(), 0, "{place} at {at}");
        assert!(rig.turns.is_idle());
    }
}

/// Polls a call so often, and no more. True if it ended by then.
async fn poll_times(
    call: impl Future<Output = Result<serde_json::Value, ToolBlocked>>,
    times: usize,
) -> bool {
    let mut call = pin!(call);
    for _ in 0..times {
        if poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx)))
            .await
            .is_ready()
        {
            return true;
        }
        yield_now().await;
    }
    false
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_at_any_poll_runs_nothing_and_leaves_nothing() {
    for times in 0.. {
        let rig = Rig::new(Fault::None, 0);
        let ended = poll_times(rig.stack(rig.human()).oneshot(call("t")), times).await;
        assert_eq!(rig.tool.runs(), usize::from(ended), "after {times} polls");
        assert!(rig.turns.is_idle(), "after {times} polls");
        if ended {
            assert!(times > 20, "the call waits often: {times}");
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_dropped_at_any_poll_leaves_no_open_question() {
    for times in 0.. {
        let rig = Rig::new(Fault::None, 0);
        let broker = Broker::new();
        let mut events = broker.subscribe(EventFilter::all());
        let answering = broker.clone();
        let answerer = tokio::spawn(async move {
            let Some(toolgate::BrokerEvent::Requested { address, request }) = events.recv().await
            else {
                unreachable!("the first event is a question");
            };
            yield_now().await;
            // The call may be gone by now.
            let _ = answering.respond(PermissionResponse::new(
                request.id,
                address,
                Choice::AllowOnce,
            ));
        });
        let ended = poll_times(rig.stack(broker.prompt("tools")).oneshot(call("t")), times).await;
        answerer.abort();
        assert_eq!(rig.tool.runs(), usize::from(ended), "after {times} polls");
        assert!(
            broker.open().is_empty() && rig.turns.is_idle(),
            "after {times} polls"
        );
        if ended {
            break;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_dropped_at_any_time_runs_nothing() {
    for times in 0..40 {
        let rig = Rig::new(Fault::None, 0);
        let (prompt, questions) = approval_channel(4);
        let running = tokio::spawn(rig.stack(prompt).oneshot(call("t")));
        for _ in 0..times {
            yield_now().await;
        }
        drop(questions);
        let blocked = running.await.unwrap().unwrap_err();
        let told = [BlockedKind::HandlerFailed, BlockedKind::Declined];
        assert!(told.contains(&blocked.kind()), "{blocked} after {times}");
        assert_eq!(rig.tool.runs(), 0);
        assert!(rig.turns.is_idle());
    }
}

#[test]
fn a_runtime_shut_down_at_any_time_runs_nothing() {
    for times in 0.. {
        let rig = Rig::new(Fault::None, 0);
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().build().unwrap();
        let running = runtime.spawn(rig.stack(rig.human()).oneshot(call("t")));
        runtime.block_on(async {
            for _ in 0..times {
                yield_now().await;
            }
        });
        let ended = running.is_finished();
        drop(runtime);
        assert_eq!(rig.tool.runs(), usize::from(ended), "after {times}");
        assert!(rig.turns.is_idle(), "after {times}");
        if ended {
            break;
        }
    }
}
