//! What arguments are known by where they must not be shown.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};

/// Stands before everything that is digested, so that no digest of something else is the same.
const DOMAIN: &[u8] = b"toolgate args 1\0";

/// A SHA-256 digest of [`Args`](crate::Args).
///
/// Equal arguments have the same digest and others do not: the order of keys does not matter, and
/// `1`, `1.0`, `true` and `"1"` are different values. What is digested is not JSON text but an
/// encoding in which every value has its type and every text its length.
///
/// A digest hides its arguments only as far as nobody can guess them.
///
/// # Example
///
/// ```
/// use toolgate::{Args, ArgsDigest};
///
/// let digest = Args::parse(r#"{"a": 1, "b": 2}"#)?.digest();
/// assert_eq!(digest, Args::parse(r#"{"b": 2, "a": 1}"#)?.digest());
/// assert_ne!(digest, Args::parse(r#"{"a": 1.0, "b": 2}"#)?.digest());
/// assert_eq!(digest.to_string().parse::<ArgsDigest>().ok(), Some(digest));
/// # Ok::<(), toolgate::ArgsError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArgsDigest([u8; 32]);

impl ArgsDigest {
    /// The bytes of the digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

pub(super) fn digest(map: &Map<String, Value>) -> ArgsDigest {
    let mut hasher = Sha256::new_with_prefix(DOMAIN);
    object(map, &mut |bytes| hasher.update(bytes));
    ArgsDigest(hasher.finalize().into())
}

/// The digest of any value, for what `domain` says it is.
pub(crate) fn digest_value(domain: &[u8], json: &Value) -> [u8; 32] {
    let mut hasher = Sha256::new_with_prefix(domain);
    value(json, &mut |bytes| hasher.update(bytes));
    hasher.finalize().into()
}

/// Every kind of value begins with a byte of its own.
#[derive(Clone, Copy)]
enum Tag {
    Null,
    False,
    True,
    Unsigned,
    Negative,
    Float,
    OtherNumber,
    Text,
    Array,
    Object,
}

type Out<'a> = dyn FnMut(&[u8]) + 'a;

fn tag(tag: Tag, out: &mut Out<'_>) {
    out(&[tag as u8]);
}

fn length(length: usize, out: &mut Out<'_>) {
    out(&(length as u64).to_be_bytes());
}

fn value(json: &Value, out: &mut Out<'_>) {
    match json {
        Value::Null => tag(Tag::Null, out),
        Value::Bool(false) => tag(Tag::False, out),
        Value::Bool(true) => tag(Tag::True, out),
        Value::Number(json) => number(json, out),
        Value::String(json) => text(Tag::Text, json, out),
        Value::Array(items) => {
            tag(Tag::Array, out);
            length(items.len(), out);
            for item in items {
                value(item, out);
            }
        }
        Value::Object(members) => object(members, out),
    }
}

fn object(members: &Map<String, Value>, out: &mut Out<'_>) {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    tag(Tag::Object, out);
    length(sorted.len(), out);
    for (key, member) in sorted {
        text(Tag::Text, key, out);
        value(member, out);
    }
}

fn text(kind: Tag, text: &str, out: &mut Out<'_>) {
    tag(kind, out);
    length(text.len(), out);
    out(text.as_bytes());
}

fn number(json: &Number, out: &mut Out<'_>) {
    if let Some(number) = json.as_u64() {
        tag(Tag::Unsigned, out);
        return out(&number.to_be_bytes());
    }
    if let Some(number) = json.as_i64() {
        tag(Tag::Negative, out);
        return out(&number.to_be_bytes());
    }
    match json.as_f64().filter(|float| is_exactly(json, *float)) {
        Some(float) => {
            tag(Tag::Float, out);
            out(&float.to_bits().to_be_bytes());
        }
        None => text(Tag::OtherNumber, &json.to_string(), out),
    }
}

/// False only where another crate has `serde_json` keep numbers that no float can hold.
fn is_exactly(json: &Number, float: f64) -> bool {
    Number::from_f64(float).as_ref() == Some(json)
}

impl fmt::Display for ArgsDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ArgsDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArgsDigest({self})")
    }
}

/// Text that is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ArgsDigestError {}

impl fmt::Display for ArgsDigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a digest of arguments is 64 hexadecimal digits in lower case")
    }
}

impl std::error::Error for ArgsDigestError {}

impl FromStr for ArgsDigest {
    type Err = ArgsDigestError;

    fn from_str(text: &str) -> Result<Self, ArgsDigestError> {
        let mut bytes = [0; 32];
        let pairs = text.as_bytes().chunks(2);
        if text.len() != 64 {
            return Err(ArgsDigestError {});
        }
        for (byte, pair) in bytes.iter_mut().zip(pairs) {
            for digit in pair {
                *byte = *byte << 4 | nibble(*digit).ok_or(ArgsDigestError {})?;
            }
        }
        Ok(Self(bytes))
    }
}

fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl Serialize for ArgsDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ArgsDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests;
