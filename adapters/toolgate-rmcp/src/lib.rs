//! Authorises tool calls of [rmcp], on the server's side and on the host's.
//!
//! [`GatedServer`] stands around a `ServerHandler`: whatever client calls, a tool runs only if the
//! stack lets it. [`GatedClient`] stands around the peer of a client: whatever server a host talks
//! to, only authorised calls leave.
//!
//! Both take a stack that ends in [`Authorize`](toolgate::Authorize), and hand the runtime's own
//! request on with the authorised arguments and everything else as it was. A call that is blocked
//! becomes a result that is marked as an error, because models read results and not errors of the
//! protocol.
//!
//! # Example
//!
//! ```no_run
//! # async fn f(handler: impl rmcp::ServerHandler) -> Result<(), Box<dyn std::error::Error>> {
//! use rmcp::ServiceExt;
//! use toolgate::{Authorize, GateLayer, Origin, ReviewLayer, ToolConfig, ToolRules, ToolRulesLayer};
//! use toolgate_rmcp::GatedServer;
//! use tower::ServiceBuilder;
//!
//! let rules = ToolRules::new([("mcp:files/read_*", ToolConfig::pre_approved())])?;
//! let stack = ServiceBuilder::new()
//!     .layer(ReviewLayer::new())
//!     .layer(ToolRulesLayer::new(rules))
//!     .layer(GateLayer::deny_by_default())
//!     .service(Authorize::new());
//!
//! let gated = GatedServer::new("files", handler, stack)
//!     .with_origin(Origin::new().with_session("s-1"));
//! let (transport, _other_end) = tokio::io::duplex(4096);
//! gated.serve(transport).await?;
//! # Ok(())
//! # }
//! ```
//!
//! [rmcp]: https://docs.rs/rmcp

mod client;
mod server;

use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock};
use toolgate::{Args, Authorized, Refusal, ToolCall};

pub use self::{client::GatedClient, server::GatedServer};

/// The arguments of a request. None at all is the same as none in particular.
fn args(request: &CallToolRequestParams) -> Args {
    request.arguments.clone().unwrap_or_default().into()
}

/// The same request, with exactly the arguments that were authorised.
fn with_args(
    mut request: CallToolRequestParams,
    call: &ToolCall<Authorized>,
) -> CallToolRequestParams {
    if request.arguments.is_some() || !call.args().is_empty() {
        request.arguments = Some(call.args().as_map().clone());
    }
    request
}

/// What the model is told in place of a result.
fn told(refusal: &Refusal) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(refusal.for_model())])
}
