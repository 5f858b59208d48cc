//! Tests over whole policies, through what the crate offers to everybody.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "this crate is a test: failing loudly is its job, in helpers as well"
)]

mod allocations;
mod guide;
mod layers;
mod model;
mod redirects;

use toolgate::{Args, Effect, ToolCall};
use toolgate_policy::{FakeFiles, FilePolicy, Format, Settings, parse_policy};

/// A policy in `/w`, whose files are these.
fn policy_over(text: &str, files: FakeFiles) -> FilePolicy {
    let settings = Settings::new().with_base("/w").with_files(files);
    let parsed = parse_policy(text, Format::Toml).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let compiled = parsed.compile(None, &settings);
    compiled.unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What a policy says of a command line.
fn line(policy: &FilePolicy, line: &str) -> Effect {
    policy.effect(&ToolCall::new("shell", Args::new().with("command", line)))
}
