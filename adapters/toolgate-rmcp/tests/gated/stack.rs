//! Stacks.

use toolgate::{
    ApprovalDecision, Authorize, Authorized, Decision, GateLayer, Grants, MemoryLayer,
    PendingApprovals, Policy, PolicyLayer, PromptLayer, Remember, ReviewLayer, ToolBlocked,
    ToolCall, approval_channel,
};
use toolgate_test::{Approver, Reply};
use tower::{ServiceBuilder, util::BoxCloneSyncService};

pub(crate) type Stack = BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>;

/// Decides by `policy` alone, and asks nobody.
pub(crate) fn by(policy: impl Policy) -> Stack {
    BoxCloneSyncService::new(
        ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PolicyLayer::new(policy))
            .layer(GateLayer::deny_by_default())
            .service(Authorize::new()),
    )
}

pub(crate) fn allowing() -> Stack {
    by(|_: &ToolCall<toolgate::Reviewing>| Decision::allow())
}

/// Asks about everything, and remembers.
pub(crate) fn asking() -> (Stack, Approver) {
    let always = ApprovalDecision::approve().remembered(Remember::Session);
    let human = Approver::always(Reply::Say(always));
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human.clone()))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(Authorize::new());
    (BoxCloneSyncService::new(stack), human)
}

/// Asks about everything, and waits.
pub(crate) fn waiting() -> (Stack, PendingApprovals) {
    let (prompt, questions) = approval_channel(1);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(GateLayer::new())
        .service(Authorize::new());
    (BoxCloneSyncService::new(stack), questions)
}
