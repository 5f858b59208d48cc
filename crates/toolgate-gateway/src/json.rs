//! A JSON object of which only the first level is read. Everything below stays as it was sent.

use std::{borrow::Cow, collections::HashSet, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error as _, MapAccess, Visitor},
    ser::SerializeMap as _,
};
use serde_json::value::{RawValue, to_raw_value};

/// A JSON object in the order in which it was sent. No key comes twice.
#[derive(Clone, Default)]
pub(crate) struct Object(Vec<(String, Box<RawValue>)>);

impl Object {
    /// Reads an object. Fails if a key comes twice, or if it is something else.
    pub(crate) fn parse(json: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(json)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&RawValue> {
        let mut members = self.0.iter();
        members.find_map(|(name, value)| (name == key).then_some(&**value))
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The value under `key`, if it is text.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        serde_json::from_str(self.get(key)?.get()).ok()
    }

    /// The value under `key`, if it is an object.
    pub(crate) fn object(&self, key: &str) -> Option<Self> {
        Self::parse(self.get(key)?.get()).ok()
    }

    /// Puts a value in place of the one under `key`, or at the end.
    pub(crate) fn set(&mut self, key: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// The same with a value that is written as JSON first.
    pub(crate) fn put(&mut self, key: &str, value: &(impl Serialize + ?Sized)) {
        self.set(key, raw(value));
    }

    pub(crate) fn with(mut self, key: &str, value: &(impl Serialize + ?Sized)) -> Self {
        self.put(key, value);
        self
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Box<RawValue>> {
        let place = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(place).1)
    }

    pub(crate) fn into_members(self) -> Vec<(String, Box<RawValue>)> {
        self.0
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// A value as it is written in JSON. What this crate writes always can be.
pub(crate) fn raw(value: &(impl Serialize + ?Sized)) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// One line of text: JSON has line breaks between its parts only, where blanks are as good.
pub(crate) fn one_line(json: &str) -> Cow<'_, str> {
    match json.contains(['\n', '\r']) {
        true => Cow::Owned(json.replace(['\n', '\r'], " ")),
        false => Cow::Borrowed(json),
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (key, value) in &self.0 {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members)
    }
}

struct Members;

/// From how many members on a set says whether a key came before.
const FEW: usize = 16;

impl<'de> Visitor<'de> for Members {
    type Value = Object;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Object, A::Error> {
        let mut object = Object::default();
        let mut seen = HashSet::new();
        while let Some((key, value)) = map.next_entry::<String, Box<RawValue>>()? {
            // Most objects are small, and looking through them is faster than keeping a set.
            if object.0.len() == FEW {
                seen.extend(object.0.iter().map(|(key, _)| key.clone()));
            }
            let is_new = match object.0.len() < FEW {
                true => !object.has(&key),
                false => seen.insert(key.clone()),
            };
            if !is_new {
                return Err(A::Error::custom("duplicate key"));
            }
            object.0.push((key, value));
        }
        Ok(object)
    }
}

/// Shows how many members there are, never what they are.
impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Object({} members)", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_touched_stays_as_it_was_sent() {
        let text = r#"{"b":1.0e3,"a":{"z":1,"z":[12345678901234567890123]},"c":"\u00e9"}"#;
        let mut object = Object::parse(text).unwrap();
        assert_eq!(object.to_json(), text);
        object.put("b", "x");
        assert_eq!(object.to_json(), text.replace("1.0e3", "\"x\""));
        object.remove("b");
        assert!(!object.has("b"));
    }

    #[test]
    fn a_key_that_comes_twice_is_refused() {
        assert!(Object::parse(r#"{"a":1,"a":2}"#).is_err());
        assert!(Object::parse(r#"{"a":1,"\u0061":2}"#).is_err());
        assert!(Object::parse("[]").is_err());
        assert!(Object::parse(r#"{"a":1} x"#).is_err());
    }

    #[test]
    fn many_members_take_no_longer_each_than_few() {
        let members: Vec<_> = (0..300_000).map(|key| format!("\"{key}\":0")).collect();
        let since = std::time::Instant::now();
        let members = members.join(",");
        assert!(Object::parse(&format!("{{{members}}}")).is_ok());
        for twice in [0, 15, 16, 299_999] {
            let text = format!("{{{members},\"{twice}\":1}}");
            assert!(Object::parse(&text).is_err(), "{twice}");
        }
        // Minutes, if every key is compared with every other.
        assert!(since.elapsed() < std::time::Duration::from_secs(10));
    }

    #[test]
    fn line_breaks_become_blanks() {
        assert_eq!(one_line("{\n\"a\":\r\n1}"), "{ \"a\":  1}");
    }
}
