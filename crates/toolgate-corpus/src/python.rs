//! JSON as Python shows it: in the order in which it is written.

mod json;
mod literal;

use std::fmt;

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Number, Value};
use toolgate::Args;

pub(crate) use self::{
    json::dumps,
    literal::{Expression, expression},
};

/// A value whose objects keep the order of their keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Python {
    None,
    Bool(bool),
    Number(Number),
    Str(String),
    List(Vec<Python>),
    Dict(Vec<(String, Python)>),
}

impl Python {
    /// The same as plain JSON.
    pub(crate) fn to_json(&self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Str(text) => Value::String(text.clone()),
            Self::List(items) => items.iter().map(Self::to_json).collect(),
            Self::Dict(entries) => entries
                .iter()
                .map(|(key, value)| (key.clone(), value.to_json()))
                .collect(),
        }
    }

    /// The same as arguments, if it is an object.
    pub(crate) fn to_args(&self) -> Option<Args> {
        match self {
            Self::Dict(_) => Args::parse(&self.to_json().to_string()).ok(),
            _ => None,
        }
    }
}

/// Writes what Python's `repr` would.
impl fmt::Display for Python {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Str(text) => write_str(f, text),
            Self::List(items) => {
                f.write_str("[")?;
                separated(f, items, |f, item| write!(f, "{item}"))?;
                f.write_str("]")
            }
            Self::Dict(entries) => {
                f.write_str("{")?;
                separated(f, entries, |f, (key, value)| {
                    write_str(f, key)?;
                    write!(f, ": {value}")
                })?;
                f.write_str("}")
            }
        }
    }
}

/// Whether Python takes a value for true.
pub(crate) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(entries) => !entries.is_empty(),
    }
}

/// A call as Python programs like to show it: `t(x=1, y='a')`.
pub(crate) struct Signature<'a>(pub(crate) &'a str, pub(crate) &'a Python);

impl fmt::Display for Signature<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.0)?;
        if let Python::Dict(entries) = self.1 {
            separated(f, entries, |f, (key, value)| write!(f, "{key}={value}"))?;
        }
        f.write_str(")")
    }
}

fn separated<T>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    mut one: impl FnMut(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        one(f, item)?;
    }
    Ok(())
}

/// Single quotes, unless there are some inside and no double ones.
fn write_str(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    write!(f, "{quote}")?;
    for c in text.chars() {
        match c {
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\\' => f.write_str("\\\\")?,
            c if c == quote => write!(f, "\\{c}")?,
            c if c.is_control() => write!(f, "\\x{:02x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    write!(f, "{quote}")
}

impl<'de> Deserialize<'de> for Python {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

/// Reads any value.
struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Python;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Python, E> {
        Ok(Python::None)
    }

    fn visit_bool<E>(self, truth: bool) -> Result<Python, E> {
        Ok(Python::Bool(truth))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Python, E> {
        Ok(Python::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Python, E> {
        Ok(Python::Number(number.into()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Python, E> {
        let number = Number::from_f64(number).ok_or_else(|| E::custom("not a number"))?;
        Ok(Python::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Python, E> {
        Ok(Python::Str(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Python, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Python::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Python, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Python::Dict(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(json: &str) -> String {
        serde_json::from_str::<Python>(json).unwrap().to_string()
    }

    #[test]
    fn shows_values_as_python_does() {
        assert_eq!(
            shown(r#"{"to":"a","n":[1,1.0,true,null]}"#),
            "{'to': 'a', 'n': [1, 1.0, True, None]}"
        );
        assert_eq!(shown(r#""it's""#), r#""it's""#);
        assert_eq!(shown(r#""a\nb\\""#), r"'a\nb\\'");
    }

    #[test]
    fn a_signature_keeps_the_order() {
        let args = serde_json::from_str(r#"{"to":"a","n":1}"#).unwrap();
        assert_eq!(Signature("send", &args).to_string(), "send(to='a', n=1)");
    }
}
