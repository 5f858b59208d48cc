//! Permissions that are not just about commands, files or addresses.

use toolgate::Effect;

use super::{Node, Reader, Section, becomes, mcp};
use crate::fail::Fail;

/// The permissions that sections stand for.
const KNOWN: [&str; 4] = ["bash", "edit", "read", "webfetch"];

impl Reader<'_> {
    /// `"tools"`: which of them there are at all.
    pub(super) fn switches(&mut self, tools: &Node) -> Result<(), Fail> {
        let Node::Object(entries) = tools else {
            return Err(Fail::new(format!(
                "{}: `tools` is not an object",
                self.name
            )));
        };
        let denied = Node::Text("deny".to_owned());
        for (tool, node) in entries {
            match node {
                // That there is a tool allows nothing.
                Node::Flag(true) => {}
                Node::Flag(false) => self.one(0, tool, &denied)?,
                _ => {
                    let why = "is neither `true` nor `false`";
                    return Err(Fail::new(format!("{}: `tools.{tool}` {why}", self.name)));
                }
            }
        }
        Ok(())
    }

    /// A pattern over permissions, which may be about commands or files, too.
    pub(super) fn several(&mut self, key: &str, node: &Node) -> Result<(), Fail> {
        for known in KNOWN.into_iter().filter(|known| wild(key, known)) {
            match node {
                Node::Text(text) if text == "allow" => {
                    self.lost(key, "it allows nothing now: name the permissions");
                }
                node => self.one(1, known, node)?,
            }
        }
        self.tool(key, node)
    }

    /// What has no match here, but may restrict what has one.
    pub(super) fn restricting(
        &mut self,
        section: Section,
        key: &str,
        node: &Node,
    ) -> Result<(), Fail> {
        match node {
            Node::Text(text) if text == "allow" => {
                self.lost(key, "it allows nothing now: `edit` allows to write files");
                Ok(())
            }
            // More than that is asked about then, of which the default holds.
            Node::Text(text) if text == "ask" && self.draft.default == Effect::Deny => Ok(()),
            Node::Text(_) => self.patterns(section, key, node),
            _ => Err(self.odd(key)),
        }
    }

    pub(super) fn listing(&mut self, key: &str, node: &Node) -> Result<(), Fail> {
        match self.strictest(key, node)? {
            Effect::Deny => {
                let tool = "list_directory";
                self.draft.rule(Effect::Deny, Section::Tools, tool, key);
            }
            Effect::Allow => self.lost(key, "listing directories is asked about"),
            Effect::Ask => {}
        }
        Ok(())
    }

    /// What lies outside is never allowed, whatever is said of it.
    pub(super) fn outside(&mut self, key: &str, node: &Node) -> Result<(), Fail> {
        let strictest = self.strictest(key, node)?;
        if strictest == Effect::Deny {
            self.draft.outside_denied = true;
            self.draft.default = Effect::Deny;
            self.lost(key, "what no rule speaks of is denied now, inside as well");
            return Ok(());
        }
        if !matches!(node, Node::Text(text) if text == "ask") {
            self.lost(key, "what lies outside of the workspace is not allowed");
        }
        // A rule over everything may have denied it.
        self.draft.outside_denied &= self.restricts_only.is_some();
        Ok(())
    }

    /// The strictest of one decision or several.
    pub(super) fn strictest(&self, key: &str, node: &Node) -> Result<Effect, Fail> {
        match node {
            Node::Text(_) => self.effect(key, node),
            Node::Object(entries) => {
                let effects = entries.iter().map(|(_, node)| self.effect(key, node));
                let effects: Vec<_> = effects.collect::<Result<_, _>>()?;
                Ok(effects.into_iter().max().unwrap_or(Effect::Ask))
            }
            _ => Err(self.odd(key)),
        }
    }

    pub(super) fn tool(&mut self, key: &str, node: &Node) -> Result<(), Fail> {
        if let Node::Text(_) = node {
            let effect = self.effect(key, node)?;
            self.named(key, effect);
            return Ok(());
        }
        let Node::Object(entries) = node else {
            return Err(self.odd(key));
        };
        for (pattern, node) in entries {
            let from = format!("{key} `{pattern}`");
            let effect = self.effect(&from, node)?;
            if effect == Effect::Allow {
                self.lost(&from, "it allows nothing now: name the whole tool");
            } else {
                let now = becomes(effect);
                self.lost(&from, &format!("every call of the tool is {now} now"));
                self.named(key, effect);
            }
        }
        Ok(())
    }

    /// A tool by its name. That of a server has the server's name in front, and nobody can tell
    /// where that ends.
    pub(super) fn named(&mut self, key: &str, effect: Effect) {
        let effect = self.for_all(effect);
        let may_be_remote = key.contains(['_', '*']);
        match effect {
            Effect::Allow if may_be_remote => {
                self.lost(
                    key,
                    "it allows nothing now: it does not say which server is meant",
                );
            }
            Effect::Allow if self.restricts_only.is_some() => {
                self.lost(key, "it allows nothing now: it was for one agent alone");
            }
            effect => {
                self.draft.rule(effect, Section::Tools, key, key);
                mcp::joined(self.draft, effect, key, key);
            }
        }
    }
}

/// Whether a text matches a pattern in which `*` is any text and `?` any character.
fn wild(pattern: &str, text: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => text.is_empty(),
        Some('*') => {
            let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.any(|at| text.get(at..).is_some_and(|text| wild(rest.as_str(), text)))
        }
        Some(c) => {
            let mut text = text.chars();
            let first = text.next();
            first.is_some_and(|first| c == '?' || c == first) && wild(rest.as_str(), text.as_str())
        }
    }
}
