//! Holes that were found in the asking half. Each test fails when its hole is put back.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::FutureExt as _;
use serde_json::json;
use toolgate::{
    AllowedBy, Approval, ApprovalDecision, Args, AsyncPolicyLayer, Authorize, BlockedKind, Broker,
    CheckApproval, CheckApprovalLayer, Choice, Decision, DefinitionDigest, EventFilter, GateLayer,
    Grants, MemoryLayer, MemoryView, Mode, ModeSwitch, Origin, PermissionResponse, PolicyLayer,
    PromptLayer, Remember, Remembered, ReviewLayer, Reviewing, Rule, SelfChecking, Suggestion,
    Tool, ToolCall, ToolConfig, ToolId, ToolRules, ToolRulesLayer, Toolbox, Turns, Vote, ceiling,
};
use toolgate_test::{Approver, Reply};
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};

use crate::{always, call};

fn always_yes() -> ApprovalDecision {
    ApprovalDecision::approve().remembered(Remember::Always)
}

fn with(tool: &str, args: serde_json::Value) -> ToolCall {
    ToolCall::new(tool, args.try_into().unwrap())
}

/// A grant must not answer another rule only because that stands where the granted one stood.
#[tokio::test]
async fn a_grant_for_the_default_answers_no_policy_inside_the_memory() {
    let approver = Approver::script([Reply::Say(always_yes()), Reply::no()]);
    let rules = ToolRules::default();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(ToolRulesLayer::new(rules.clone()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    assert!(stack.clone().oneshot(call("wipe")).await.is_ok());
    rules.require_for("wipe");
    let blocked = stack.oneshot(call("wipe")).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Declined);
    assert_eq!(approver.asked(), 2);
}

/// What approve-all approved, or a person, must not run once the mode is strict.
#[tokio::test]
async fn no_answer_outlives_a_switch_to_strict() {
    for before in [Mode::ApproveAll, Mode::Interactive] {
        let mode = ModeSwitch::new(before);
        let (switch, rounds) = (mode.clone(), Arc::new(AtomicUsize::new(0)));
        let policy = service_fn(move |_: ToolCall<Reviewing>| {
            if rounds.fetch_add(1, Ordering::SeqCst) == 1 {
                switch.set(Mode::Strict);
            }
            std::future::ready(Ok::<_, BoxError>(Decision::ask("sure?")))
        });
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(Approver::always(Reply::yes())).with_mode(mode))
            .layer(AsyncPolicyLayer::new(policy))
            .layer(GateLayer::new())
            .service(Authorize::new());
        let blocked = stack.oneshot(call("t")).await.unwrap_err();
        assert_eq!(blocked.kind(), BlockedKind::Strict, "{before:?}");
    }
}

/// A child must not do what its parent's mode would refuse, nor approve for its parent.
#[tokio::test]
async fn a_ceiling_has_the_mode_of_the_parent() {
    for (parents, childs, runs) in [
        (Mode::Strict, Mode::ApproveAll, false),
        (Mode::Strict, Mode::Interactive, false),
        (Mode::Interactive, Mode::ApproveAll, false),
        (Mode::ApproveAll, Mode::Interactive, true),
    ] {
        let prompt = |mode, reply| {
            PromptLayer::new(Approver::always(reply)).with_mode(ModeSwitch::new(mode))
        };
        let parent = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(prompt(parents, Reply::yes()))
            .layer(GateLayer::new())
            .service(Authorize::new());
        let child = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(prompt(childs, Reply::no()))
            .layer(ceiling(parent))
            .layer(PolicyLayer::new(always(Decision::allow())))
            .layer(GateLayer::new())
            .service(Authorize::new());
        let ended = child.oneshot(call("t")).await;
        assert_eq!(ended.is_ok(), runs, "{parents:?} and {childs:?}");
    }
}

/// Lets a remembered answer make asking needless, as the source of this pattern does.
struct Own;

impl SelfChecking for Own {
    fn check_approval(&self, call: &ToolCall<Reviewing>, memory: &dyn MemoryView) -> Approval {
        match memory.lookup(call, call.args()) {
            Some(Remembered::Approved) => Approval::NotNeeded,
            Some(Remembered::Denied) => Approval::Blocked("denied before".into()),
            None => Approval::Ask(Vote::ask("own").by(Rule::new("own"))),
        }
    }
}

