//! Finding a bucket. Full comparison decides, so a collision costs time and nothing else.

use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;
use serde_json::{Map, Number, Value};

/// Hashes JSON without regard to the order of keys, and without allocating.
pub(super) fn object<'a>(
    state: &RandomState,
    members: impl Iterator<Item = (&'a String, &'a Value)>,
) -> u64 {
    members.fold(0, |sum: u64, (key, member)| {
        let mut hasher = state.build_hasher();
        key.hash(&mut hasher);
        value(state, member, &mut hasher);
        sum.wrapping_add(hasher.finish())
    })
}

fn value(state: &RandomState, json: &Value, hasher: &mut impl Hasher) {
    match json {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(bool) => (1_u8, bool).hash(hasher),
        Value::Number(json) => number(json, hasher),
        Value::String(text) => (3_u8, text).hash(hasher),
        Value::Array(items) => {
            (4_u8, items.len()).hash(hasher);
            for item in items {
                value(state, item, hasher);
            }
        }
        Value::Object(members) => nested(state, members, hasher),
    }
}

fn nested(state: &RandomState, members: &Map<String, Value>, hasher: &mut impl Hasher) {
    (5_u8, members.len(), object(state, members.iter())).hash(hasher);
}

fn number(json: &Number, hasher: &mut impl Hasher) {
    2_u8.hash(hasher);
    json.as_u64().hash(hasher);
    json.as_i64().hash(hasher);
    json.as_f64().map(f64::to_bits).hash(hasher);
}
