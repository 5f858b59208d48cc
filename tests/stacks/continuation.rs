//! Asking whether a run may go on.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::json;
use tokio::time::{Instant, sleep};
use toolgate::{
    ApprovalDecision, ApprovalRequest, Args, BlockedKind, ContinuationLayer, Iteration, Mode,
    ModeSwitch, Origin, PromptLayer, Remember, Run, RunEnded,
};
use toolgate_test::{Approver, Reply};
use tower::{BoxError, Service, ServiceBuilder, ServiceExt, service_fn, util::BoxCloneSyncService};

type Agent = BoxCloneSyncService<Iteration, u64, RunEnded>;

/// An agent that counts its iterations.
struct Rig {
    agent: Agent,
    approver: Approver,
    made: Arc<AtomicUsize>,
}

impl Rig {
    fn new(approver: Approver, layer: ContinuationLayer<Approver>) -> Self {
        let made = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&made);
        let agent = ServiceBuilder::new()
            .layer(layer)
            .service_fn(move |iteration: Iteration| {
                counter.fetch_add(1, Ordering::SeqCst);
                async move { Ok(iteration.number()) }
            });
        let agent = BoxCloneSyncService::new(agent);
        Self {
            agent,
            approver,
            made,
        }
    }

    fn replying(limit: u64, reply: Reply) -> Self {
        let approver = Approver::always(reply);
        Self::new(approver.clone(), ContinuationLayer::new(limit, approver))
    }

    async fn make(&self, run: &Run, number: u64) -> Result<u64, RunEnded> {
        self.agent.clone().oneshot(run.iteration(number)).await
    }

    /// How many iterations pass in a row, and how often somebody was asked.
    async fn until_the_end(&self, run: &Run, most: u64) -> (u64, usize) {
        for number in 0..most {
            if self.make(run, number).await.is_err() {
                return (number, self.approver.asked());
            }
        }
        (most, self.approver.asked())
    }

    fn made(&self) -> usize {
        self.made.load(Ordering::SeqCst)
    }
}

fn run() -> Run {
    Run::new(Origin::new().with_session("s").with_agent("root"))
}

fn extend_by(by: serde_json::Value) -> Reply {
    Reply::edit(Args::new().with("extend_by", by))
}

#[tokio::test(start_paused = true)]
async fn iterations_below_the_limit_pass_without_a_question() {
    let rig = Rig::replying(2, Reply::no());
    let run = run();
    assert_eq!(rig.make(&run, 0).await.unwrap(), 0);
    assert_eq!(rig.make(&run, 1).await.unwrap(), 1);
    assert_eq!((rig.approver.asked(), rig.made()), (0, 2));
}

