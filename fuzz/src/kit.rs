//! Policies and calls in a line or two.

use jiff::Timestamp;
use serde_json::{Value, json};
use toolgate::{Args, Effect, ToolCall};
use toolgate_policy::{FilePolicy, Format, LayerKind, Layers, Settings, parse_policy};

use crate::tree;

/// A made-up world: a few files, and a clock that stands still.
pub(crate) fn settings() -> Settings {
    Settings::new()
        .with_base("/w")
        .with_home("/home/ann")
        .with_own_file("/w/toolgate.toml")
        .with_files(tree::files())
        .with_clock(|| Timestamp::UNIX_EPOCH)
}

/// A policy of this package's own, which loads.
#[expect(clippy::expect_used, reason = "a policy written here is no input")]
pub(crate) fn policy(toml: &str) -> FilePolicy {
    let parsed = parse_policy(toml, Format::Toml).expect("the policy is read");
    parsed
        .compile(None, &settings())
        .expect("the policy is compiled")
}

/// The same with another one on top, whose rules hold as well.
#[expect(clippy::expect_used, reason = "a policy written here is no input")]
pub(crate) fn with(toml: &str, further: &str) -> FilePolicy {
    let read = |toml| parse_policy(toml, Format::Toml).expect("the policy is read");
    let further = (LayerKind::Managed, read(further));
    let layers = Layers::new([further, (LayerKind::User, read(toml))], None);
    let layers = layers.expect("the policies are read");
    layers
        .compile(&settings())
        .expect("the policies are compiled")
}

pub(crate) fn call(tool: &str, args: Value) -> ToolCall {
    let args = Args::try_from(args).unwrap_or_default();
    ToolCall::new(tool, args)
}

pub(crate) fn line(line: &str) -> ToolCall {
    call("shell", json!({ "command": line }))
}

pub(crate) fn argv(argv: &[&str]) -> ToolCall {
    call("exec", json!({ "argv": argv }))
}

/// What is decided, having seen that it is decided the same again, and explained the same.
pub(crate) fn effect(policy: &FilePolicy, call: &ToolCall) -> Effect {
    let effect = policy.effect(call);
    assert_eq!(
        effect,
        policy.effect(call),
        "decided otherwise when asked again"
    );
    effect
}

/// A word as bash takes it for itself.
pub(crate) fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
