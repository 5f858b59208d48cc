//! The schema agrees with the reader, seen from both sides.

mod validator;

use self::validator::errors;
use super::*;
use crate::{Format, parse_policy};

/// Documents that a reader accepts.
const GOOD: &[&str] = &[
    r#"{ "default": "ask" }"#,
    r#"{ "$schema": "x", "version": 1, "workspace": ".", "fs": "case_insensitive",
        "default": "allow", "dangerous_default_allow": true, "dangerous_allow_all": true,
        "mode": "yolo", "deadline": "1h30m", "protected": "dangerous_none", "registry": [],
        "allowed_servers": ["a"], "trusted_servers": [], "auto_allow_read_only": false,
        "secrets": ["s"], "read": { "deny": ["x"] }, "write": { "ask": ["y"] },
        "capabilities": { "allow": ["fs.read"] } }"#,
    r#"{ "shell": { "allow": ["ls *", { "pattern": "git *", "id": "git", "reason": "r",
        "match": ["git x"], "no_match": ["ls"], "except": ["git push *"], "environments": ["ci"],
        "agents": ["root/**"], "expires": "2026-12-31", "dangerous_wildcard": true }],
        "env_allow": ["A"], "transparent_wrappers": ["time"], "redirect_allow": ["out"],
        "dialect": "zsh", "workspace_only": true, "outside": "deny" },
        "env": { "ci": { "mode": "strict", "dangerous_lift": ["git"], "dangerous_loosen": true } } }"#,
    r#"{ "fetch": { "deny": ["x.org"], "schemes": ["https"], "ports": [443],
        "dangerous_private": true } }"#,
    r#"{ "tools": { "allow": [{ "tool": "t", "match": ["t", { "id": 1 }], "when": {
        "id": { "eq": 1 }, "/a/b": { "one_of": [1, "x", null] }, "c": { "glob": "*" },
        "d": { "prefix": "p" }, "e": { "min": 1, "max": 2.5 }, "f": { "absent": true },
        "g": { "any": true } } }], "ask": ["x"], "deny": [],
        "send": { "decision": "needs_approval", "reason": "r", "capabilities": ["net.send"],
        "remember_by": ["to"], "exclude_keys": ["k"], "kind": "move",
        "args": { "from": "a", "to": "b" }, "ignore_args": ["c"] }, "run": { "kind": "exec",
        "args": { "argv": "a", "cwd": "b", "command": "c", "path": "d", "paths": "f", "content": "g", "url": "e" } } } }"#,
];

/// Documents that it refuses, and the schema too.
const BAD: &[&str] = &[
    r"[]",
    r#"{ "shel": {} }"#,
    r#"{ "default": "maybe" }"#,
    r#"{ "default": null }"#,
    r#"{ "default": "allow" }"#,
    r#"{ "mode": "yolo", "dangerous_default_allow": false }"#,
    r#"{ "mode": "approve_all" }"#,
    r#"{ "version": 99 }"#,
    r#"{ "deadline": 5 }"#,
    r#"{ "deadline": "5 minutes" }"#,
    r#"{ "shell": ["deny"] }"#,
    r#"{ "shell": { "deny": "rm *" } }"#,
    r#"{ "shell": { "Deny": [] } }"#,
    r#"{ "shell": { "allow": [""] } }"#,
    r#"{ "shell": { "allow": [{}] } }"#,
    r#"{ "shell": { "allow": [{ "tool": "x" }] } }"#,
    r#"{ "shell": { "allow": [{ "pattern": "x", "unless": 1 }] } }"#,
    r#"{ "shell": { "allow": [{ "pattern": "x", "environments": [] }] } }"#,
    r#"{ "read": { "allow": [{ "pattern": "x", "dangerous_wildcard": true }] } }"#,
    r#"{ "fetch": { "ports": [0] } }"#,
    r#"{ "tools": { "allow": [{ "tool": "a", "pattern": "b" }] } }"#,
    r#"{ "tools": { "allow": [{ "tool": "a", "when": {} }] } }"#,
    r#"{ "tools": { "allow": [{ "tool": "a", "when": { "x": {} } }] } }"#,
    r#"{ "tools": { "allow": [{ "tool": "a", "when": { "x": { "one_of": [] } } }] } }"#,
    r#"{ "tools": { "allow": [{ "tool": "a", "when": { "x": { "absent": false } } }] } }"#,
    r#"{ "tools": { "x": { "kind": "sell" } } }"#,
    r#"{ "tools": { "x": { "args": { "file": "a" } } } }"#,
    r#"{ "env": { "ci": { "workspace": "/" } } }"#,
    r#"{ "env": { "ci": { "env": {} } } }"#,
    r#"{ "dangerous_lift": [] }"#,
];

fn value(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn what_the_reader_accepts_is_valid() {
    let schema = json_schema();
    for text in GOOD {
        if let Err(wrong) = parse_policy(text, Format::Json) {
            panic!("{wrong}");
        }
        assert_eq!(errors(&schema, &value(text)), Vec::<String>::new());
    }
}

#[test]
fn what_the_reader_refuses_is_not() {
    let schema = json_schema();
    for text in BAD {
        assert!(parse_policy(text, Format::Json).is_err(), "{text}");
        assert!(!errors(&schema, &value(text)).is_empty(), "{text}");
    }
}

/// Every key of every table of the schema occurs in what the reader accepts: no key is only known
/// to the schema.
#[test]
fn every_key_of_the_schema_is_read() {
    let accepted = GOOD.concat();
    let mut keys = Vec::new();
    collect(&json_schema(), &mut keys);
    assert!(keys.len() > 60, "{keys:?}");
    for key in keys {
        assert!(accepted.contains(&format!("\"{key}\":")), "{key}");
    }
}

fn collect(schema: &Value, keys: &mut Vec<String>) {
    match schema {
        Value::Object(map) => {
            if map.get("additionalProperties") == Some(&json!(false)) {
                let properties = map["properties"].as_object().unwrap();
                keys.extend(properties.keys().cloned());
            }
            map.values().for_each(|value| collect(value, keys));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, keys)),
        _ => {}
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_key_is_explained() {
    let schema = json_schema();
    let text = schema.to_string();
    for part in text.split("#/$defs/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(schema["$defs"].get(name).is_some(), "{name}");
    }
    for (key, property) in schema["properties"].as_object().unwrap() {
        assert!(property["description"].is_string(), "{key}");
    }
}
