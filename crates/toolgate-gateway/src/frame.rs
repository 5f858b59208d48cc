//! One JSON-RPC message.

use std::fmt;

use serde_json::value::RawValue;

use crate::json::{Object, raw};

/// What a request is known by: text or a whole number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Id {
    Text(String),
    Number(i64),
}

impl Id {
    pub(crate) fn read(value: &RawValue) -> Option<Self> {
        let text = value.get();
        if text.starts_with('"') {
            return serde_json::from_str(text).ok().map(Self::Text);
        }
        serde_json::from_str(text).ok().map(Self::Number)
    }

    pub(crate) fn raw(&self) -> Box<RawValue> {
        match self {
            Self::Text(text) => raw(text),
            Self::Number(number) => raw(number),
        }
    }

    /// The id as a number that this side gave out.
    pub(crate) fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => u64::try_from(*number).ok(),
            Self::Text(_) => None,
        }
    }
}

/// What a message is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Request { id: Id, method: String },
    Notification { method: String },
    Response { id: Id },
}

/// One JSON-RPC message, of which only the envelope is read.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) kind: Kind,
    pub(crate) object: Object,
}

/// Why a message cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unusable {
    NotJson,
    NotAMessage,
    TooLong(usize),
}

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson => f.write_str("the message is not JSON"),
            Self::NotAMessage => f.write_str("the message is no JSON-RPC message"),
            Self::TooLong(limit) => write!(f, "the message is longer than {limit} bytes"),
        }
    }
}

impl Unusable {
    fn code(self) -> i64 {
        match self {
            Self::NotJson => PARSE_ERROR,
            Self::NotAMessage | Self::TooLong(_) => INVALID_REQUEST,
        }
    }
}

pub(crate) const PARSE_ERROR: i64 = -32_700;
pub(crate) const INVALID_REQUEST: i64 = -32_600;
pub(crate) const METHOD_NOT_FOUND: i64 = -32_601;
pub(crate) const INVALID_PARAMS: i64 = -32_602;
pub(crate) const SERVER_ERROR: i64 = -32_000;

impl Message {
    /// Reads a message. Batches are no messages: the protocol has given them up.
    pub(crate) fn parse(json: &[u8]) -> Result<Self, Unusable> {
        let text = std::str::from_utf8(json).map_err(|_| Unusable::NotJson)?;
        let object = Object::parse(text).map_err(|error| match error.is_data() {
            true => Unusable::NotAMessage,
            false => Unusable::NotJson,
        })?;
        let kind = kind(&object).ok_or(Unusable::NotAMessage)?;
        Ok(Self { kind, object })
    }

    pub(crate) fn request(id: &Id, method: &str, params: Option<&Object>) -> Object {
        let object = Object::default().with("jsonrpc", "2.0");
        let mut object = object.with("id", &id.raw()).with("method", method);
        if let Some(params) = params {
            object.put("params", params);
        }
        object
    }

    /// The parameters. None if there are none; an error if they are no object, or could be read in
    /// two ways: what they name for this side would go on under a name of the other.
    pub(crate) fn params(&self) -> Result<Option<Object>, Unusable> {
        let Some(params) = self.object.get("params") else {
            return Ok(None);
        };
        let params = Object::parse(params.get()).map_err(|_| Unusable::NotAMessage)?;
        match params.get("_meta").map(RawValue::get) {
            None | Some("null") => Ok(Some(params)),
            Some(meta) => match Object::parse(meta) {
                Ok(_) => Ok(Some(params)),
                Err(_) => Err(Unusable::NotAMessage),
            },
        }
    }
}

fn kind(object: &Object) -> Option<Kind> {
    if object.text("jsonrpc")? != "2.0" {
        return None;
    }
    let outcomes = usize::from(object.has("result")) + usize::from(object.has("error"));
    match (object.get("id"), object.get("method"), outcomes) {
        (Some(id), Some(_), 0) => Some(Kind::Request {
            id: Id::read(id)?,
            method: object.text("method")?,
        }),
        (None, Some(_), 0) => Some(Kind::Notification {
            method: object.text("method")?,
        }),
        (Some(id), None, 1) => Some(Kind::Response { id: Id::read(id)? }),
        _ => None,
    }
}

/// A notification.
pub(crate) fn notification(method: &str, params: &Object) -> String {
    let object = Object::default().with("jsonrpc", "2.0");
    object
        .with("method", method)
        .with("params", params)
        .to_json()
}

/// The answer to a request.
pub(crate) fn result(id: &Id, result: &Object) -> String {
    let object = Object::default().with("jsonrpc", "2.0");
    object
        .with("id", &id.raw())
        .with("result", result)
        .to_json()
}

/// The answer to a request that failed; without an id if it is not known which.
pub(crate) fn error(id: Option<&Id>, code: i64, message: &str) -> String {
    let object = Object::default().with("jsonrpc", "2.0");
    let failed = Object::default()
        .with("code", &code)
        .with("message", message);
    let id = id.map_or_else(|| RawValue::NULL.to_owned(), Id::raw);
    object.with("id", &id).with("error", &failed).to_json()
}

/// The answer to a message that cannot be used.
pub(crate) fn unusable(why: Unusable) -> String {
    error(None, why.code(), &why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Kind, Unusable> {
        Message::parse(text.as_bytes()).map(|message| message.kind)
    }

    #[test]
    fn tells_requests_notifications_and_responses_apart() {
        let id = Id::Number(1);
        let method = "m".to_owned();
        assert_eq!(
            parse(r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#),
            Ok(Kind::Request {
                id: id.clone(),
                method: method.clone()
            })
        );
        assert_eq!(
            parse(r#"{"jsonrpc":"2.0","method":"m"}"#),
            Ok(Kind::Notification { method })
        );
        assert_eq!(
            parse(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            Ok(Kind::Response { id })
        );
    }

    #[test]
    fn refuses_what_could_be_read_in_two_ways() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"m","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":[1],"method":"m"}"#,
            r#"{"jsonrpc":"1.0","id":1,"method":"m"}"#,
            r#"{"id":1,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"[{"jsonrpc":"2.0","id":1,"method":"m"}]"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            "7",
        ] {
            assert_eq!(parse(text), Err(Unusable::NotAMessage), "{text}");
        }
        for text in ["{", "", "hello", "\u{0}", r#"{"jsonrpc":"2.0"} {}"#] {
            assert_eq!(parse(text), Err(Unusable::NotJson), "{text}");
        }
        assert_eq!(
            Message::parse(b"{\"a\":\"\xff\"}").map(|m| m.kind),
            Err(Unusable::NotJson)
        );
    }

    #[test]
    fn text_and_number_are_different_ids() {
        let read = |text: &str| Id::read(&RawValue::from_string(text.to_owned()).unwrap());
        assert_ne!(read("1"), read("\"1\""));
        assert_eq!(read("true"), None);
        assert_eq!(read("1e0"), None);
    }
}
