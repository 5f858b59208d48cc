//! From a policy as it is written to one that judges.

use std::{collections::HashSet, sync::Arc};

use toolgate::{Effect, ToolConfig, ToolDecision, ToolRules};

use super::{Compiled, Covering};
use crate::{
    Located, Place,
    binding::Bindings,
    capabilities::CapabilityPart,
    finding::{Outcome, RuleIndex},
    kinds::KindLabels,
    rules::{RuleTable, Section},
    spec::{PolicySpec, RuleLists, RuleSpec, ToolSpec},
    tools::ToolPart,
};

/// What a policy needs to know of the world around it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// Files that no call may write: the policy itself, stored grants, the audit.
    pub(crate) own_files: Vec<String>,
    pub(crate) home: Option<String>,
    pub(crate) is_managed: bool,
}

/// What is wrong with a policy, or could be.
pub(crate) type Problems = Vec<(Place, String)>;

/// A rule with its number and what follows if it matches.
pub(crate) type Numbered<'a> = (RuleIndex, Outcome, &'a RuleSpec);

/// Compiles a policy of one environment. Says everything that is wrong with it, or what could be.
pub(crate) fn compile(
    spec: &PolicySpec,
    context: &Context,
) -> Result<(Compiled, Problems), Problems> {
    let mut build = Build::default();
    let entries = spec.tools.iter().flat_map(|tools| &tools.entries);
    let decided: Vec<_> = entries.clone().filter_map(decision).collect();

    let shell = build.number(Section::Shell, spec.shell.as_ref().map(|s| &s.rules));
    let read = build.number(Section::Read, spec.read.as_ref().map(|s| &s.rules));
    let write = build.number(Section::Write, spec.write.as_ref().map(|s| &s.rules));
    let fetch = build.number(Section::Fetch, spec.fetch.as_ref().map(|s| &s.rules));
    let capable = build.number(Section::Capabilities, spec.capabilities.as_ref());
    let mut tools = build.number(Section::Tools, spec.tools.as_ref().map(|s| &s.rules));
    tools.extend(decided.iter().filter_map(|(effect, rule)| {
        let number = build.add(Section::Tools, *effect, rule)?;
        Some((number, Outcome::from(*effect), rule))
    }));

    let covers = |rules: &[Numbered<'_>]| rules.iter().any(|(_, o, _)| *o == Outcome::Allow);
    let covering = Covering {
        shell: covers(&shell),
        read: covers(&read),
        write: covers(&write),
        fetch: covers(&fetch),
    };
    let bindings = build.bindings(entries.clone());
    let configs = build.configs(entries);
    let tools = build.tools(&tools, spec);
    let capabilities = build.capabilities(&capable);
    let kinds = build.kinds();
    todo!("{shell:?}{read:?}{write:?}{fetch:?}{covering:?}{bindings:?}{configs:?}{tools:?}{capabilities:?}{kinds:?}{context:?}")
}

#[derive(Default)]
struct Build {
    rules: RuleTable,
    problems: Problems,
    lints: Problems,
}

impl Build {
    fn number<'a>(&mut self, section: Section, lists: Option<&'a RuleLists>) -> Vec<Numbered<'a>> {
        let Some(lists) = lists else {
            return Vec::new();
        };
        let each = [
            (Effect::Allow, &lists.allow),
            (Effect::Ask, &lists.ask),
            (Effect::Deny, &lists.deny),
        ];
        let rules = each
            .into_iter()
            .flat_map(|(effect, rules)| rules.iter().map(move |rule| (effect, rule)));
        let numbered = rules.filter_map(|(effect, rule)| {
            let number = self.add(section, effect, rule)?;
            Some((number, Outcome::from(effect), rule))
        });
        numbered.collect()
    }

    fn add(&mut self, section: Section, effect: Effect, rule: &RuleSpec) -> Option<RuleIndex> {
        let added = self.rules.add(section, effect, rule);
        self.keep(added)
    }

    /// The value, if there is one; otherwise what is wrong is taken down.
    fn keep<T>(&mut self, result: Result<T, Problems>) -> Option<T> {
        result.map_err(|problems| self.problems.extend(problems)).ok()
    }

    fn bindings<'a>(&mut self, entries: impl Iterator<Item = &'a ToolSpec>) -> Bindings {
        let mut bindings = Bindings::default();
        for entry in entries {
            let added = bindings.add(entry);
            self.keep(added);
        }
        bindings
    }

    /// What is said of tools beside decisions.
    fn configs<'a>(&mut self, entries: impl Iterator<Item = &'a ToolSpec>) -> ToolRules {
        let mut configs = Vec::new();
        for entry in entries {
            let capabilities = entry.capabilities.iter().filter_map(|capability| {
                let parsed = capability.value.parse();
                let problem = |e: toolgate::CapabilityError| {
                    vec![(capability.place.clone(), e.to_string())]
                };
                self.keep(parsed.map_err(problem))
            });
            let mut config = ToolConfig::undecided().with_capabilities(capabilities.collect::<Vec<_>>());
            let texts = |keys: &[Located<String>]| keys.iter().map(|key| key.value.clone()).collect::<Vec<_>>();
            if let Some(keys) = &entry.remember_by {
                config = config.remember_by(texts(keys));
            }
            config = config.exclude_keys(texts(&entry.exclude_keys));
            let one = ToolRules::new([(entry.name.value.clone(), config.clone())]);
            match one {
                Ok(_) => configs.push((entry.name.value.clone(), config)),
                Err(error) => self.problems.push((entry.name.place.clone(), error.to_string())),
            }
        }
        // Each was tried alone; together they can only come twice, which the loader refuses.
        ToolRules::new(configs).unwrap_or_default()
    }

    fn tools(&mut self, rules: &[Numbered<'_>], spec: &PolicySpec) -> ToolPart {
        let mut part = ToolPart::default();
        for (number, outcome, rule) in rules {
            let added = part.add(*number, *outcome, rule);
            self.keep(added);
        }
        for name in spec.registry.iter().flatten() {
            if let Err(error) = part.know(&name.value) {
                self.problems.push((name.place.clone(), error.why().to_owned()));
            }
        }
        part
    }

    fn capabilities(&mut self, rules: &[Numbered<'_>]) -> CapabilityPart {
        let mut part = CapabilityPart::default();
        for (number, outcome, rule) in rules {
            let added = part.add(*number, *outcome, rule);
            self.keep(added);
        }
        part
    }

    fn kinds(&mut self) -> Option<KindLabels> {
        KindLabels::new().ok()
    }
}

/// The rule that the decision of `[tools.NAME]` amounts to.
fn decision(entry: &ToolSpec) -> Option<(Effect, RuleSpec)> {
    let decision = entry.decision.as_ref()?.value;
    let rule = RuleSpec {
        pattern: entry.name.clone(),
        reason: entry.reason.clone(),
        id: None,
        matches: Vec::new(),
        no_matches: Vec::new(),
        except: Vec::new(),
        environments: Vec::new(),
        agents: Vec::new(),
        expires: None,
        dangerous_wildcard: false,
        when: Vec::new(),
    };
    Some((decision.into(), rule))
}
