//! JSON text as Python's `json.dumps(…, sort_keys=True)` writes it.

use std::fmt::Write as _;

use serde_json::Value;

/// Writes a value with sorted keys, a space after each separator, and nothing but ASCII.
pub(crate) fn dumps(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(dumps).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries = entries.into_iter().map(|(key, value)| {
                let key = ascii(&Value::from(key.as_str()).to_string());
                format!("{key}: {}", dumps(value))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
        other => ascii(&other.to_string()),
    }
}

fn ascii(json: &str) -> String {
    let mut text = String::new();
    let mut units = [0; 2];
    for c in json.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut units) {
                // Writing to a `String` cannot fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn writes_what_python_writes() {
        let value = json!({"b": [1, 1.0, null], "a": {"é": "\"😀"}});
        let written = r#"{"a": {"\u00e9": "\"\ud83d\ude00"}, "b": [1, 1.0, null]}"#;
        assert_eq!(dumps(&value), written);
    }
}
