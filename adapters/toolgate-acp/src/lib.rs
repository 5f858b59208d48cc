//! Asks about tool calls over the [Agent Client Protocol]: an agent that is built with Toolgate
//! puts its questions to the editor it works in.
//!
//! [`AcpPrompt`] is a handler for [`PromptLayer`](toolgate::PromptLayer). It sends
//! `session/request_permission` and reads the outcome:
//!
//! | outcome | answer |
//! |---|---|
//! | allow once, reject once | yes, no |
//! | allow always, reject always | yes, no, remembered; offered only if there is a memory |
//! | cancelled | no |
//! | an option that was not offered | none: asking has failed, and the call is blocked |
//!
//! The question goes to the session that the call's origin names. Dropping it, as the prompt does
//! at a deadline, cancels the request.
//!
//! # Example
//!
//! ```
//! # use agent_client_protocol::{Client, v1::ConnectionTo};
//! # fn f(connection: ConnectionTo<Client>) {
//! use toolgate::{Authorize, GateLayer, PromptLayer, ReviewLayer};
//! use toolgate_acp::AcpPrompt;
//! use tower::ServiceBuilder;
//!
//! let stack = ServiceBuilder::new()
//!     .layer(ReviewLayer::new())
//!     .layer(PromptLayer::new(AcpPrompt::new(connection)))
//!     .layer(GateLayer::new())
//!     .service(Authorize::new());
//! # let _ = stack;
//! # }
//! ```
//!
//! [Agent Client Protocol]: https://agentclientprotocol.com

mod error;
mod message;
mod prompt;

pub use self::{
    error::{AcpError, AcpErrorKind},
    prompt::AcpPrompt,
};