#[tokio::test(start_paused = true)]
async fn a_no_ends_the_run_for_good() {
    let rig = Rig::replying(
        2,
        Reply::Say(ApprovalDecision::decline().with_note("enough")),
    );
    let run = run();
    let ended = rig.make(&run, 2).await.unwrap_err();
    assert_eq!(
        (ended.kind(), ended.note()),
        (BlockedKind::Declined, Some("enough"))
    );
    assert_eq!((ended.iterations(), ended.limit()), (2, 2));
    assert!(ended.message().contains("after 2 iterations") && ended.message().contains("enough"));
    // One that is below the limit is not made either.
    for number in [0, 1, 2, 3] {
        let again = rig.make(&run, number).await.unwrap_err();
        assert_eq!(again.kind(), BlockedKind::Declined, "{number}");
        assert!(again.blocked().is_none(), "nobody looked at it again");
    }
    assert_eq!((rig.approver.asked(), rig.made()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_question_says_what_it_is_about() {
    let rig = Rig::replying(2, Reply::yes());
    rig.make(&run(), 2).await.unwrap();
    let question = &rig.approver.questions()[0];
    assert_eq!(question.tool.name(), "continue");
    let args: Args = json!({"iteration": 3, "limit": 2, "extend_by": 2})
        .try_into()
        .unwrap();
    assert_eq!(question.args, args);
    assert_eq!(question.origin.session(), Some("s"));
    assert!(question.editable && question.expires.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_yes_extends_the_limit_by_the_amount_and_no_more() {
    for (limit, extension, reply, passes) in [
        (2, None, Reply::yes(), 4),
        (2, Some(3), Reply::yes(), 5),
        (2, Some(3), extend_by(json!(10)), 12),
        (2, Some(3), extend_by(json!(0)), 5),
        (2, Some(3), extend_by(json!(-4)), 5),
        (2, Some(3), extend_by(json!(4.0)), 5),
        (2, Some(3), extend_by(json!("7")), 5),
        (2, Some(3), Reply::edit(Args::new()), 5),
        (17, Some(3), Reply::yes(), 20),
        (0, None, Reply::yes(), 1),
        (0, Some(0), Reply::yes(), 1),
    ] {
        let approver = Approver::script([reply, Reply::no()]);
        let mut layer = ContinuationLayer::new(limit, approver.clone());
        if let Some(extension) = extension {
            layer = layer.with_extension(extension);
        }
        let rig = Rig::new(approver, layer);
        let case = format!("{limit} {extension:?} {passes}");
        assert_eq!(rig.until_the_end(&run(), 40).await, (passes, 2), "{case}");
        assert_eq!(rig.made() as u64, passes, "{case}");
        let limits = rig.approver.questions();
        let limits = limits
            .iter()
            .map(|question| question.args.get("limit").cloned());
        assert!(
            limits.eq([limit, passes].map(|limit| Some(json!(limit)))),
            "{case}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_extension_is_kept_whatever_the_sum_is() {
    for limit in 1..40 {
        for extension in 1..40 {
            let approver = Approver::script([Reply::yes(), Reply::no()]);
            let layer = ContinuationLayer::new(limit, approver.clone()).with_extension(extension);
            let rig = Rig::new(approver, layer);
            let sum = limit + extension;
            assert_eq!(rig.until_the_end(&run(), 100).await, (sum, 2));
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_largest_extension_does_not_wrap_around() {
    let rig = Rig::replying(2, extend_by(json!(u64::MAX)));
    let run = run();
    rig.make(&run, 2).await.unwrap();
    rig.make(&run, u64::MAX - 1).await.unwrap();
    assert_eq!(rig.approver.asked(), 1);
}

#[tokio::test(start_paused = true)]
async fn runs_do_not_share_what_one_was_granted() {
    let rig = Rig::replying(2, Reply::yes());
    let (first, second) = (run(), run());
    rig.make(&first, 2).await.unwrap();
    rig.make(&first, 3).await.unwrap();
    assert_eq!(rig.approver.asked(), 1);
    rig.make(&second, 2).await.unwrap();
    assert_eq!(
        rig.approver.asked(),
        2,
        "the other run of the same session is asked about"
    );
}

#[tokio::test(start_paused = true)]
async fn layers_around_one_run_do_not_share_it_either() {
    let (inner, outer) = (
        Approver::always(Reply::yes()),
        Approver::always(Reply::yes()),
    );
    let agent = ServiceBuilder::new()
        .layer(ContinuationLayer::new(2, outer.clone()).with_extension(100))
        .layer(ContinuationLayer::new(3, inner.clone()))
        .service_fn(|_: Iteration| async { Ok::<_, RunEnded>(()) });
    let run = run();
    for number in 0..4 {
        agent.clone().oneshot(run.iteration(number)).await.unwrap();
    }
    assert_eq!((outer.asked(), inner.asked()), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn whatever_is_no_yes_ends_the_run() {
    for (reply, kind) in [
        (Reply::Fail, BlockedKind::HandlerFailed),
        (Reply::Panic, BlockedKind::HandlerFailed),
        (Reply::Hang, BlockedKind::TimedOut),
    ] {
        let rig = Rig::replying(1, reply);
        let run = run();
        let ended = rig.make(&run, 1).await.unwrap_err();
        assert_eq!(
            (ended.kind(), ended.note()),
            (kind, None),
            "nobody said a word"
        );
        assert_eq!(rig.make(&run, 1).await.unwrap_err().kind(), kind);
        assert_eq!((rig.approver.asked(), rig.made()), (1, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn giving_up_the_question_ends_the_run() {
    let rig = Rig::replying(1, Reply::Hang);
    let run = run();
    let asked = tokio::spawn(rig.agent.clone().oneshot(run.iteration(1)));
    sleep(Duration::from_secs(1)).await;
    asked.abort();
    let _ = asked.await;
    assert_eq!(
        rig.make(&run, 1).await.unwrap_err().kind(),
        BlockedKind::Withdrawn
    );
    assert_eq!((rig.approver.asked(), rig.made()), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_is_that_of_the_prompt() {
    let approver = Approver::always(Reply::Hang);
    let prompt = PromptLayer::new(approver.clone()).with_deadline(Duration::from_secs(9));
    let rig = Rig::new(approver, ContinuationLayer::from_prompt(1, prompt));
    let begun = Instant::now();
    assert_eq!(
        rig.make(&run(), 1).await.unwrap_err().kind(),
        BlockedKind::TimedOut
    );
    assert_eq!(begun.elapsed(), Duration::from_secs(9));
    assert_eq!(rig.made(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_mode_is_that_of_the_prompt() {
    for (mode, passes) in [(Mode::Strict, 2), (Mode::ApproveAll, 50)] {
        let approver = Approver::always(Reply::no());
        let switch = ModeSwitch::new(mode);
        let prompt = PromptLayer::new(approver.clone()).with_mode(switch);
        let rig = Rig::new(approver, ContinuationLayer::from_prompt(2, prompt));
        let run = run();
        assert_eq!(rig.until_the_end(&run, 50).await, (passes, 0), "{mode:?}");
        assert_eq!(rig.made() as u64, passes);
        if mode == Mode::Strict {
            assert_eq!(
                rig.make(&run, 2).await.unwrap_err().kind(),
                BlockedKind::Strict
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn no_answer_is_remembered() {
    let yes = ApprovalDecision::approve().remembered(Remember::Always);
    let rig = Rig::replying(1, Reply::Say(yes));
    for _ in 0..2 {
        rig.make(&run(), 1).await.unwrap();
    }
    assert_eq!(rig.approver.asked(), 2);
}

/// Answers after a second.
fn slow(
    asked: &Arc<AtomicUsize>,
    answer: &ApprovalDecision,
) -> impl Service<ApprovalRequest, Response = ApprovalDecision, Error = BoxError, Future: Send>
+ Clone
+ Send
+ Sync
+ use<> {
    let (asked, answer) = (Arc::clone(asked), answer.clone());
    service_fn(move |_: ApprovalRequest| {
        asked.fetch_add(1, Ordering::SeqCst);
        let answer = answer.clone();
        async move {
            sleep(Duration::from_secs(1)).await;
            Ok(answer)
        }
    })
}

#[tokio::test(start_paused = true)]
async fn one_answer_is_for_all_iterations_of_a_run_that_wait_for_it() {
    for (answer, kinds) in [
        (ApprovalDecision::approve(), [None, None]),
        (
            ApprovalDecision::decline().with_note("enough"),
            [Some(BlockedKind::Declined); 2],
        ),
    ] {
        let asked = Arc::new(AtomicUsize::new(0));
        let agent = ServiceBuilder::new()
            .layer(ContinuationLayer::new(2, slow(&asked, &answer)))
            .service_fn(|_: Iteration| async { Ok::<_, RunEnded>(()) });
        let run = run();
        let both = [2, 3].map(|number| agent.clone().oneshot(run.iteration(number)));
        let ended = futures_util::future::join_all(both).await;
        assert_eq!(
            [0, 1].map(|n| ended[n].as_ref().err().map(RunEnded::kind)),
            kinds
        );
        assert_eq!(asked.load(Ordering::SeqCst), 1);
        let notes: Vec<_> = ended
            .iter()
            .filter_map(|end| end.as_ref().err())
            .map(RunEnded::note)
            .collect();
        let said = [Some("enough"), None];
        assert!(
            notes.is_empty() || notes == said,
            "words of a person, to the one they were for"
        );
        // One yes is one extension, however many waited for it.
        let beyond = agent.clone().oneshot(run.iteration(4)).await;
        let more = usize::from(answer.approved);
        assert_eq!(
            (beyond.is_ok(), asked.load(Ordering::SeqCst)),
            (answer.approved, 1 + more)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_reserved_while_somebody_thinks() {
    let asked = Arc::default();
    let mut agent = ServiceBuilder::new()
        .layer(ContinuationLayer::new(
            1,
            slow(&asked, &ApprovalDecision::approve()),
        ))
        .concurrency_limit(1)
        .service_fn(|_: Iteration| async { Ok::<_, RunEnded>(()) });
    let other = agent.clone();
    let ready = agent.ready().await.unwrap();
    let waiting = tokio::spawn(ready.call(run().iteration(1)));
    tokio::task::yield_now().await;
    // The handle that was ready is still there, and so would be what it reserved.
    let meanwhile = tokio::time::timeout(Duration::ZERO, other.oneshot(run().iteration(0)));
    assert!(meanwhile.await.is_ok());
    waiting.await.unwrap().unwrap();
    drop(agent);
}
