//! A gateway that stands between an MCP client and its servers, and decides which tools may be
//! called.
//!
//! Everything passes as it was sent: tools, resources, prompts, sampling, roots, elicitation,
//! notifications, progress, cancellation, pages, logging and completion. Two things do not:
//!
//! - `tools/call` is authorised by a policy first. What goes on to the server has exactly the
//!   arguments that were authorised. A call that is refused is answered with a result that says
//!   why, so that the model can read it.
//! - `tools/list` leaves out tools that the policy denies whatever their arguments are. What a tool
//!   was defined as is part of its identity: a tool that changes is another tool, and what was
//!   remembered for it no longer counts.
//!
//! Somebody who has to be asked is asked through the client if it offers that (while the call waits,
//! or by deferring it, as the version of the protocol has it), or else by a [`Handler`].

mod ask;
mod authority;
mod config;
mod core;
mod form;
mod frame;
mod gateway;
mod http;
mod json;
mod lines;
mod methods;
mod process;
mod queue;
mod registry;
mod session;
mod state;

pub use self::{
    ask::Handler,
    config::{ConfigError, Server},
    gateway::Gateway,
    http::local::Listening,
};
