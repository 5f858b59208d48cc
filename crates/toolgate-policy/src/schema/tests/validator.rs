//! As much of JSON Schema as ours uses. A keyword that is not known fails the test.

use serde_json::Value;

/// Why a document is not valid.
pub(super) fn errors(schema: &Value, document: &Value) -> Vec<String> {
    let mut errors = Vec::new();
    Check { root: schema }.any(schema, document, "", &mut errors);
    errors
}

struct Check<'a> {
    root: &'a Value,
}

impl Check<'_> {
    fn ok(&self, schema: &Value, document: &Value) -> bool {
        let mut errors = Vec::new();
        self.any(schema, document, "", &mut errors);
        errors.is_empty()
    }

    fn any(&self, schema: &Value, document: &Value, at: &str, errors: &mut Vec<String>) {
        for (keyword, wanted) in schema.as_object().unwrap() {
            if !self.keyword(keyword, wanted, schema, document, at, errors) {
                errors.push(format!("{at}: {keyword}"));
            }
        }
    }

    fn keyword(
        &self,
        keyword: &str,
        wanted: &Value,
        schema: &Value,
        document: &Value,
        at: &str,
        errors: &mut Vec<String>,
    ) -> bool {
        let object = document.as_object();
        let number = document.as_f64();
        let parts = || wanted.as_array().unwrap().iter();
        match keyword {
            "$schema" | "title" | "description" | "$defs" | "then" => true,
            "type" => is_type(wanted.as_str().unwrap(), document),
            "const" => document == wanted,
            "enum" => parts().any(|word| word == document),
            "minLength" => document
                .as_str()
                .is_none_or(|text| text.len() as u64 >= wanted.as_u64().unwrap()),
            "minItems" => document
                .as_array()
                .is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
            "minProperties" => {
                object.is_none_or(|map| map.len() as u64 >= wanted.as_u64().unwrap())
            }
            "minimum" => number.is_none_or(|n| n >= wanted.as_f64().unwrap()),
            "maximum" => number.is_none_or(|n| n <= wanted.as_f64().unwrap()),
            "pattern" => document
                .as_str()
                .is_none_or(|text| matches(wanted.as_str().unwrap(), text)),
            "required" => {
                object.is_none_or(|map| parts().all(|key| map.contains_key(key.as_str().unwrap())))
            }
            "anyOf" => parts().any(|schema| self.ok(schema, document)),
            "oneOf" => parts().filter(|schema| self.ok(schema, document)).count() == 1,
            "allOf" => parts().all(|schema| self.ok(schema, document)),
            "if" => !self.ok(wanted, document) || self.ok(&schema["then"], document),
            "$ref" => {
                let name = wanted.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                self.any(&self.root["$defs"][name], document, at, errors);
                true
            }
            "items" => {
                for (index, item) in document.as_array().into_iter().flatten().enumerate() {
                    self.any(wanted, item, &format!("{at}/{index}"), errors);
                }
                true
            }
            "properties" => {
                for (key, value) in object.into_iter().flatten() {
                    if let Some(schema) = wanted.get(key) {
                        self.any(schema, value, &format!("{at}/{key}"), errors);
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = |key: &String| schema["properties"].get(key).is_some();
                for (key, value) in object.into_iter().flatten().filter(|(key, _)| !known(key)) {
                    match wanted {
                        Value::Bool(false) => errors.push(format!("{at}/{key}: not known")),
                        schema => self.any(schema, value, &format!("{at}/{key}"), errors),
                    }
                }
                true
            }
            other => panic!("{other} is not checked"),
        }
    }
}

fn is_type(name: &str, document: &Value) -> bool {
    match name {
        "object" => document.is_object(),
        "array" => document.is_array(),
        "string" => document.is_string(),
        "boolean" => document.is_boolean(),
        "integer" => document.is_u64() || document.is_i64(),
        "number" => document.is_number(),
        other => panic!("{other} is not a type"),
    }
}

/// The patterns of ours, without a regex engine.
fn matches(pattern: &str, text: &str) -> bool {
    match pattern {
        "^[A-Za-z0-9._:/-]+$" => {
            let fits = |c: char| c.is_ascii_alphanumeric() || "._:/-".contains(c);
            !text.is_empty() && text.chars().all(fits)
        }
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}" => text.len() >= 10 && text.as_bytes()[4] == b'-',
        "^([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$" => {
            !text.contains(' ') && text.ends_with(char::is_alphabetic)
        }
        other => panic!("{other} is not checked"),
    }
}