/// Looking at the memory must not be a way to use a grant without using it up.
#[tokio::test]
async fn the_view_of_the_memory_gives_no_more_than_the_memory() {
    let (grants, mode) = (Grants::new(), ModeSwitch::default());
    let approver = Approver::always(Reply::Say(always_yes().for_uses(1)));
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()).with_mode(mode.clone()))
        .layer(CheckApprovalLayer::new(CheckApproval::new(
            Own,
            grants.clone(),
        )))
        .layer(MemoryLayer::new(grants.clone()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    for _ in 0..4 {
        assert!(stack.clone().oneshot(call("t")).await.is_ok());
    }
    assert_eq!(
        approver.asked(),
        2,
        "each answer holds for the call and one more"
    );
    mode.set(Mode::Strict);
    assert_eq!(
        stack.oneshot(call("t")).await.unwrap_err().kind(),
        BlockedKind::Strict
    );
}

/// An edit together with a suggestion must not make a grant broader than its words.
#[tokio::test]
async fn a_suggestion_is_not_taken_over_to_edited_arguments() {
    let grants = Grants::new();
    let rules = ToolRules::new([("push", ToolConfig::needs_approval())]).unwrap();
    let edit = service_fn(|request: toolgate::ApprovalRequest| async move {
        let same_branch: &Suggestion = &request.suggestions[1];
        let edited = Args::new().with("force", false);
        let mut said = ApprovalDecision::edit(edited).remembered(Remember::Always);
        said = said.suggested(same_branch);
        Ok::<_, BoxError>(said)
    });
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(edit))
        .layer(ToolRulesLayer::new(rules))
        .layer(MemoryLayer::new(grants.clone()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let shown = with("push", json!({"branch": "dev", "force": true}));
    assert!(stack.oneshot(shown).await.is_ok());
    let grant = grants.list().pop().unwrap();
    assert!(grant.exact, "{grant:?}");
    assert_eq!(grant.payload, Args::new().with("force", false));
}

/// A no must be remembered whatever else came with it, and so must a yes to edited arguments.
#[tokio::test]
async fn what_is_to_be_remembered_is_not_lost() {
    let mut no = ApprovalDecision::decline()
        .remembered(Remember::Always)
        .for_uses(0);
    no.args = Some(Args::new().with("n", 2));
    let edit = ApprovalDecision::edit(Args::new().with("n", 2)).remembered(Remember::Always);
    for said in [no, edit] {
        let grants = Grants::new();
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(Approver::always(Reply::Say(said.clone()))))
            .layer(MemoryLayer::new(grants.clone()))
            .layer(GateLayer::new())
            .service(Authorize::new());
        let _ = stack.clone().oneshot(with("t", json!({"n": 1}))).await;
        assert_eq!(grants.list().len(), 1, "{said:?}");
        let again = with(
            "t",
            if said.approved {
                json!({"n": 2})
            } else {
                json!({"n": 1})
            },
        );
        match stack.oneshot(again).await {
            Ok(call) => assert_eq!(call.allowed_by(), AllowedBy::Memory),
            Err(blocked) => assert_eq!(blocked.kind(), BlockedKind::RememberedDenial),
        }
    }
}

/// Calls that wait for their turn are bounded, and those that leave do not pile up.
#[tokio::test(start_paused = true)]
async fn the_queue_for_a_turn_is_bounded() {
    let turns = Turns::with_limit(2);
    let prompt = PromptLayer::new(Approver::always(Reply::Hang)).with_turns(turns.clone());
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(prompt)
        .layer(GateLayer::new())
        .service(Authorize::new());
    let waiting: Vec<_> = (0..3)
        .map(|_| tokio::spawn(stack.clone().oneshot(call("t"))))
        .collect();
    tokio::task::yield_now().await;
    let blocked = stack.clone().oneshot(call("t")).await.unwrap_err();
    assert_eq!(blocked.kind(), BlockedKind::Overloaded);
    for left in 0..100 {
        let mut leaving = Box::pin(stack.clone().oneshot(call("t")));
        let full = leaving.as_mut().now_or_never();
        assert!(
            full.is_some_and(|ended| ended.is_err()),
            "still full after {left}"
        );
    }
    waiting.iter().for_each(tokio::task::JoinHandle::abort);
    tokio::task::yield_now().await;
    assert!(turns.is_idle());
}

/// A tool that is defined otherwise by now must not lose what was known of it.
#[tokio::test]
async fn another_definition_does_not_go_undescribed() {
    let defined = |n: u8| ToolId::new("rm").defined_as(DefinitionDigest::new([n; 32]));
    let toolbox = Toolbox::new([
        Tool::raw(defined(1), |_| async { Ok::<_, BoxError>("gone") }).requiring_approval(),
    ])
    .unwrap();
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(toolbox))
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let run = async |n: u8| {
        let ended = stack
            .clone()
            .oneshot(ToolCall::new(defined(n), Args::new()))
            .await;
        ended.err().map(|blocked| blocked.kind())
    };
    assert_eq!(run(1).await, Some(BlockedKind::NoHandler));
    assert_eq!(run(2).await, Some(BlockedKind::PolicyFailed));
}

/// Whoever says who may answer may ask the broker meanwhile.
#[tokio::test]
async fn a_broker_can_be_asked_while_it_asks_who_may_answer() {
    let known: Arc<std::sync::OnceLock<Broker>> = Arc::default();
    let own = Arc::clone(&known);
    let broker = Broker::with_approvers(8, 8, move |_, _| {
        own.get().is_some_and(|broker| broker.open().len() == 1)
    });
    known.set(broker.clone()).unwrap();
    let mut events = broker.subscribe(EventFilter::all());
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(broker.prompt("tools")))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let from = call("t").with_origin(Origin::new().with_session("s"));
    let running = tokio::spawn(stack.oneshot(from));
    let Some(toolgate::BrokerEvent::Requested { address, request }) = events.recv().await else {
        unreachable!("the first event is a question");
    };
    let yes = PermissionResponse::new(request.id, address, Choice::AllowOnce);
    assert!(broker.respond(yes).is_ok());
    assert!(running.await.unwrap().is_ok());
}

/// Two different calls must not read the same to whoever is asked.
#[tokio::test]
async fn a_key_cannot_be_taken_for_two() {
    let approver = Approver::always(Reply::no());
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(approver.clone()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    for args in [
        json!({"bcc": "x", "to": "y"}),
        json!({"bcc=\"x\", to": "y"}),
    ] {
        assert!(stack.clone().oneshot(with("mail", args)).await.is_err());
    }
    let questions = approver.questions();
    assert_ne!(questions[0].description, questions[1].description);
}
