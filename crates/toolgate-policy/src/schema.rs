//! The JSON Schema of a policy, for editors.
//!
//! It is made of the same lists of keys that policies are read with.

use serde_json::{Map, Value, json};

use crate::load;

/// The JSON Schema of a policy, in the 2020-12 draft.
///
/// It knows every key and every word, but not everything that loading finds out: patterns, ids and
/// names of environments are checked when a policy is loaded.
///
/// # Example
///
/// ```
/// let schema = toolgate_policy::json_schema();
/// assert!(schema["properties"]["shell"].is_object());
/// ```
pub fn json_schema() -> Value {
    let mut schema = load::table(load::POLICY);
    extend(
        &mut schema,
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Toolgate policy",
            "description": "Which tool calls an agent may make.",
            "allOf": dangers(),
            "$defs": definitions(),
        }),
    );
    schema
}

fn definitions() -> Value {
    let mut environment = load::table(load::ENVIRONMENT);
    extend(&mut environment, json!({ "allOf": dangers() }));
    let mut tools = load::table(load::TOOLS);
    extend(
        &mut tools,
        json!({ "additionalProperties": { "$ref": "#/$defs/tool" } }),
    );
    let mut test = load::table(load::TEST);
    extend(&mut test, json!({ "minProperties": 1 }));
    json!({
        "environment": environment,
        "shell": load::table(load::SHELL),
        "paths": load::table(load::PATHS),
        "fetch": load::table(load::FETCH),
        "capabilities": load::table(load::CAPABILITIES),
        "tools": tools,
        "tool": load::table(load::TOOL),
        "rule": rule(load::table(load::RULE), json!({ "required": ["pattern"] })),
        "shell_rule": rule(load::table(load::SHELL_RULE), json!({ "required": ["pattern"] })),
        "tool_rule": rule(load::table(load::TOOL_RULE), json!({
            "oneOf": [{ "required": ["pattern"] }, { "required": ["tool"] }],
        })),
        "examples": {
            "type": "array",
            "items": { "anyOf": [{ "type": "string" }, { "type": "object" }] },
        },
        "when": {
            "type": "object",
            "minProperties": 1,
            "additionalProperties": { "$ref": "#/$defs/test" },
        },
        "test": test,
    })
}

/// A pattern, or a table with one.
fn rule(mut table: Value, needs: Value) -> Value {
    extend(&mut table, needs);
    json!({ "anyOf": [{ "type": "string", "minLength": 1 }, table] })
}

/// What permits everything needs a dangerous key beside it.
fn dangers() -> Value {
    let needs = |key: &str, word: &str| {
        json!({
            "if": { "properties": { key: { "const": word } }, "required": [key] },
            "then": {
                "properties": { "dangerous_default_allow": { "const": true } },
                "required": ["dangerous_default_allow"],
            },
        })
    };
    json!([needs("default", "allow"), needs("mode", "yolo")])
}

fn extend(schema: &mut Value, more: Value) {
    let more: Map<_, _> = match more {
        Value::Object(more) => more,
        _ => Map::new(),
    };
    if let Value::Object(schema) = schema {
        schema.extend(more);
    }
}

#[cfg(test)]
mod tests;
