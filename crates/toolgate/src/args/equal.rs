//! Equality of JSON values as a tool would see them.

use serde_json::{Map, Number, Value};

/// Whether two objects are the same, whatever the order of their keys.
pub(super) fn objects(left: &Map<String, Value>, right: &Map<String, Value>) -> bool {
    left.len() == right.len() && part_of(left, right)
}

/// Whether `whole` has all the members of `part`.
pub(super) fn part_of(part: &Map<String, Value>, whole: &Map<String, Value>) -> bool {
    part.iter()
        .all(|(key, a)| whole.get(key).is_some_and(|b| values(a, b)))
}

fn values(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(a), Value::Object(b)) => objects(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| values(a, b))
        }
        (Value::Number(a), Value::Number(b)) => numbers(a, b),
        _ => left == right,
    }
}

/// `serde_json` already tells `1` from `1.0`, but takes `0.0` and `-0.0` for the same.
fn numbers(left: &Number, right: &Number) -> bool {
    let bits = |n: &Number| n.as_f64().map(f64::to_bits);
    left == right && (!left.is_f64() || bits(left) == bits(right))
}
