//! Every order in which a policy can be written.

use serde_json::Value;

/// So many orders are tried at most.
const MOST: usize = 720;

/// The same policy in other orders of its lists and of its keys, as text.
pub(super) fn orders(policy: &Value) -> Vec<String> {
    let mut lengths = Vec::new();
    collect(policy, &mut lengths);
    let all = lengths.iter().try_fold(1_usize, |all, length| {
        all.checked_mul((1..=*length).try_fold(1_usize, usize::checked_mul)?)
    });
    let count = all.unwrap_or(MOST).min(MOST);
    // A step that has no factor in common with the small ones reaches into all places.
    let stride = all.map_or(7_919, |all| (all / count).max(1));
    (0..count)
        .map(|number| written(policy, &mut number.wrapping_mul(stride)))
        .collect()
}

fn collect(value: &Value, lengths: &mut Vec<usize>) {
    match value {
        Value::Array(items) => {
            lengths.push(items.len());
            for item in items {
                collect(item, lengths);
            }
        }
        Value::Object(map) => {
            lengths.push(map.len());
            for item in map.values() {
                collect(item, lengths);
            }
        }
        _ => {}
    }
}

/// Writes a value in the order of a number, of which each list and each object takes its part.
fn written(value: &Value, number: &mut usize) -> String {
    match value {
        Value::Array(items) => {
            let items = arranged(items.iter().collect(), number);
            let items: Vec<_> = items
                .into_iter()
                .map(|item| written(item, number))
                .collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(map) => {
            let entries = arranged(map.iter().collect(), number);
            let entry = |(key, item): (&String, &Value)| {
                format!("{}:{}", Value::from(key.as_str()), written(item, number))
            };
            let entries: Vec<_> = entries.into_iter().map(entry).collect();
            format!("{{{}}}", entries.join(","))
        }
        plain => plain.to_string(),
    }
}

fn arranged<T>(mut left: Vec<T>, number: &mut usize) -> Vec<T> {
    let mut arranged = Vec::new();
    while !left.is_empty() {
        let choices = left.len();
        arranged.push(left.remove(*number % choices));
        *number /= choices;
    }
    arranged
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_order_is_written_once() {
        let policy = json!({"a": [1, 2, 3], "b": {"c": [4], "d": null}});
        let orders = orders(&policy);
        assert_eq!(orders.len(), 2 * 6 * 2);
        let different: HashSet<_> = orders.iter().collect();
        assert_eq!(different.len(), orders.len());
        for order in &orders {
            let mut read: Value = serde_json::from_str(order).unwrap();
            let list = read["a"].as_array_mut().unwrap();
            list.sort_by_key(Value::as_u64);
            assert_eq!(read, policy);
        }
    }
}
