//! Arguments as JSON.
//!
//! 1. What is accepted, `serde_json` reads the same.
//! 2. What is refused and `serde_json` accepts repeats a key, is too deep, or is no object.
//! 3. Written out and read again it is equal, and so is its digest.
//! 4. Other arguments have another digest.
//! 5. An error says nothing of the arguments.

use std::{collections::HashSet, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::Value;
use toolgate::{Args, ArgsDigest, ArgsLimits};

/// Checks arguments.
pub fn check(bytes: &[u8]) {
    let limits = ArgsLimits::default();
    let plain = serde_json::from_slice::<Value>(bytes);
    match Args::parse_slice(bytes, limits) {
        Ok(args) => accepted(bytes, &args, plain.ok()),
        Err(error) => {
            refused(bytes, plain.ok());
            harmless(&error.to_string());
        }
    }
}

fn accepted(bytes: &[u8], args: &Args, plain: Option<Value>) {
    let plain = plain.and_then(|plain| Args::try_from(plain).ok());
    assert_eq!(Some(args), plain.as_ref(), "serde_json reads it otherwise");
    assert!(!has_duplicates(bytes), "a key is repeated");
    let compact = serde_json::to_string(args).unwrap_or_default();
    let pretty = serde_json::to_string_pretty(args).unwrap_or_default();
    for text in [compact, pretty] {
        let again = Args::parse(&text).ok();
        assert_eq!(again.as_ref(), Some(args), "read otherwise from {text}");
        assert_eq!(again.map(|again| again.digest()), Some(args.digest()));
    }
    digested(args);
}

fn digested(args: &Args) {
    let digest = args.digest();
    assert_eq!(digest.to_string().parse::<ArgsDigest>().ok(), Some(digest));
    let missing = |key: &String| args.get(key).is_none();
    let fresh = (0..=args.len())
        .map(|n| format!("k{n}"))
        .find(missing)
        .unwrap_or_default();
    let more = args.with(fresh, Value::Null);
    assert_ne!(more.digest(), digest, "one more key");
    assert!(args.is_part_of(&more) && !more.is_part_of(args));
    for (key, value) in args.as_map() {
        let less = args.filtered(|other| other != key);
        assert_ne!(less.digest(), digest, "one key less");
        let text = args.with(key, value.to_string());
        assert_eq!(text == *args, text.digest() == digest, "equal and not");
        let list = args.with(key, vec![value.clone()]);
        assert!(list != *args && list.digest() != digest, "a list of it");
    }
}

fn refused(bytes: &[u8], plain: Option<Value>) {
    if let Some(plain @ Value::Object(_)) = plain {
        let known = depth(&plain) > 64 || has_duplicates(bytes);
        assert!(known, "refused for no reason");
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// The words of an error are its own: none is longer than those it has.
fn harmless(error: &str) {
    assert!(error.len() < 160, "the error is long: {error}");
    assert!(!error.contains(|c: char| c.is_control()), "{error:?}");
}

fn has_duplicates(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Keys>(bytes).is_ok_and(|keys| keys.repeated)
}

/// Whether some object repeats a key.
struct Keys {
    repeated: bool,
}

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look)
    }
}

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
        let mut seen = HashSet::new();
        let mut repeated = false;
        while let Some((key, inner)) = map.next_entry::<String, Keys>()? {
            repeated |= inner.repeated | !seen.insert(key);
        }
        Ok(Keys { repeated })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Keys, A::Error> {
        let mut repeated = false;
        while let Some(inner) = seq.next_element::<Keys>()? {
            repeated |= inner.repeated;
        }
        Ok(Keys { repeated })
    }

    fn visit_unit<E>(self) -> Result<Keys, E> {
        Ok(Keys { repeated: false })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Keys, E> {
        Ok(Keys { repeated: false })
    }

    fn visit_i64<E>(self, _: i64) -> Result<Keys, E> {
        Ok(Keys { repeated: false })
    }

    fn visit_u64<E>(self, _: u64) -> Result<Keys, E> {
        Ok(Keys { repeated: false })
    }

    fn visit_f64<E>(self, _: f64) -> Result<Keys, E> {
        Ok(Keys { repeated: false })
    }

    fn visit_str<E>(self, _: &str) -> Result<Keys, E> {
        Ok(Keys { repeated: false })
    }
}
