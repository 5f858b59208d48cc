//! What a call and a tool are known by.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{args::digest::digest_value, visible::visible};

/// What one call is known by: the runtime's own id, or a random one.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CallId(Arc<str>);

impl CallId {
    /// Takes the id that the runtime gave the call.
    pub fn new(id: impl Into<Arc<str>>) -> Self {
        Self(id.into())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// With everything visible: a model may have had a hand in it.
impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.0))
    }
}

impl fmt::Debug for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CallId({self})")
    }
}

/// What a tool is known by: the server that offers it, its name, and what it was defined as.
///
/// The three are kept apart. Nothing is ever split out of a joined name such as
/// `mcp__github__push`: whoever makes the call says which server it goes to.
///
/// # Example
///
/// ```
/// use toolgate::ToolId;
///
/// let local = ToolId::from("read_file");
/// let remote = ToolId::new("read_file").on_server("files");
/// assert_ne!(local, remote);
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ToolId(Arc<Identity>);

#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Identity {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    server: Option<Box<str>>,
    name: Box<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    definition: Option<DefinitionDigest>,
}

impl ToolId {
    /// Names a tool of the host's own.
    pub fn new(name: impl Into<Box<str>>) -> Self {
        Self(Arc::new(Identity {
            server: None,
            name: name.into(),
            definition: None,
        }))
    }

    /// The tool of that name on `server`.
    #[must_use]
    pub fn on_server(mut self, server: impl Into<Box<str>>) -> Self {
        Arc::make_mut(&mut self.0).server = Some(server.into());
        self
    }

    /// The tool as defined by what `definition` digests. Another definition is another tool.
    #[must_use]
    pub fn defined_as(mut self, definition: DefinitionDigest) -> Self {
        Arc::make_mut(&mut self.0).definition = Some(definition);
        self
    }

    /// The same tool, whatever it was defined as.
    #[must_use]
    pub fn without_definition(&self) -> Self {
        let mut tool = self.clone();
        if tool.0.definition.is_some() {
            Arc::make_mut(&mut tool.0).definition = None;
        }
        tool
    }

    /// The server that offers the tool; none for a tool of the host's own.
    #[must_use]
    pub fn server(&self) -> Option<&str> {
        self.0.server.as_deref()
    }

    /// The name of the tool on its server.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What the tool was defined as when the call was made.
    #[must_use]
    pub fn definition(&self) -> Option<DefinitionDigest> {
        self.0.definition
    }
}

impl From<&str> for ToolId {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for ToolId {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// For people, with everything visible. Not a key: two different tools can read the same.
impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(server) = self.server() {
            write!(f, "{}/", visible(server))?;
        }
        f.write_str(&visible(self.name()))
    }
}

impl fmt::Debug for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToolId({self})")
    }
}

/// A digest of a tool's definition, made by whoever knows the definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DefinitionDigest([u8; 32]);

impl DefinitionDigest {
    /// Digests a whole definition, such as a tool as its server lists it.
    ///
    /// Everything that is serialised counts, and the order of keys does not.
    ///
    /// # Errors
    ///
    /// If the definition cannot be serialised.
    ///
    /// # Example
    ///
    /// ```
    /// use serde_json::json;
    /// use toolgate::DefinitionDigest;
    ///
    /// let listed = DefinitionDigest::of(&json!({"name": "add", "description": "adds"}))?;
    /// let changed = DefinitionDigest::of(&json!({"name": "add", "description": "sends"}))?;
    /// assert_ne!(listed, changed);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn of(definition: &impl Serialize) -> Result<Self, serde_json::Error> {
        Ok(Self::of_value(&serde_json::to_value(definition)?))
    }

    pub(crate) fn of_value(json: &serde_json::Value) -> Self {
        Self(digest_value(b"toolgate definition 1\0", json))
    }

    /// Takes the bytes of a digest.
    #[must_use]
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes of the digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// What one question is known by: 128 random bits, so that nobody can guess it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId(u128);

impl RequestId {
    /// Draws an id from the system's random numbers.
    ///
    /// # Errors
    ///
    /// If the system has none to give; then nothing can be asked safely.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Self(u128::from_be_bytes(bytes)))
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RequestId({self})")
    }
}

impl Serialize for RequestId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let hex = text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit());
        let id = u128::from_str_radix(&text, 16)
            .ok()
            .filter(|_| hex)
            .map(Self);
        id.ok_or_else(|| serde::de::Error::custom("a request id is 32 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_is_structural() {
        let joined = ToolId::from("a/b");
        let split = ToolId::new("b").on_server("a");
        assert_eq!(joined.to_string(), split.to_string());
        assert_ne!(joined, split);
        assert_ne!(
            split,
            split.clone().defined_as(DefinitionDigest::new([1; 32]))
        );
    }

    #[test]
    fn a_definition_is_digested_whole_and_its_order_does_not_count() {
        let of = |text: &str| {
            let json: serde_json::Value = serde_json::from_str(text).unwrap();
            DefinitionDigest::of(&json).unwrap()
        };
        let listed = of(r#"{"name": "t", "inputSchema": {"type": "object", "required": ["a"]}}"#);
        let sorted = of(r#"{"inputSchema": {"required": ["a"], "type": "object"}, "name": "t"}"#);
        assert_eq!(listed, sorted);
        assert_ne!(
            listed,
            of(r#"{"name": "t", "inputSchema": {"type": "object"}}"#)
        );
    }

    #[test]
    fn request_ids_differ_and_cross_a_process_whole() {
        let id = RequestId::random().unwrap();
        assert_ne!(id, RequestId::random().unwrap());
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json.len(), 34);
        assert_eq!(serde_json::from_str::<RequestId>(&json).unwrap(), id);
        for bad in [r#""1""#, r#""+0000000000000000000000000000000""#, "1"] {
            assert!(serde_json::from_str::<RequestId>(bad).is_err());
        }
    }
}
