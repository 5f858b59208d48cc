//! Policy files on top of each other.
//!
//! 1. A project that nobody vouched for never lets more through.
//! 2. What one layer denies, no other layer turns.
//! 3. A managed layer under a project decides the same in either order.

use std::sync::LazyLock;

use serde_json::json;
use toolgate::{Args, Effect, ToolCall, ToolId};
use toolgate_policy::{FilePolicy, Format, LayerKind, Layers, ParsedPolicy, parse_policy};

use crate::kit;

const BASE: &str = r#"
default = "ask"
workspace = "/w"
registry = ["shell", "exec", "read_file", "write_file", "delete_file", "fetch", "send", "plain"]
[shell]
allow = ["ls *", "git status *", "git log *", "cat *"]
ask = ["git push *"]
deny = ["rm *", "curl *"]
[read]
allow = ["**"]
deny = ["secrets"]
[write]
allow = ["src/**"]
[fetch]
allow = ["docs.rs"]
[capabilities]
allow = ["fs.read"]
deny = ["pay.*"]
[tools]
allow = ["plain"]
deny = [{ tool = "send", when = { to = { eq = "all" } } }]
"#;

static PARSED: LazyLock<Option<ParsedPolicy>> =
    LazyLock::new(|| parse_policy(BASE, Format::Toml).ok());
static ALONE: LazyLock<FilePolicy> = LazyLock::new(|| kit::policy(BASE));
static CALLS: LazyLock<Vec<ToolCall>> = LazyLock::new(some_calls);

/// One call of every kind, and of every decision.
pub(crate) fn calls() -> &'static [ToolCall] {
    &CALLS
}

fn some_calls() -> Vec<ToolCall> {
    let remote = ToolId::new("get").on_server("github");
    let mut calls = vec![
        kit::call("read_file", json!({ "path": "src/lib.rs" })),
        kit::call("read_file", json!({ "path": "secrets/key" })),
        kit::call("write_file", json!({ "path": "src/new", "content": "x" })),
        kit::call(
            "write_file",
            json!({ "path": ".git/config", "content": "x" }),
        ),
        kit::call("delete_file", json!({ "path": "docs/a.md" })),
        kit::call("fetch", json!({ "url": "https://docs.rs/tower" })),
        kit::call("fetch", json!({ "url": "http://10.0.0.1/" })),
        kit::call("plain", json!({ "n": 1 })),
        kit::call("send", json!({ "to": "all" })),
        kit::call("unheard", json!({})),
        kit::argv(&["git", "status"]),
        ToolCall::new(remote, Args::new()),
    ];
    let lines = [
        "",
        "ls",
        "git status -s",
        "git push",
        "sudo rm x",
        "cat src/* | head",
        "a=b $(x)",
    ];
    calls.extend(lines.map(kit::line));
    calls
}

/// Checks a policy file as one of several.
pub fn check(text: &str) {
    let Some(base) = &*PARSED else {
        return;
    };
    for format in [Format::Toml, Format::Json, Format::Yaml] {
        if let Ok(parsed) = parse_policy(text, format) {
            beside(base, &parsed);
        }
    }
}

fn beside(base: &ParsedPolicy, other: &ParsedPolicy) {
    let under = |trusted| {
        let kind = LayerKind::Project { trusted };
        compiled([(LayerKind::Managed, base), (kind, other)])
    };
    if let Some(restricted) = under(false) {
        for call in calls() {
            let (before, after) = (ALONE.effect(call), kit::effect(&restricted, call));
            assert!(
                after >= before,
                "{}: {before:?} became {after:?}",
                call.tool()
            );
        }
    }
    let kind = LayerKind::Project { trusted: true };
    let turned = compiled([(kind, other), (LayerKind::Managed, base)]);
    if let (Some(together), Some(turned)) = (under(true), turned) {
        denied_by_either(&together, &turned, other);
    }
}

fn denied_by_either(together: &FilePolicy, turned: &FilePolicy, other: &ParsedPolicy) {
    let other = compiled([(LayerKind::Project { trusted: true }, other)]);
    for call in calls() {
        let effect = kit::effect(together, call);
        assert_eq!(effect, kit::effect(turned, call), "the order counts");
        let by_rule = |policy: &FilePolicy| {
            let explained = policy.explain(call);
            explained.effect == Effect::Deny && !explained.by_default
        };
        let denied = by_rule(&ALONE) || other.as_ref().is_some_and(by_rule);
        assert!(
            !denied || effect == Effect::Deny,
            "{}: a deny was turned",
            call.tool()
        );
    }
}

fn compiled<const N: usize>(layers: [(LayerKind, &ParsedPolicy); N]) -> Option<FilePolicy> {
    let layers = layers.map(|(kind, parsed)| (kind, parsed.clone()));
    let layers = Layers::new(layers, None).ok()?;
    layers.compile(&kit::settings()).ok()
}
