//! A tool as its server lists it.

use std::collections::{HashMap, hash_map::Entry};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Annotations, Args, DefinitionDigest, Refusal, ToolCall, ToolId};

/// A tool as it is defined at the moment: its identity, and what it says of itself.
///
/// # Example
///
/// ```
/// use serde_json::json;
/// use toolgate::{Args, Definition, ToolId};
///
/// let listed = json!({"name": "add", "annotations": {"readOnlyHint": true}});
/// let add = Definition::of(ToolId::new("add").on_server("maths"), &listed)?;
/// let call = add.call(Args::new());
/// assert_eq!(call.annotations().read_only(), Some(true));
/// assert!(call.tool().definition().is_some());
/// # Ok::<(), toolgate::Refusal>(())
/// ```
#[derive(Clone, Debug)]
pub struct Definition {
    tool: ToolId,
    annotations: Annotations,
}

impl Definition {
    /// Takes what `tool` is defined as. The whole of it is digested, and hints are read from its
    /// `annotations`, if it has any.
    ///
    /// # Errors
    ///
    /// If the definition cannot be serialised.
    pub fn of(tool: ToolId, definition: &impl Serialize) -> Result<Self, Refusal> {
        let Ok(json) = serde_json::to_value(definition) else {
            return Err(Refusal::unreadable_definition(tool));
        };
        let digest = DefinitionDigest::of_value(&json);
        Ok(Self {
            tool: tool.defined_as(digest),
            annotations: hints(&json),
        })
    }

    /// The tool, with the digest of its definition.
    #[must_use]
    pub fn tool(&self) -> &ToolId {
        &self.tool
    }

    /// A call of the tool.
    pub fn call(&self, args: Args) -> ToolCall {
        ToolCall::new(self.tool.clone(), args).with_annotations(self.annotations)
    }
}

/// Hints that cannot be read say nothing: they could only have raised what is required, and
/// nothing is permitted for want of one.
fn hints(definition: &Value) -> Annotations {
    let hints = definition.get("annotations");
    hints
        .and_then(|hints| Annotations::deserialize(hints).ok())
        .unwrap_or_default()
}

/// The tools of one server, or of the host, as they were last listed. A name that was listed twice is no name.
#[derive(Clone, Debug)]
pub struct Definitions {
    server: Option<Box<str>>,
    by_name: HashMap<Box<str>, Option<Definition>>,
}

impl Definitions {
    /// Takes what `server` lists, or the host itself: the names, and the definitions as a whole.
    ///
    /// # Errors
    ///
    /// If a definition cannot be serialised.
    pub fn new<'a, T: Serialize + 'a>(
        server: Option<&str>,
        listed: impl IntoIterator<Item = (&'a str, &'a T)>,
    ) -> Result<Self, Refusal> {
        let mut definitions = Self::empty(server);
        for (name, definition) in listed {
            let tool = definitions.id(name);
            match definitions.by_name.entry(name.into()) {
                Entry::Vacant(entry) => {
                    entry.insert(Some(Definition::of(tool, definition)?));
                }
                // Which of the two would run is the server's choice, and not ours to guess.
                Entry::Occupied(mut entry) => *entry.get_mut() = None,
            }
        }
        Ok(definitions)
    }

    /// The tools of a server that has listed nothing yet.
    #[must_use]
    pub fn empty(server: Option<&str>) -> Self {
        Self {
            server: server.map(Box::from),
            by_name: HashMap::new(),
        }
    }

    /// The tool of that name.
    ///
    /// # Errors
    ///
    /// If there is none, or more than one.
    pub fn get(&self, name: &str) -> Result<&Definition, Refusal> {
        let found = self.by_name.get(name).and_then(Option::as_ref);
        found.ok_or_else(|| Refusal::unknown_tool(self.id(name)))
    }

    fn id(&self, name: &str) -> ToolId {
        match &self.server {
            Some(server) => ToolId::new(name).on_server(server.clone()),
            None => ToolId::new(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_that_is_listed_twice_is_refused_and_so_is_one_that_is_not() {
        let (first, second) = (json!({"name": "t"}), json!({"name": "t", "title": "T"}));
        let once = Definitions::new(Some("s"), [("t", &first)]).unwrap();
        assert_eq!(once.get("t").unwrap().tool().server(), Some("s"));
        assert!(once.get("T").is_err());
        let twice =
            Definitions::new(Some("s"), [("t", &first), ("t", &second), ("t", &first)]).unwrap();
        assert!(twice.get("t").is_err());
    }

    #[test]
    fn hints_that_cannot_be_read_say_nothing() {
        let odd = json!({"annotations": {"readOnlyHint": "yes"}});
        let call = Definition::of("t".into(), &odd).unwrap().call(Args::new());
        assert_eq!(call.annotations(), Annotations::new());
    }
}
