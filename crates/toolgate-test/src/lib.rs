//! Test kit for Toolgate: a tool that counts its runs, somebody who answers by a script, and
//! the laws of the library as property tests for policies and stacks of one's own.
//!
//! # A refusal
//!
//! A test of a refusal asserts the error *and* that the tool did not run:
//!
//! ```
//! use toolgate::{Args, BlockedKind, ToolCall, ToolConfig, ToolRules};
//! use toolgate_test::{Spy, stack};
//! use tower::ServiceExt;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tool = Spy::new();
//! let rules = ToolRules::new([("delete_file", ToolConfig::blocked())])?;
//! let guarded = stack([rules], None, tool.clone());
//!
//! let blocked = guarded.oneshot(ToolCall::new("delete_file", Args::new())).await.unwrap_err();
//!
//! assert_eq!(blocked.kind(), BlockedKind::Denied);
//! assert_eq!(tool.runs(), 0);
//! # Ok(())
//! # }
//! ```
//!
//! # The laws, on a policy of one's own
//!
//! ```
//! use toolgate::{Decision, Reviewing, ToolCall};
//! use toolgate_test::{calls, laws};
//!
//! let mine = |call: &ToolCall<Reviewing>| match call.tool().name() {
//!     "read" => Decision::allow(),
//!     "drop_table" => Decision::deny("never"),
//!     _ => Decision::abstain(),
//! };
//! laws::hold_for_policy(mine, calls(["read", "write", "drop_table"]));
//! ```
//!
//! A whole stack is checked by [`laws::hold_for_stack`].

mod approver;
mod calls;
pub mod laws;
mod spy;
mod stack;

pub use self::{
    approver::{Approver, Reply},
    calls::{calls, calls_with},
    spy::Spy,
    stack::{Outcome, Stack, outcome, stack},
};

/// The code in the architecture page is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/architecture.md")]
mod architecture {}
