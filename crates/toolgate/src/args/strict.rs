//! Parsing that refuses whatever two parsers could read in two ways.

use std::{fmt, str::FromStr};

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Number, Value};

/// What arguments may measure before they are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct ArgsLimits {
    depth: usize,
    bytes: usize,
}

impl ArgsLimits {
    /// The deepest nesting that can be asked for.
    const MAX_DEPTH: usize = 100;

    /// Sets how many objects and arrays may stand inside each other, at most 100.
    pub const fn with_depth(mut self, depth: usize) -> Self {
        self.depth = if depth > Self::MAX_DEPTH {
            Self::MAX_DEPTH
        } else {
            depth
        };
        self
    }

    /// Sets how long the text may be.
    pub const fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }
}

impl Default for ArgsLimits {
    /// 64 levels and 4 MiB.
    fn default() -> Self {
        Self {
            depth: 64,
            bytes: 4 << 20,
        }
    }
}

/// Arguments that could not be read. The message never quotes an argument.
#[derive(Debug)]
pub struct ArgsError(Cause);

#[derive(Debug)]
enum Cause {
    NotAnObject,
    TooLong {
        limit: usize,
    },
    Syntax {
        what: String,
        line: usize,
        column: usize,
    },
    Shape,
}

impl ArgsError {
    pub(super) fn not_an_object() -> Self {
        Self(Cause::NotAnObject)
    }

    /// The inner message would quote the value that did not fit, so it is dropped.
    pub(super) fn shape(_: serde_json::Error) -> Self {
        Self(Cause::Shape)
    }

    fn syntax(error: &serde_json::Error) -> Self {
        let what = match error.classify() {
            serde_json::error::Category::Data => error.to_string(),
            serde_json::error::Category::Eof => "unexpected end".to_owned(),
            _ => "not valid JSON".to_owned(),
        };
        let what = what
            .split(" at line ")
            .next()
            .unwrap_or_default()
            .to_owned();
        Self(Cause::Syntax {
            what,
            line: error.line(),
            column: error.column(),
        })
    }
}

impl fmt::Display for ArgsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Cause::NotAnObject => f.write_str("arguments are not a JSON object"),
            Cause::TooLong { limit } => write!(f, "arguments are longer than {limit} bytes"),
            Cause::Syntax { what, line, column } => {
                write!(
                    f,
                    "arguments cannot be read: {what} at line {line} column {column}"
                )
            }
            Cause::Shape => f.write_str("arguments do not have the shape the tool expects"),
        }
    }
}

impl std::error::Error for ArgsError {}

pub(super) fn object(json: &[u8], limits: ArgsLimits) -> Result<Map<String, Value>, ArgsError> {
    if json.len() > limits.bytes {
        return Err(ArgsError(Cause::TooLong {
            limit: limits.bytes,
        }));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let map = deserialize_object(&mut deserializer, limits).map_err(|e| ArgsError::syntax(&e))?;
    deserializer.end().map_err(|e| ArgsError::syntax(&e))?;
    Ok(map)
}

pub(super) fn deserialize_object<'de, D: Deserializer<'de>>(
    deserializer: D,
    limits: ArgsLimits,
) -> Result<Map<String, Value>, D::Error> {
    match (Strict { left: limits.depth }).deserialize(deserializer)? {
        Value::Object(map) => Ok(map),
        _ => Err(D::Error::custom("arguments are not a JSON object")),
    }
}

/// Reads one value, `left` levels deep at most, no key twice.
#[derive(Clone, Copy)]
struct Strict {
    left: usize,
}

impl Strict {
    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        let left = self
            .left
            .checked_sub(1)
            .ok_or_else(|| E::custom("nested too deeply"))?;
        Ok(Self { left })
    }
}

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("number out of range"))?;
        Ok(number.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let element = self.deeper()?;
        let mut array = Vec::new();
        while let Some(value) = seq.next_element_seed(element)? {
            array.push(value);
        }
        Ok(array.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let member = self.deeper()?;
        let mut object = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == BIG_NUMBER && keeps_big_numbers() {
                return big_number(&map.next_value::<String>()?);
            }
            if object.contains_key(&key) {
                return Err(A::Error::custom("duplicate key"));
            }
            let value = map.next_value_seed(member)?;
            object.insert(key, value);
        }
        Ok(object.into())
    }
}

