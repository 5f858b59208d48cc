//! The permissions in an `opencode.json`.
//!
//! There, the last rule that matches decides. Here it is the strictest, which is never looser as
//! long as a later rule over everything takes back what was allowed before it.

use toolgate::Effect;

use super::{
    commands,
    draft::{Draft, Section},
    ordered::Node,
    paths,
};
use crate::fail::Fail;

/// Reads the permissions.
pub(super) fn read(name: &str, text: &str) -> Result<Draft, Fail> {
    let config: Node = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        Fail::new(format!(
            "{name}:{line}:{column}: this is not JSON that can be read"
        ))
        .with_help("comments have to be taken out, and no key may come twice")
    })?;
    let mut draft = Draft::new(format!("Imported from {name}."));
    draft.inside_only = true;
    let mut reader = Reader {
        draft: &mut draft,
        name,
        restricts_only: None,
    };
    if let Some(permission) = config.get("permission") {
        reader.all(permission)?;
    }
    let agents = config.get("agent").map(Node::entries).unwrap_or_default();
    for (agent, settings) in agents {
        if let Some(permission) = settings.get("permission") {
            reader.restricts_only = Some(agent.clone());
            reader.all(permission)?;
        }
    }
    Ok(draft)
}

struct Reader<'a> {
    draft: &'a mut Draft,
    name: &'a str,
    /// The agent that the rules are for. What they restrict is restricted for all.
    restricts_only: Option<String>,
}

