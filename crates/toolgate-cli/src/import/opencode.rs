//! The permissions in an `opencode.json`.
//!
//! There, the last rule that matches decides. Here it is the strictest, which is never looser as
//! long as a later rule over everything takes back what was looser before it. What there is the
//! default of one permission is here that of all, if it is to deny.

mod others;

use toolgate::Effect;

use super::{
    commands,
    draft::{Draft, Rule, Section, becomes},
    mcp,
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
    reader.of(&config)?;
    for key in ["agent", "mode"] {
        let agents = config.get(key).map(Node::entries).unwrap_or_default();
        for (agent, settings) in agents {
            reader.restricts_only = Some(agent.clone());
            reader.of(settings)?;
        }
    }
    if draft.outside_denied {
        ask_inside(&mut draft);
    }
    // Listing is a permission of its own there, and here whoever may read may list.
    draft.allowed = vec![
        "read_file",
        "write_file",
        "delete_file",
        "copy_path",
        "move_path",
    ];
    draft.keep_to_allowed();
    Ok(draft)
}

/// What is asked about of every file is asked about in the workspace, if nothing may be done outside.
fn ask_inside(draft: &mut Draft) {
    for section in [Section::Read, Section::Write] {
        let is_whole = |rule: &Rule| {
            let of_tools = (rule.section, rule.effect) == (Section::Tools, Effect::Ask);
            of_tools && section.tools().contains(&&*rule.pattern)
        };
        for rule in draft.take_out(is_whole) {
            draft.rule(Effect::Ask, section, "./**", &rule.from);
        }
        let is_outside = |rule: &Rule| {
            let asks = (rule.section, rule.effect) == (section, Effect::Ask);
            asks && rule.pattern.starts_with('/')
        };
        for rule in draft.take_out(is_outside) {
            draft.rule(Effect::Deny, section, &rule.pattern, &rule.from);
        }
    }
}

struct Reader<'a> {
    draft: &'a mut Draft,
    name: &'a str,
    /// The agent that the rules are for. What they restrict is restricted for all.
    restricts_only: Option<String>,
}

impl Reader<'_> {
    /// The permissions of everybody or of an agent, and the tools that are switched off.
    fn of(&mut self, settings: &Node) -> Result<(), Fail> {
        if let Some(tools) = settings.get("tools") {
            self.switches(tools)?;
        }
        match settings.get("permission") {
            Some(permission) => self.all(permission),
            None => Ok(()),
        }
    }

    fn all(&mut self, permission: &Node) -> Result<(), Fail> {
        if let Node::Text(_) = permission {
            return self.everything(0, permission);
        }
        let Node::Object(entries) = permission else {
            return Err(self.odd("permission"));
        };
        for (number, (key, node)) in entries.iter().enumerate() {
            self.one(number, key, node)?;
        }
        Ok(())
    }

    fn one(&mut self, number: usize, key: &str, node: &Node) -> Result<(), Fail> {
        match key {
            "*" => self.everything(number, node),
            "bash" => self.patterns(Section::Shell, key, node),
            "edit" => self.patterns(Section::Write, key, node),
            // These are no permissions of their own, so nothing is allowed by them.
            "write" | "patch" | "multiedit" => self.restricting(Section::Write, key, node),
            "read" => self.patterns(Section::Read, key, node),
            "list" => self.listing(key, node),
            "webfetch" => self.patterns(Section::Fetch, key, node),
            "external_directory" => self.outside(key, node),
            "doom_loop" => {
                self.lost(key, "it is not carried over: calls are judged one by one");
                self.strictest(key, node).map(|_| ())
            }
            other if other.contains(['*', '?']) => self.several(other, node),
            other => self.tool(other, node),
        }
    }

    /// `"*"`: what holds for whatever no later rule speaks of.
    fn everything(&mut self, number: usize, node: &Node) -> Result<(), Fail> {
        let from = "permission *";
        let effect = self.effect(from, node)?;
        match effect {
            Effect::Allow => self.lost(from, "it allowed everything; now that is asked about"),
            Effect::Ask => self.take_back(effect, None, from),
            Effect::Deny => {
                self.take_back(effect, None, from);
                if number > 0 || self.restricts_only.is_some() {
                    self.lost(from, "what no rule speaks of is denied now, whoever calls");
                }
                self.draft.default = Effect::Deny;
                self.draft.outside_denied = true;
            }
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
        for (pattern, node) in entries {
            let from = format!("{key} `{pattern}`");
            let effect = self.effect(&from, node)?;
            match (pattern.as_str(), effect) {
                ("*", Effect::Ask) => self.take_back(effect, Some(section), &from),
                ("*", Effect::Deny) => {
                    self.take_back(effect, Some(section), &from);
                    self.lost(&from, "what no rule speaks of is denied now, of all tools");
                    self.draft.default = Effect::Deny;
                }
                (pattern, effect) => self.rule(section, effect, pattern, &from),
            }
        }
        Ok(())
    }

    /// What one agent is asked about may be denied to all others.
    fn for_all(&self, effect: Effect) -> Effect {
        match self.restricts_only.is_some() && effect == Effect::Ask {
            true => effect.max(self.draft.default),
            false => effect,
        }
    }

    fn rule(&mut self, section: Section, effect: Effect, pattern: &str, from: &str) {
        let effect = self.for_all(effect);
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
            (Section::Fetch, effect) => {
                let why = "a pattern over addresses cannot be said here";
                self.draft.whole_instead(effect, section, from, why);
            }
            (section, effect) => {
                let rooted = pattern.starts_with(['~', '$']);
                match (rooted, effect) {
                    (false, _) => paths::glob(self.draft, effect, section, pattern, from),
                    (true, Effect::Allow) => {
                        self.lost(from, "it allows nothing now: only the workspace is");
                    }
                    (true, effect) => {
                        let why = "the pattern cannot be said here";
                        self.draft.whole_instead(effect, section, from, why);
                    }
                }
            }
        }
    }

    /// Takes back what was looser so far.
    fn take_back(&mut self, effect: Effect, section: Option<Section>, from: &str) {
        let is_meant = |rule: &Rule| {
            section.is_none_or(|section| {
                let whole = rule.section == Section::Tools;
                rule.section == section || whole && section.tools().contains(&&*rule.pattern)
            })
        };
        let is_looser = |rule: &Rule| rule.effect < effect && is_meant(rule);
        if !self.draft.take_out(is_looser).is_empty() {
            let now = becomes(effect);
            self.lost(from, &format!("what was looser before it is {now}"));
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
