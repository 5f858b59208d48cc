//! What the values of keys look like, as JSON Schema says it.

use serde_json::{Value, json};

use super::{decode::Fields, words::Words};

pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}

pub(super) fn text() -> Value {
    json!({ "type": "string", "minLength": 1 })
}

pub(super) fn texts() -> Value {
    json!({ "type": "array", "items": text() })
}

pub(super) fn some_texts() -> Value {
    json!({ "type": "array", "items": text(), "minItems": 1 })
}

pub(super) fn duration() -> Value {
    json!({
        "type": "string",
        "pattern": "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$",
        "minLength": 2,
    })
}

pub(super) fn date() -> Value {
    json!({ "type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}" })
}

pub(super) fn ports() -> Value {
    let port = json!({ "type": "integer", "minimum": 1, "maximum": 65535 });
    json!({ "type": "array", "items": port })
}

pub(crate) fn any() -> Value {
    json!({})
}

pub(super) fn words<T>(words: Words<T>) -> Value {
    let names: Vec<_> = words.iter().map(|(name, _)| *name).collect();
    json!({ "enum": names })
}

/// A definition that stands beside the schema.
pub(super) fn defined(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// A list of rules of a kind.
pub(super) fn rules(name: &str) -> Value {
    json!({ "type": "array", "items": defined(name) })
}

/// A table with these keys and no other.
pub(crate) fn table<T>(fields: Fields<T>) -> Value {
    let properties: serde_json::Map<_, _> = fields
        .iter()
        .flat_map(|group| group.iter())
        .map(|field| {
            (
                field.key.to_owned(),
                property(&(field.schema)(), field.about),
            )
        })
        .collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

fn property(schema: &Value, about: &str) -> Value {
    let mut schema = schema.clone();
    if let Value::Object(schema) = &mut schema {
        schema.insert("description".to_owned(), about.into());
    }
    schema
}