/// How `serde_json` hands over a number when some other crate of the build has turned on its
/// `arbitrary_precision` feature.
const BIG_NUMBER: &str = "$serde_json::private::Number";

/// Whether that feature is on. Where it is not, the key is one like any other.
fn keeps_big_numbers() -> bool {
    Number::from_str("1e400").is_ok()
}

fn big_number<E: serde::de::Error>(text: &str) -> Result<Value, E> {
    Number::from_str(text)
        .map(Value::Number)
        .map_err(|_| E::custom("number out of range"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<Map<String, Value>, ArgsError> {
        object(json.as_bytes(), ArgsLimits::default())
    }

    #[test]
    fn what_two_parsers_could_read_in_two_ways_is_refused() {
        for json in [
            r#"{"a":1,"a":1}"#,
            r#"{"o":{"a":1,"b":2,"a":3}}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"a":1} x"#,
            r#"{"a":1}{"b":2}"#,
            r#"{"a":1,}"#,
            "{'a':1}",
            r#"{"a":1 /* x */}"#,
            r#"{"a":NaN}"#,
            r#"{"a":1e400}"#,
            r#"{"a":"\ud800"}"#,
            "\u{feff}{}",
            "[]",
            "null",
            "\"a\"",
            "",
            "{",
        ] {
            assert!(parse(json).is_err(), "accepted {json}");
        }
    }

    #[test]
    fn invalid_utf8_is_refused() {
        assert!(object(b"{\"a\":\"\xff\"}", ArgsLimits::default()).is_err());
        assert!(object(b"{\"\xc3\":1}", ArgsLimits::default()).is_err());
    }

    #[test]
    fn depth_and_length_have_a_limit() {
        let limits = ArgsLimits::default().with_depth(3).with_bytes(40);
        assert!(object(br#"{"a":{"b":[1]}}"#, limits).is_ok());
        assert!(object(br#"{"a":{"b":[[1]]}}"#, limits).is_err());
        assert!(
            object(
                format!("{{\"a\":\"{}\"}}", "x".repeat(40)).as_bytes(),
                limits
            )
            .is_err()
        );
    }

    #[test]
    fn absurd_depth_neither_passes_nor_overflows() {
        for (open, close) in [("{\"a\":", "}"), ("[", "]")] {
            let json = format!(
                "{{\"a\":{}1{}}}",
                open.repeat(100_000),
                close.repeat(100_000)
            );
            assert!(parse(&json).is_err());
        }
        let deepest = ArgsLimits::default().with_depth(usize::MAX);
        let json = format!("{{\"a\":{}1{}}}", "[".repeat(2_000), "]".repeat(2_000));
        assert!(object(json.as_bytes(), deepest).is_err());
    }

    #[test]
    fn an_error_says_where_but_not_what() {
        let error = parse("{\"a\": \"hunter2\",\n \"a\": 1}")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("duplicate key") && error.contains("line 2"),
            "{error}"
        );
        assert!(!error.contains("hunter2"), "{error}");
        let error = parse("{\"a\": hunter2}").unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[test]
    fn the_key_of_a_big_number_is_one_like_any_other() {
        let text = format!(r#"{{"{BIG_NUMBER}":2,"a":{{"{BIG_NUMBER}":"5"}}}}"#);
        let plain: Map<String, Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(parse(&text).unwrap(), plain);
    }

    #[test]
    fn numbers_keep_their_type_and_every_digit() {
        let map = parse(r#"{"a":9007199254740993,"b":1,"c":1.0,"d":-5}"#).unwrap();
        assert_eq!(
            serde_json::to_string(&map).unwrap(),
            r#"{"a":9007199254740993,"b":1,"c":1.0,"d":-5}"#
        );
    }
}
