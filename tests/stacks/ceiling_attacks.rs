//! Ways in which a child could do more than its parent. Each test fails when its hole is put back.

use serde_json::json;
use toolgate::{
    Args, Authorize, Authorized, BlockedKind, Decision, GateLayer, Mode, ModeSwitch, PolicyLayer,
    PromptLayer, ReviewLayer, Reviewing, ToolBlocked, ToolCall, ceiling,
};
use toolgate_test::{Approver, Reply, Spy};
use tower::{ServiceBuilder, ServiceExt, util::BoxCloneSyncService};

use crate::{always, call};

type Parent = BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>;

/// An agent that is asked about everything, and answers no.
fn asked_about_everything() -> Parent {
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(Approver::always(Reply::no())))
        .layer(PolicyLayer::new(always(Decision::ask("sure?"))))
        .layer(GateLayer::new())
        .service(Authorize::new());
    BoxCloneSyncService::new(stack)
}

/// An agent below `parent` whose own policy and mode approve of everything.
fn approving(parent: Parent, name: Option<&'static str>) -> Parent {
    let layer = ceiling(parent);
    let layer = match name {
        Some(name) => layer.named(name),
        None => layer,
    };
    let prompt = PromptLayer::new(Approver::always(Reply::no()));
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(prompt.with_mode(ModeSwitch::new(Mode::ApproveAll)))
        .layer(layer)
        .layer(PolicyLayer::new(always(Decision::allow())))
        .layer(GateLayer::new())
        .service(Authorize::new());
    BoxCloneSyncService::new(stack)
}

/// What an agent cannot approve for its parent, it cannot approve for its own children either.
#[tokio::test]
async fn a_grandchild_does_not_escape_through_the_mode_of_its_parent() {
    let child = approving(asked_about_everything(), None);
    let grandchild = approving(child.clone(), None);
    for agent in [child, grandchild] {
        let ended = agent.oneshot(call("t")).await.map(drop);
        let kind = ended.unwrap_err().kind();
        assert_eq!(kind, BlockedKind::Declined);
    }
}

/// A ceiling is one under any name.
#[tokio::test]
async fn a_ceiling_with_another_name_is_still_one() {
    let child = approving(asked_about_everything(), Some("what root may do"));
    let ended = child.oneshot(call("t")).await.map(drop);
    assert_eq!(ended.unwrap_err().kind(), BlockedKind::Declined);
}

fn without_force(call: &ToolCall<Reviewing>) -> Decision {
    let kept = call.args().filtered(|key| key != "force");
    Decision::allow().with_args(kept)
}

/// What the parent would only do in another form, the child does in that form or not at all.
#[tokio::test]
async fn a_child_runs_what_its_parent_would_have_made_of_the_call() {
    for asks in [false, true] {
        let parent = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PolicyLayer::new(without_force))
            .layer(PolicyLayer::new(always(match asks {
                true => Decision::ask("sure?"),
                false => Decision::allow(),
            })))
            .layer(GateLayer::new())
            .service(Authorize::new());
        let (tool, approver) = (Spy::new(), Approver::always(Reply::yes()));
        let child = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(approver.clone()))
            .layer(ceiling(parent))
            .layer(PolicyLayer::new(always(Decision::allow())))
            .layer(GateLayer::new())
            .service(tool.clone());
        let args = json!({"branch": "dev", "force": true}).try_into().unwrap();
        child.oneshot(ToolCall::new("push", args)).await.unwrap();
        let kept = Args::new().with("branch", "dev");
        assert_eq!(tool.args(), std::slice::from_ref(&kept));
        assert!(approver.questions().iter().all(|asked| asked.args == kept));
        assert_eq!(approver.asked(), usize::from(asks));
    }
}
