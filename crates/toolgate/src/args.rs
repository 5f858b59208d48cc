//! The arguments of a call: an immutable JSON object, parsed strictly.

pub(crate) mod digest;
mod equal;
mod strict;

use std::{fmt, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use serde_json::{Map, Value};

pub use self::{
    digest::{ArgsDigest, ArgsDigestError},
    strict::{ArgsError, ArgsLimits},
};

/// The arguments of a tool call: an immutable JSON object.
///
/// Cloning shares the object. Parsing from text refuses what two parsers could read in two
/// ways: duplicate keys, trailing data, invalid UTF-8, and anything deeper or longer than
/// [`ArgsLimits`] permits.
///
/// Two `Args` are equal if they would read the same to a tool: the order of keys does not
/// matter, `1`, `1.0` and `true` are three different values, and so are `0.0` and `-0.0`.
///
/// # Example
///
/// ```
/// use toolgate::Args;
///
/// let args = Args::parse(r#"{"path": "notes.txt"}"#)?;
/// assert_eq!(args.get("path").and_then(|p| p.as_str()), Some("notes.txt"));
///
/// assert!(Args::parse(r#"{"path": "notes.txt", "path": "/etc/passwd"}"#).is_err());
/// # Ok::<(), toolgate::ArgsError>(())
/// ```
#[derive(Clone, Default)]
pub struct Args(Arc<Map<String, Value>>);

impl Args {
    /// Makes empty arguments.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses a JSON object, within the default [`ArgsLimits`].
    ///
    /// # Errors
    ///
    /// If the text is not one JSON object, repeats a key, or is beyond a limit.
    pub fn parse(json: &str) -> Result<Self, ArgsError> {
        Self::parse_slice(json.as_bytes(), ArgsLimits::default())
    }

    /// Parses a JSON object from bytes, within `limits`.
    ///
    /// # Errors
    ///
    /// If the bytes are not UTF-8, not one JSON object, repeat a key, or are beyond a limit.
    pub fn parse_slice(json: &[u8], limits: ArgsLimits) -> Result<Self, ArgsError> {
        strict::object(json, limits).map(Self::from)
    }

    /// Reads the arguments as a type of one's own.
    ///
    /// # Errors
    ///
    /// If the arguments do not have the shape of `T`.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, ArgsError> {
        T::deserialize(&*self.0).map_err(ArgsError::shape)
    }

    /// The value under `key`, if there is one.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.get(key)
    }

    /// The whole object.
    #[must_use]
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    /// The number of keys at the top level.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no arguments at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `other` has all of these keys, with the same values.
    #[must_use]
    pub fn is_part_of(&self, other: &Self) -> bool {
        equal::part_of(&self.0, &other.0)
    }

    /// What the arguments are known by where they must not be shown.
    #[must_use]
    pub fn digest(&self) -> ArgsDigest {
        digest::digest(&self.0)
    }

    /// A copy with `key` set to `value`. The original is untouched.
    #[must_use]
    pub fn with(&self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        let mut map = Map::clone(&self.0);
        map.insert(key.into(), value.into());
        map.into()
    }

    /// A copy that keeps only the keys that `keep` accepts.
    #[must_use]
    pub fn filtered(&self, mut keep: impl FnMut(&str) -> bool) -> Self {
        self.0
            .iter()
            .filter(|(key, _)| keep(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect::<Map<_, _>>()
            .into()
    }
}

impl From<Map<String, Value>> for Args {
    fn from(map: Map<String, Value>) -> Self {
        Self(Arc::new(map))
    }
}

impl TryFrom<Value> for Args {
    type Error = ArgsError;

    /// Takes an object; any other JSON value is an error.
    fn try_from(value: Value) -> Result<Self, ArgsError> {
        match value {
            Value::Object(map) => Ok(map.into()),
            _ => Err(ArgsError::not_an_object()),
        }
    }
}

impl PartialEq for Args {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || equal::objects(&self.0, &other.0)
    }
}

impl Eq for Args {}

/// Shows how many arguments there are, never their names or values.
impl fmt::Debug for Args {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Args({} keys)", self.len())
    }
}

impl Serialize for Args {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Args {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        strict::deserialize_object(deserializer, ArgsLimits::default()).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn args(value: Value) -> Args {
        value.try_into().unwrap()
    }

    #[test]
    fn reads_a_type_of_ones_own() {
        #[derive(Deserialize)]
        struct Read {
            path: String,
        }
        let read: Read = args(json!({"path": "a"})).to().unwrap();
        assert_eq!(read.path, "a");
        assert!(args(json!({"path": 1})).to::<Read>().is_err());
    }

    #[test]
    fn equality_is_exact_and_ignores_key_order() {
        let same = Args::parse(r#"{"a": {"x": 1, "y": 2}, "b": [1, 2]}"#).unwrap();
        assert_eq!(
            same,
            Args::parse(r#"{"b":[1,2],"a":{"y":2,"x":1}}"#).unwrap()
        );
        for (left, right) in [
            (json!({"a": 1}), json!({"a": 1.0})),
            (json!({"a": 1}), json!({"a": true})),
            (json!({"a": 1}), json!({"a": "1"})),
            (json!({"a": 0.0}), json!({"a": -0.0})),
            (json!({"a": null}), json!({})),
            (json!({"a": [1, 2]}), json!({"a": [2, 1]})),
            (
                json!({"a": 9_007_199_254_740_993_u64}),
                json!({"a": 9_007_199_254_740_992_u64}),
            ),
        ] {
            assert_ne!(args(left), args(right));
        }
    }

    #[test]
    fn a_number_that_is_written_out_and_read_again_is_the_same() {
        for number in [
            format!("1{}", "0".repeat(15)) + &"1".repeat(47),
            "1e23".into(),
        ] {
            let args = Args::parse(&format!("{{\"id\":{number}}}")).unwrap();
            let again = Args::parse(&serde_json::to_string(&args).unwrap()).unwrap();
            assert_eq!(args, again, "{number}");
            assert_eq!(args.digest(), again.digest());
        }
    }

    #[test]
    fn debug_shows_no_argument() {
        let shown = format!("{:?}", args(json!({"token": "hunter2"})));
        assert!(
            !shown.contains("token") && !shown.contains("hunter2"),
            "{shown}"
        );
    }

    #[test]
    fn only_an_object_can_be_arguments() {
        for value in [json!(null), json!([]), json!("ls"), json!(1)] {
            assert!(Args::try_from(value).is_err());
        }
    }

    #[test]
    fn serde_refuses_duplicates_too() {
        assert!(serde_json::from_str::<Args>(r#"{"a":1,"a":2}"#).is_err());
        let args: Args = serde_json::from_str(r#"{"a":1}"#).unwrap();
        assert_eq!(serde_json::to_string(&args).unwrap(), r#"{"a":1}"#);
    }
}