impl Reader<'_> {
    fn all(&mut self, permission: &Node) -> Result<(), Fail> {
        if let Node::Text(_) = permission {
            return self.everything(0, permission);
        }
        for (number, (key, node)) in permission.entries().iter().enumerate() {
            match key.as_str() {
                "*" => self.everything(number, node)?,
                "bash" => self.patterns(Section::Shell, key, node)?,
                "edit" | "write" | "patch" => self.patterns(Section::Write, key, node)?,
                "read" | "list" => self.patterns(Section::Read, key, node)?,
                "webfetch" => self.patterns(Section::Fetch, key, node)?,
                "external_directory" => self.outside(key, node)?,
                other => self.tool(other, node)?,
            }
        }
        Ok(())
    }

    /// `"*"`: what holds for whatever no later rule speaks of.
    fn everything(&mut self, number: usize, node: &Node) -> Result<(), Fail> {
        let from = "permission *";
        match self.effect(from, node)? {
            Effect::Allow => self.lost(from, "it allowed everything; now that is asked about"),
            _ if number > 0 => self.take_back(None, from),
            Effect::Ask => {}
            Effect::Deny if self.restricts_only.is_none() => self.draft.default = Effect::Deny,
            Effect::Deny => self.lost(from, "what no rule speaks of is asked about"),
        }
        Ok(())
    }

    /// One decision for a section, or patterns in their order.
    fn patterns(&mut self, section: Section, key: &str, node: &Node) -> Result<(), Fail> {
        if let Node::Text(_) = node {
            let effect = self.effect(key, node)?;
            self.rule(section, effect, "*", key);
            return Ok(());
        }
        let Node::Object(entries) = node else {
            return Err(self.odd(key));
        };
        for (number, (pattern, node)) in entries.iter().enumerate() {
            let from = format!("{key} `{pattern}`");
            let effect = self.effect(&from, node)?;
            match (pattern.as_str(), effect, number) {
                ("*", Effect::Allow, _) => self.rule(section, effect, "*", &from),
                ("*", _, 1..) => self.take_back(Some(section), &from),
                ("*", Effect::Deny, _) => self.lost(&from, "what no rule speaks of is asked about"),
                ("*", _, _) => {}
                (pattern, effect, _) => self.rule(section, effect, pattern, &from),
            }
        }
        Ok(())
    }

    fn rule(&mut self, section: Section, effect: Effect, pattern: &str, from: &str) {
        if let (Effect::Allow, Some(agent)) = (effect, &self.restricts_only) {
            let what = format!("it allows nothing now: it was for `{agent}` alone");
            return self.draft.loss(from, what);
        }
        match (section, effect) {
            (Section::Shell, _) => commands::glob(self.draft, effect, pattern, from),
            (Section::Fetch, Effect::Allow) => {
                self.lost(from, "it allows nothing now: name the hosts in `fetch`");
            }
            (Section::Fetch, effect) if pattern == "*" => {
                self.draft.whole(effect, section, from);
            }
            (Section::Fetch, _) => {
                let why = "a pattern over addresses cannot be said here";
                self.draft.ask_instead(section, from, why);
            }
            (section, effect) => {
                let rooted = pattern.starts_with(['~', '$']);
                match (rooted, effect) {
                    (false, _) => paths::glob(self.draft, effect, section, pattern, from),
                    (true, Effect::Allow) => {
                        self.lost(from, "it allows nothing now: only the workspace is");
                    }
                    (true, _) => {
                        let why = "the pattern cannot be said here";
                        self.draft.ask_instead(section, from, why);
                    }
                }
            }
        }
    }

    /// What lies outside is asked about, whatever is said of it.
    fn outside(&mut self, key: &str, node: &Node) -> Result<(), Fail> {
        let is_ask = matches!(node, Node::Text(text) if text == "ask");
        if !is_ask {
            self.lost(key, "what lies outside of the workspace is asked about");
        }
        match node {
            Node::Other => Err(self.odd(key)),
            _ => Ok(()),
        }
    }

    fn tool(&mut self, key: &str, node: &Node) -> Result<(), Fail> {
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
            if self.effect(&from, node)? == Effect::Allow {
                self.lost(&from, "it allows nothing now: name the whole tool");
            } else {
                self.lost(&from, "every call of the tool is asked about now");
                self.named(key, Effect::Ask);
            }
        }
        Ok(())
    }

    /// A tool by its name. That of a server has the server's name in front, and nobody can tell
    /// where that ends.
    fn named(&mut self, key: &str, effect: Effect) {
        let may_be_remote = key.contains(['_', '*']);
        match (effect, may_be_remote) {
            (Effect::Allow, true) => {
                self.lost(
                    key,
                    "it allows nothing now: it does not say which server is meant",
                );
            }
            (Effect::Allow, false) if self.restricts_only.is_some() => {
                self.lost(key, "it allows nothing now: it was for one agent alone");
            }
            (effect, may_be_remote) => {
                self.draft.rule(effect, Section::Tools, key, key);
                if may_be_remote {
                    self.draft.rule(Effect::Ask, Section::Tools, "mcp:*/*", key);
                    self.lost(
                        key,
                        "it does not say which server is meant, so all are asked about",
                    );
                }
            }
        }
    }

    /// Takes back what was allowed so far.
    fn take_back(&mut self, section: Option<Section>, from: &str) {
        let before = self.draft.rules.len();
        let is_meant = |of: Section| section.is_none_or(|section| section == of);
        self.draft
            .rules
            .retain(|rule| rule.effect != Effect::Allow || !is_meant(rule.section));
        if self.draft.rules.len() != before {
            self.lost(from, "what was allowed before it is asked about");
        }
    }

    fn lost(&mut self, from: &str, what: &str) {
        self.draft.loss(from, what);
    }

    fn effect(&self, key: &str, node: &Node) -> Result<Effect, Fail> {
        match node {
            Node::Text(text) if text == "allow" => Ok(Effect::Allow),
            Node::Text(text) if text == "ask" => Ok(Effect::Ask),
            Node::Text(text) if text == "deny" => Ok(Effect::Deny),
            _ => Err(self.odd(key)),
        }
    }

    fn odd(&self, key: &str) -> Fail {
        Fail::new(format!(
            "{}: `{key}` is none of `allow`, `ask`, `deny` and an object of them",
            self.name
        ))
    }
}
