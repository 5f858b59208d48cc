//! What every rule carries, whatever part of a policy it belongs to.

use std::{collections::HashMap, sync::Arc};

use jiff::Timestamp;
use toolgate::{AgentPath, Effect, Rule};

use crate::{Place, agents::AgentPattern, finding::RuleIndex, spec::RuleSpec};

/// The part of a policy that a rule belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Section {
    Shell,
    Read,
    Write,
    Fetch,
    Capabilities,
    Tools,
}

impl Section {
    /// The name of the section in a file.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Read => "read",
            Self::Write => "write",
            Self::Fetch => "fetch",
            Self::Capabilities => "capabilities",
            Self::Tools => "tools",
        }
    }
}

/// One rule, without its pattern, which its part knows.
#[derive(Clone, Debug)]
pub(crate) struct Meta {
    pub(crate) rule: Rule,
    pub(crate) effect: Effect,
    pub(crate) reason: Arc<str>,
    agents: Box<[AgentPattern]>,
    expires: Option<Timestamp>,
}

/// The rules of one policy, by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleTable {
    rules: Vec<Meta>,
    ids: HashMap<Box<str>, RuleIndex>,
    /// Whether any rule holds only for some agents, or for some time.
    is_conditional: bool,
}

impl RuleTable {
    /// Adds a rule, and says what is wrong with it.
    pub(crate) fn add(
        &mut self,
        section: Section,
        effect: Effect,
        spec: &RuleSpec,
    ) -> Result<RuleIndex, Vec<(Place, String)>> {
        let mut problems = Vec::new();
        let agents = spec.agents.iter().filter_map(|agent| {
            let pattern = AgentPattern::parse(&agent.value);
            pattern
                .map_err(|why| problems.push((agent.place.clone(), why.to_owned())))
                .ok()
        });
        let agents: Box<[_]> = agents.collect();
        let id = self.id(section, effect, spec).unwrap_or_else(|problem| {
            problems.push(problem);
            String::new()
        });
        if !problems.is_empty() {
            return Err(problems);
        }
        let text = &*spec.pattern.value;
        let rule = Rule::new(&*id)
            .with_text(text)
            .with_source(spec.pattern.place.source());
        let expires = spec.expires.as_ref().map(|expires| expires.value);
        let index = self.next();
        self.is_conditional |= !agents.is_empty() || expires.is_some();
        self.ids.insert(id.into(), index);
        self.rules.push(Meta {
            reason: reason(section, effect, spec),
            rule,
            effect,
            agents,
            expires,
        });
        Ok(index)
    }

    /// The id of a rule: its own, or one made of what it says. A grant names it, so it must stay
    /// the same as long as the rule does.
    fn id(
        &self,
        section: Section,
        effect: Effect,
        spec: &RuleSpec,
    ) -> Result<String, (Place, String)> {
        if let Some(id) = &spec.id {
            let problem = |why: &str| Err((id.place.clone(), why.to_owned()));
            return match &*id.value {
                "" => problem("an id must not be empty"),
                given if self.ids.contains_key(given) => {
                    problem(&format!("another rule has the id `{given}`"))
                }
                given => Ok(given.to_owned()),
            };
        }
        let made = format!(
            "{}.{}: {}",
            section.name(),
            word(effect),
            spec.pattern.value
        );
        let numbered = (2..).map(|number| format!("{made} #{number}"));
        let mut ids = std::iter::once(made.clone()).chain(numbered);
        let free = ids.find(|id| !self.ids.contains_key(&**id));
        Ok(free.unwrap_or(made))
    }

    /// The number of the rule that is added next.
    pub(crate) fn next(&self) -> RuleIndex {
        RuleIndex(u32::try_from(self.rules.len()).unwrap_or(u32::MAX))
    }

    pub(crate) fn get(&self, rule: RuleIndex) -> Option<&Meta> {
        self.rules.get(usize::try_from(rule.0).ok()?)
    }

    /// Whether a rule holds for an agent, now. `now` is looked at only if any rule needs it.
    pub(crate) fn holds(
        &self,
        rule: RuleIndex,
        agent: &AgentPath,
        now: &dyn Fn() -> Timestamp,
    ) -> bool {
        if !self.is_conditional {
            return true;
        }
        let Some(meta) = self.get(rule) else {
            return false;
        };
        let in_time = meta.expires.is_none_or(|expires| now() < expires);
        in_time && (meta.agents.is_empty() || meta.means(agent))
    }
}

impl Meta {
    /// What forbids or asks is also about the agents that work for those that it names.
    fn means(&self, agent: &AgentPath) -> bool {
        self.agents.iter().any(|pattern| match self.effect {
            Effect::Allow => pattern.matches(agent),
            Effect::Ask | Effect::Deny => pattern.covers(agent),
        })
    }
}

/// An effect as it is written in a file.
pub(crate) fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    }
}

fn reason(section: Section, effect: Effect, spec: &RuleSpec) -> Arc<str> {
    if let Some(reason) = &spec.reason {
        return reason.value.as_str().into();
    }
    let what = match effect {
        Effect::Allow => "allowed",
        Effect::Ask => "asked about",
        Effect::Deny => "denied",
    };
    format!("{what} by `{}` of `{}`", spec.pattern.value, section.name()).into()
}
