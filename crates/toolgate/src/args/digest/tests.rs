use std::collections::HashMap;

use serde_json::json;

use super::*;
use crate::Args;

fn encoded(json: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    value(json, &mut |part| bytes.extend_from_slice(part));
    bytes
}

/// Values that are easily taken for each other.
fn atoms() -> Vec<Value> {
    let texts = [
        "", "1", "a", "ab", "null", "\0", "\u{1}", "a\0", "é", "e\u{301}",
    ];
    let numbers = [
        json!(0),
        json!(1),
        json!(-1),
        json!(0.0),
        json!(-0.0),
        json!(1.0),
        json!(0.1),
        json!(1e300),
        json!(9_007_199_254_740_992_u64),
        json!(9_007_199_254_740_993_u64),
        json!(9_007_199_254_740_992.0),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(i64::MAX),
    ];
    let plain = [json!(null), json!(true), json!(false), json!([]), json!({})];
    texts
        .map(Value::from)
        .into_iter()
        .chain(numbers)
        .chain(plain)
        .collect()
}

/// Everything that can be made of two of `values` in one more level.
fn nested(values: &[Value]) -> Vec<Value> {
    let mut all = values.to_vec();
    for a in values {
        all.push(json!([a]));
        all.extend(["", "a", "b"].map(|key| json!({ key: a })));
        for b in values {
            all.push(json!([a, b]));
            all.push(json!({"a": a, "b": b}));
        }
    }
    all
}

/// Two values that a tool could tell apart never have the same encoding, nor does one encoding
/// begin with another: that is what makes any sequence of them unmistakable.
#[test]
fn different_values_have_different_encodings() {
    let mut values = nested(&atoms());
    let few: Vec<_> = values.iter().step_by(41).cloned().collect();
    values.extend(nested(&few));
    let wrapped = |value: &Value| Args::new().with("v", value.clone());
    let mut seen: HashMap<Vec<u8>, &Value> = HashMap::new();
    for value in &values {
        if let Some(same) = seen.insert(encoded(value), value) {
            assert_eq!(wrapped(same), wrapped(value), "{same} and {value}");
        }
    }
    let mut encodings: Vec<_> = seen.into_keys().collect();
    encodings.sort();
    for pair in encodings.windows(2) {
        assert!(!pair[1].starts_with(&pair[0]), "{pair:?}");
    }
    assert!(encodings.len() > 3_000, "{}", encodings.len());
}

#[test]
fn values_that_look_alike_have_digests_of_their_own() {
    let atoms = atoms();
    let digests: std::collections::HashSet<_> = atoms
        .iter()
        .map(|atom| Args::new().with("v", atom.clone()).digest())
        .collect();
    assert_eq!(digests.len(), atoms.len());
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let left = Args::parse(r#"{"a": {"x": 1, "y": [2]}, "b": 1}"#).unwrap();
    let right = Args::parse(r#"{"b": 1, "a": {"y": [2], "x": 1}}"#).unwrap();
    assert_eq!(left.digest(), right.digest());
}

/// Digests are kept in logs: the encoding must not change from one version to the next.
#[test]
fn the_encoding_stays() {
    let args = Args::parse(r#"{"s": "x", "n": [1, -1, 1.5, true, null]}"#).unwrap();
    assert_eq!(
        args.digest().to_string(),
        "5570574108e916989c6b73d3756ab9aaa834f290bdc6aa9c2cb50400f0ab1dd3"
    );
}

#[test]
fn crosses_a_process_as_hexadecimal_digits() {
    let digest = Args::new().digest();
    let json = serde_json::to_string(&digest).unwrap();
    assert_eq!(json.len(), 66);
    assert_eq!(serde_json::from_str::<ArgsDigest>(&json).unwrap(), digest);
    for bad in ["", "00", &"g".repeat(64), &"A".repeat(64), &"é".repeat(32)] {
        assert!(bad.parse::<ArgsDigest>().is_err(), "{bad}");
    }
}
