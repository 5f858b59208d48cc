//! What a server said its tools are.

use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;
use toolgate::{Annotations, Args, ArgsLimits, DefinitionDigest};

use crate::json::Object;

/// A tool as it was defined when it was last listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    pub(crate) digest: DefinitionDigest,
    pub(crate) annotations: Annotations,
}

/// The tools of one server. A definition that changes is another tool.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    tools: HashMap<String, Definition>,
    /// Names that came twice. Nobody can tell which is meant.
    ambiguous: HashSet<String>,
    is_current: bool,
    /// How often something made the list old.
    changes: u64,
}

/// More tools than this are not remembered, and so cannot be called.
const MOST_TOOLS: usize = 10_000;

impl Registry {
    /// Whether all tools were listed, and nothing was said to have changed since.
    pub(crate) fn is_current(&self) -> bool {
        self.is_current
    }

    /// The server says that its tools changed.
    pub(crate) fn change(&mut self) {
        self.is_current = false;
        self.changes += 1;
    }

    /// How often the server said so.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    pub(crate) fn get(&self, name: &str) -> Option<Definition> {
        match self.ambiguous.contains(name) {
            true => None,
            false => self.tools.get(name).copied(),
        }
    }

    pub(crate) fn is_ambiguous(&self, name: &str) -> bool {
        self.ambiguous.contains(name)
    }

    /// Takes down a page of the list. If it says anything new, the whole list is old: a name on two
    /// pages shows only when all of them are looked at.
    pub(crate) fn learn(&mut self, page: &[Listed]) {
        let is_known = |tool: &Listed| self.tools.get(&tool.name) == Some(&tool.definition);
        if self.is_current && !page.iter().all(is_known) {
            self.change();
        }
        self.take(page);
    }

    fn take(&mut self, page: &[Listed]) {
        let mut seen = HashSet::new();
        for tool in page {
            if !seen.insert(&*tool.name) {
                self.ambiguous.insert(tool.name.clone());
            }
            if self.tools.len() < MOST_TOOLS || self.tools.contains_key(&tool.name) {
                self.tools.insert(tool.name.clone(), tool.definition);
            }
        }
    }

    /// Takes down the whole list, made when there had been so many changes.
    pub(crate) fn replace(&mut self, all: &[Listed], changes: u64) {
        self.tools.clear();
        self.ambiguous.clear();
        self.take(all);
        self.is_current = self.changes == changes;
    }
}

/// A tool on a list.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) definition: Definition,
    pub(crate) object: Object,
}

impl Listed {
    /// Reads a definition. None if it has no name, or could be read in two ways.
    pub(crate) fn read(raw: &RawValue) -> Option<Self> {
        let object = Object::parse(raw.get()).ok()?;
        let whole = Args::parse_slice(raw.get().as_bytes(), ArgsLimits::default()).ok()?;
        let annotations = object.get("annotations");
        let annotations = annotations.and_then(|hints| serde_json::from_str(hints.get()).ok());
        Some(Self {
            name: object.text("name")?,
            definition: Definition {
                digest: DefinitionDigest::new(*whole.digest().as_bytes()),
                annotations: annotations.unwrap_or_default(),
            },
            object,
        })
    }
}

/// The members of a list in a result, such as `tools`.
pub(crate) fn members(result: &Object, key: &str) -> Vec<Box<RawValue>> {
    let list = result.get(key).map_or("[]", RawValue::get);
    serde_json::from_str(list).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(json: &str) -> Option<Listed> {
        Listed::read(&RawValue::from_string(json.to_owned()).unwrap())
    }

    #[test]
    fn any_change_of_a_definition_is_another_digest() {
        let digest = |json: &str| listed(json).unwrap().definition.digest;
        let one = digest(r#"{"name":"t","description":"reads","inputSchema":{"type":"object"}}"#);
        let same = digest(r#"{"inputSchema":{"type":"object"},"name":"t","description":"reads"}"#);
        assert_eq!(one, same);
        for other in [
            r#"{"name":"t","description":"reads!","inputSchema":{"type":"object"}}"#,
            r#"{"name":"t","description":"reads","inputSchema":{"type":"object","x":1}}"#,
            r#"{"name":"t","description":"reads","inputSchema":{"type":"object"},"annotations":{}}"#,
        ] {
            assert_ne!(one, digest(other), "{other}");
        }
    }

    #[test]
    fn a_definition_that_can_be_read_in_two_ways_is_none() {
        assert!(listed(r#"{"name":"a","name":"b"}"#).is_none());
        assert!(listed(r#"{"name":"a","inputSchema":{"x":1,"x":2}}"#).is_none());
        assert!(listed(r#"{"description":"no name"}"#).is_none());
    }

    #[test]
    fn a_name_that_comes_twice_is_nobody() {
        let mut registry = Registry::default();
        let (one, two) = (r#"{"name":"t"}"#, r#"{"name":"t","title":"x"}"#);
        registry.replace(&[listed(one).unwrap(), listed(two).unwrap()], 0);
        assert!(registry.is_ambiguous("t") && registry.get("t").is_none());
        registry.replace(&[listed(one).unwrap()], 0);
        assert!(registry.get("t").is_some() && registry.is_current());
    }

    #[test]
    fn a_change_while_it_was_listed_makes_the_list_old() {
        let mut registry = Registry::default();
        let before = registry.changes();
        registry.change();
        registry.replace(&[], before);
        assert!(!registry.is_current());
    }
}
