//! Tests over whole stacks.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    reason = "this crate is a test: failing loudly is its job, in helpers as well"
)]

mod allocations;
mod asking;
mod asking_attacks;
mod asking_holes;
mod audit;
mod batches;
mod brokering;
mod ceiling_attacks;
mod compile_fail;
mod composition;
mod continuation;
mod continuation_attacks;
mod faults;
mod flood_attacks;
mod holes;
mod laws;
mod manual;
mod model;
mod readiness;
mod reading_attacks;
mod record_attacks;
mod remembering;

use toolgate::{Args, Decision, Reviewing, ToolCall};

/// A call of `tool` without arguments.
fn call(tool: &str) -> ToolCall {
    ToolCall::new(tool, Args::new())
}

/// A policy that says the same of every call.
fn always(
    decision: Decision,
) -> impl Fn(&ToolCall<Reviewing>) -> Decision + Clone + Send + Sync + 'static {
    move |_| decision.clone()
}
