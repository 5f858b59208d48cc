//! Real servers and clients of rmcp, connected by a pipe in memory.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests fail as tests do"
)]

mod client;
mod notes;
mod server;
mod stack;
