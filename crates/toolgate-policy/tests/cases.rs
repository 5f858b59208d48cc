//! Calls with the decision that each has to get: attacks on all sections, and everyday work.
//!
//! Every line of `cases/*.jsonl` is one call under one policy; policies that several share are in
//! `policies.jsonl`, by name.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot read its cases fails"
)]

use std::collections::HashMap;

use serde_json::Value;
use toolgate::{Annotations, Args, Effect, ToolCall, ToolId};
use toolgate_policy::{
    FakeFiles, FilePolicy, Format, LayerKind, Layers, Look, ParsedPolicy, Settings, parse_policy,
};

fn lines(name: &str) -> Vec<Value> {
    let path = format!("{}/tests/cases/{name}.jsonl", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let read = |line| serde_json::from_str(line).unwrap();
    text.lines().map(read).collect()
}

fn files(case: &Value) -> FakeFiles {
    let mut files = FakeFiles::new();
    for entry in case["files"].as_array().into_iter().flatten() {
        let is_kind = |(key, _): &(&String, &Value)| !matches!(key.as_str(), "to" | "error");
        let (kind, path) = entry.as_object().unwrap().iter().find(is_kind).unwrap();
        let look = match kind.as_str() {
            "symlink" => Look::Link(entry["to"].as_str().unwrap().into()),
            "file" => Look::File { links: 1 },
            "hardlink" => Look::File { links: 2 },
            "realpath_error" => Look::Error,
            "fifo" | "bind_mount" => Look::Special,
            other => panic!("unknown kind of file {other}"),
        };
        files.insert(path.as_str().unwrap(), look);
    }
    files
}

/// The policy, or nothing if it is refused.
fn load(policy: &Value, case: &Value) -> Option<FilePolicy> {
    let settings = Settings::new()
        .with_base("/w")
        .with_home("/home/u")
        .with_own_file("/w/policy.toml")
        .with_own_file("/w/grants")
        .with_own_file("/w/audit.jsonl")
        .with_files(files(case));
    if let Some(layers) = policy["layers"].as_array() {
        let layers: Option<Vec<_>> = layers.iter().map(layer).collect();
        return Layers::new(layers?, None).ok()?.compile(&settings).ok();
    }
    let parsed = if let Some(text) = policy["config_text"].as_str() {
        parse_policy(text, Format::guess(text))
    } else {
        let policy = policy.get("config").unwrap_or(policy);
        parse_policy(&policy.to_string(), Format::Json)
    };
    parsed.ok()?.compile(None, &settings).ok()
}

fn layer(layer: &Value) -> Option<(LayerKind, ParsedPolicy)> {
    let kind = match layer["name"].as_str().unwrap() {
        "managed" => LayerKind::Managed,
        "user" => LayerKind::User,
        "project" => LayerKind::Project { trusted: true },
        other => panic!("unknown layer {other}"),
    };
    let parsed = parse_policy(&layer["policy"].to_string(), Format::Json);
    Some((kind, parsed.ok()?))
}

fn tool(call: &Value) -> ToolId {
    match &call["identity"] {
        Value::Null => ToolId::new(call["tool"].as_str().unwrap()),
        identity => ToolId::new(identity["tool"].as_str().unwrap())
            .on_server(identity["server"].as_str().unwrap()),
    }
}

/// What a server says of its tool, as far as it can be understood.
fn annotations(call: &Value) -> Annotations {
    let said = |name: &str| call["annotations"][name].as_bool();
    let mut annotations = Annotations::new();
    if let Some(yes) = said("readOnlyHint") {
        annotations = annotations.with_read_only(yes);
    }
    if let Some(yes) = said("destructiveHint") {
        annotations = annotations.with_destructive(yes);
    }
    annotations
}

/// What is decided. Whatever cannot be read is refused.
fn effect(policy: &Value, case: &Value) -> Effect {
    let call = &case["call"];
    let args = match call["args_raw"].as_str() {
        Some(raw) => Args::parse(raw),
        None => Args::parse(&call["args"].to_string()),
    };
    match (load(policy, case), args) {
        (Some(policy), Ok(args)) => {
            let call = ToolCall::new(tool(call), args).with_annotations(annotations(call));
            policy.effect(&call)
        }
        _ => Effect::Deny,
    }
}

fn is_right(effect: Effect, must: &str) -> bool {
    match must {
        "allow" => effect == Effect::Allow,
        "ask" => effect == Effect::Ask,
        "deny" => effect == Effect::Deny,
        "not_allow" => effect != Effect::Allow,
        other => panic!("unknown decision {other}"),
    }
}

#[track_caller]
fn check(name: &str, at_least: usize) {
    let shared: HashMap<String, Value> = lines("policies")
        .into_iter()
        .map(|line| {
            (
                line["name"].as_str().unwrap().to_owned(),
                line["policy"].clone(),
            )
        })
        .collect();
    let cases = lines(name);
    assert!(cases.len() >= at_least, "only {} cases", cases.len());
    let wrong = cases.iter().filter_map(|case| {
        let policy = match &case["policy"] {
            Value::String(name) => &shared[name],
            policy => policy,
        };
        let (effect, must) = (effect(policy, case), case["must"].as_str().unwrap());
        let line = || format!("{} must {must} is {effect:?}: {}", case["id"], case["call"]);
        (!is_right(effect, must)).then(line)
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn everyday_work_is_allowed() {
    check("benign", 1300);
}

#[test]
fn command_lines_are_judged() {
    check("shell", 3800);
}

#[test]
fn paths_are_judged() {
    check("path", 500);
}

#[test]
fn addresses_are_judged() {
    check("net", 250);
}

#[test]
fn tools_are_judged() {
    check("tool", 200);
}

#[test]
fn arguments_are_judged() {
    check("args", 150);
}

#[test]
fn policies_are_judged() {
    check("config", 350);
}
