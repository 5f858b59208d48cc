//! Asking about something that is no tool call.

use std::{error::Error, sync::Arc};

use tower::{ServiceBuilder, util::Oneshot};
use tower_service::Service;

use crate::{
    ApprovalDecision, ApprovalRequest, Authorize, Authorized, Decision, GateLayer, GrantStore,
    MemoryLayer, PolicyLayer, PromptLayer, ReviewLayer, ToolBlocked, ToolCall,
};

/// Sends `call` through a stack of its own that ends in nothing: what comes out is the yes of
/// whoever was asked, or the reason why there is none.
///
/// `decide` speaks for `layer`. It is asked again when a turn came after waiting and when there
/// is an answer, as any policy is. So whatever a stack does, for deadlines, turns, modes, memory
/// and edited arguments, is done here by the same code.
pub(crate) async fn ask_once<H, M>(
    prompt: PromptLayer<H>,
    memory: MemoryLayer<M>,
    layer: &'static str,
    decide: impl Fn() -> Decision + Send + Sync + 'static,
    call: ToolCall,
) -> Result<ToolCall<Authorized>, ToolBlocked>
where
    H: Service<ApprovalRequest, Response = ApprovalDecision> + Clone + Send + Sync + 'static,
    H::Error: Into<Box<dyn Error + Send + Sync>>,
    H::Future: Send,
    M: GrantStore,
{
    let decide = Arc::new(decide);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(prompt)
        .layer(PolicyLayer::new(move |_: &_| decide()).named(layer))
        .layer(memory)
        .layer(GateLayer::new())
        .service(Authorize::new());
    Oneshot::new(stack, call).await
}
