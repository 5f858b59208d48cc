//! Rules over tools by name, and over their arguments.

use std::borrow::Cow;

use toolgate::{Args, PatternError, ToolId, ToolPatterns};

use crate::{
    Place, alphabets,
    conditions::{Conditions, Holds},
    finding::{Findings, Outcome, RuleIndex, Scope},
    spec::RuleSpec,
};

/// Rules over tools.
///
/// What allows compares names exactly. What asks or denies takes capital and small letters for the
/// same, because a server or a runtime may.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolPart {
    allow: Entries,
    strict: Entries,
    registry: Option<ToolPatterns>,
}

#[derive(Clone, Debug, Default)]
struct Entries {
    patterns: ToolPatterns,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    rule: RuleIndex,
    outcome: Outcome,
    conditions: Conditions,
    except: Option<ToolPatterns>,
}

impl ToolPart {
    /// Adds a rule.
    pub(crate) fn add(
        &mut self,
        rule: RuleIndex,
        outcome: Outcome,
        spec: &RuleSpec,
    ) -> Result<(), Vec<(Place, String)>> {
        let mut problems = Vec::new();
        let conditions = Conditions::compile(&spec.when).unwrap_or_else(|more| {
            problems.extend(more);
            Conditions::default()
        });
        let mut except = ToolPatterns::new();
        for pattern in &spec.except {
            let added = except.add(&pattern.value);
            problems.extend(added.err().map(|e| problem(&pattern.place, &e)));
        }
        let (entries, text) = match outcome {
            Outcome::Allow => (&mut self.allow, Cow::Borrowed(&*spec.pattern.value)),
            _ => (&mut self.strict, folded(&spec.pattern.value)),
        };
        let added = entries.patterns.add(&text);
        problems.extend(added.err().map(|e| problem(&spec.pattern.place, &e)));
        if !problems.is_empty() {
            return Err(problems);
        }
        entries.entries.push(Entry {
            rule,
            outcome,
            conditions,
            except: (!spec.except.is_empty()).then_some(except),
        });
        Ok(())
    }

    /// Says that the tools are known. As long as none is, there are none.
    pub(crate) fn know_all(&mut self) {
        self.registry.get_or_insert_default();
    }

    /// Says which tools there are. Any other is refused.
    pub(crate) fn know(&mut self, name: &str) -> Result<(), PatternError> {
        let registry = self.registry.get_or_insert_default();
        registry.add(name).map(drop)
    }

    /// Whether a tool is denied whatever its arguments are.
    pub(crate) fn denies_any(&self, tool: &ToolId, scope: &impl Scope) -> bool {
        let is_unknown = |known: &ToolPatterns| !has(known, tool);
        let mut denied = self.registry.as_ref().is_some_and(is_unknown);
        self.strict_entries(tool, |entry| {
            let is_plain = entry.outcome == Outcome::Deny && entry.conditions.is_empty();
            denied |= is_plain && scope.is_active(entry.rule) && !entry.is_excepted(tool);
        });
        denied
    }

    /// Whether any rule could say something of a tool, now or at another time.
    pub(crate) fn speaks_of(&self, tool: &ToolId) -> bool {
        let mut spoken_of = has(&self.allow.patterns, tool);
        self.strict_entries(tool, |_| spoken_of = true);
        spoken_of
    }

    /// Reports what the rules say of a call.
    pub(crate) fn judge(
        &self,
        tool: &ToolId,
        args: &Args,
        scope: &impl Scope,
        findings: &mut Findings,
    ) {
        let before = findings.0.len();
        self.judge_strictly(tool, args, scope, findings);
        self.allow.patterns.find(tool, |number| {
            let entry = self.allow.entries.get(number);
            if let Some(entry) = entry.filter(|entry| entry.allows(tool, args, scope)) {
                findings.rule(Outcome::Allow, entry.rule);
            }
        });
        if self
            .registry
            .as_ref()
            .is_some_and(|known| !has(known, tool))
        {
            let why = "the tool is not among those that there are";
            findings.builtin(Outcome::Deny, "tool.unknown", why);
        }
        let spoken_of = findings.0.len() > before;
        if let Some(why) = oddity(tool.name(), spoken_of).or_else(|| oddity_of_server(tool)) {
            findings.builtin(Outcome::Ask, "tool.odd-name", why);
        }
    }

    fn judge_strictly(
        &self,
        tool: &ToolId,
        args: &Args,
        scope: &impl Scope,
        findings: &mut Findings,
    ) {
        self.strict_entries(tool, |entry| {
            if !scope.is_active(entry.rule) || entry.is_excepted(tool) {
                return;
            }
            match entry.conditions.hold(args) {
                Holds::Yes => findings.rule(entry.outcome, entry.rule),
                Holds::Maybe => findings.rule(Outcome::Ask, entry.rule),
                Holds::No => {}
            }
        });
    }

    /// Reports every rule that asks or denies and whose pattern matches.
    fn strict_entries<'a>(&'a self, tool: &ToolId, mut report: impl FnMut(&'a Entry)) {
        let (server, name) = (tool.server().map(folded), folded(tool.name()));
        let strict = &self.strict;
        strict
            .patterns
            .find_by_name(server.as_deref(), &name, |number| {
                if let Some(entry) = strict.entries.get(number) {
                    report(entry);
                }
            });
    }
}

impl Entry {
    fn allows(&self, tool: &ToolId, args: &Args, scope: &impl Scope) -> bool {
        scope.is_active(self.rule)
            && !self.is_excepted(tool)
            && self.conditions.hold(args) == Holds::Yes
            && self.conditions.speak_of_all(args)
    }

    fn is_excepted(&self, tool: &ToolId) -> bool {
        self.except.as_ref().is_some_and(|except| has(except, tool))
    }
}

fn has(patterns: &ToolPatterns, tool: &ToolId) -> bool {
    let mut found = false;
    patterns.find(tool, |_| found = true);
    found
}

fn problem(place: &Place, error: &PatternError) -> (Place, String) {
    (place.clone(), error.why().to_owned())
}

/// In small letters, without a copy if it is already.
fn folded(text: &str) -> Cow<'_, str> {
    if text.bytes().any(|b| b.is_ascii_uppercase()) {
        Cow::Owned(text.to_ascii_lowercase())
    } else {
        Cow::Borrowed(text)
    }
}

/// What is odd about a name that a person could take for another one, if anything is.
fn oddity(name: &str, is_spoken_of: bool) -> Option<&'static str> {
    if name.is_empty() {
        return Some("the tool has no name");
    }
    if name.bytes().all(|byte| byte.is_ascii_graphic()) {
        return None;
    }
    let is_plain = |c: char| c.is_ascii_graphic() || (!c.is_ascii() && c.is_alphanumeric());
    if !name.chars().all(is_plain) {
        return Some("the name of the tool has spaces or invisible characters in it");
    }
    (!name.is_ascii() && !is_spoken_of || alphabets::mixes(name))
        .then_some("the name of the tool has letters that look like others")
}

fn oddity_of_server(tool: &ToolId) -> Option<&'static str> {
    let plain = |c: char| c.is_ascii_graphic() || (!c.is_ascii() && c.is_alphanumeric());
    let odd =
        |server: &str| server.is_empty() || !server.chars().all(plain) || alphabets::mixes(server);
    (tool.server().is_some_and(odd)).then_some("the name of the server is odd")
}
