//! From a policy as it is written to one that judges.

use std::collections::HashSet;

use toolgate::{Effect, ToolConfig, ToolRules};

use super::{
    Compiled, Covering,
    examples::{self, TriedExample},
    lint,
};
use crate::{
    Located, Place,
    binding::Bindings,
    capabilities::CapabilityPart,
    finding::{Outcome, RuleIndex},
    host::{HostRules, Secrets},
    kinds::KindLabels,
    path::{PathRules, PathSettings},
    programs::Programs,
    rules::{RuleTable, Section},
    shell::ShellRules,
    spec::{FileSystemSpec, PolicySpec, ProtectedSpec, RuleLists, RuleSpec, ToolSpec},
    tools::ToolPart,
};

/// What a policy needs to know of the world around it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    /// Files that no call may write: the policy itself, stored grants, the audit.
    pub(crate) own_files: Vec<String>,
    pub(crate) home: Option<String>,
    /// The directory that a relative workspace is relative to, and that is the workspace if the
    /// policy names none.
    pub(crate) base: Option<String>,
    pub(crate) is_managed: bool,
    pub(crate) is_trusted: bool,
}

/// What is wrong with a policy, or could be.
pub(crate) type Problems = Vec<Problem>;

/// Where something is wrong, and what.
pub(crate) type Problem = (Place, String);

/// A rule with its number and what follows if it matches.
pub(crate) type Numbered<'a> = (RuleIndex, Outcome, &'a RuleSpec);

/// Compiles a policy of one environment. Says everything that is wrong with it, or what could be.
pub(crate) fn compile(
    spec: &PolicySpec,
    context: &Context,
) -> Result<(Compiled, Problems), Problems> {
    let assembled = assemble(spec, context)?;
    let mut problems = assembled.problems;
    let tried = assembled.tried.into_iter();
    problems.extend(tried.filter_map(TriedExample::into_problem));
    match problems.is_empty() {
        true => Ok((assembled.compiled, assembled.lints)),
        false => Err(problems),
    }
}

/// Tries the examples of a policy of one environment, or says what else is wrong with it.
pub(crate) fn try_examples(
    spec: &PolicySpec,
    context: &Context,
) -> Result<Vec<TriedExample>, Problems> {
    let assembled = assemble(spec, context)?;
    match assembled.problems.is_empty() {
        true => Ok(assembled.tried),
        false => Err(assembled.problems),
    }
}

/// A policy, and what is to be said of it.
struct Assembled {
    compiled: Compiled,
    problems: Problems,
    lints: Problems,
    tried: Vec<TriedExample>,
}

fn assemble(spec: &PolicySpec, context: &Context) -> Result<Assembled, Problems> {
    let mut build = Build::default();
    let entries = spec.tools.iter().flat_map(|tools| &tools.entries);
    let decided: Vec<_> = entries.clone().filter_map(decision).collect();

    let shell = build.number(Section::Shell, spec.shell.as_ref().map(|s| &s.rules));
    let read = build.number(Section::Read, spec.read.as_ref().map(|s| &s.rules));
    let write = build.number(Section::Write, spec.write.as_ref().map(|s| &s.rules));
    let fetch = build.number(Section::Fetch, spec.fetch.as_ref().map(|s| &s.rules));
    let capable = build.number(Section::Capabilities, spec.capabilities.as_ref());
    let mut tool_rules = build.number(Section::Tools, spec.tools.as_ref().map(|s| &s.rules));
    let first_entry = build.rules.next();
    tool_rules.extend(decided.iter().filter_map(|(effect, rule)| {
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
    let workspace = context.workspace(spec);
    let settings = context.paths(spec, workspace.as_deref());
    let compiled = Compiled {
        covering,
        bindings: build.bindings(entries.clone()),
        configs: build.configs(entries),
        tools: build.tools(&tool_rules, spec),
        capabilities: build.capabilities(&capable),
        shell: build.shell(spec, &shell, workspace.as_deref()),
        paths: build.paths(&read, &write, &settings)?,
        output: build.output(spec, &settings)?,
        hosts: build.hosts(spec, &fetch),
        secrets: build.secrets(spec),
        kinds: KindLabels::new().map_err(|_| Vec::new())?,
        has_read: spec.read.is_some(),
        allowed_servers: spec.allowed_servers.as_deref().map(names),
        believed_servers: match &spec.auto_allow_read_only {
            Some(yes) if yes.value => names(&spec.trusted_servers),
            _ => HashSet::new(),
        },
        default: spec.default.as_ref().map(|default| default.value),
        mode: spec.mode.as_ref().map(|mode| mode.value),
        is_managed: context.is_managed,
        is_trusted: context.is_trusted,
        first_entry,
        rules: build.rules,
    };
    let sections = [
        (Section::Shell, &shell),
        (Section::Read, &read),
        (Section::Write, &write),
        (Section::Fetch, &fetch),
        (Section::Capabilities, &capable),
        (Section::Tools, &tool_rules),
    ];
    let (mut problems, mut tried) = (build.problems, Vec::new());
    for (section, rules) in sections {
        problems.extend(lint::contradictions(rules));
        build.lints.extend(lint::useless(section, rules));
        if problems.is_empty() {
            tried.extend(examples::try_all(&compiled, section, rules));
        }
    }
    problems.extend(lint::too_broad(&tool_rules, spec));
    problems.extend(lint::too_broad(&fetch, spec));
    build.lints.extend(lint::read_by_programs(&shell, &read));
    let (dead, unused) = lint::unknown_tools(&tool_rules, spec);
    problems.extend(dead);
    build.lints.extend(unused);
    Ok(Assembled {
        compiled,
        problems,
        lints: build.lints,
        tried,
    })
}

fn names(names: &[Located<String>]) -> HashSet<Box<str>> {
    names
        .iter()
        .map(|name| name.value.as_str().into())
        .collect()
}

impl Context {
    fn paths<'a>(&self, spec: &PolicySpec, workspace: Option<&'a str>) -> PathSettings<'a> {
        let protected = spec.protected.as_ref();
        let fs = spec.fs.as_ref().map(|fs| fs.value);
        PathSettings {
            workspace,
            case_insensitive: fs == Some(FileSystemSpec::CaseInsensitive),
            protected: protected.map_or(ProtectedSpec::Builtin, |protected| protected.value),
            own_files: self.own_files.clone(),
            home: self.home.clone(),
        }
    }

    /// The workspace, from the root.
    fn workspace(&self, spec: &PolicySpec) -> Option<String> {
        let written = spec.workspace.as_ref().map(|written| &*written.value);
        match (written, &self.base) {
            (Some(written), _) if written.starts_with('/') => Some(written.to_owned()),
            (Some("."), Some(base)) => Some(base.clone()),
            (Some(written), Some(base)) => Some(format!("{base}/{written}")),
            (None, base) => base.clone(),
            (Some(_), None) => None,
        }
    }
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
        result
            .map_err(|problems| self.problems.extend(problems))
            .ok()
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
    fn configs<'a>(
        &mut self,
        entries: impl Iterator<Item = &'a ToolSpec>,
    ) -> Vec<(String, ToolConfig)> {
        let mut configs = Vec::new();
        for entry in entries {
            let capabilities = entry.capabilities.iter().filter_map(|capability| {
                let parsed = capability.value.parse();
                let problem =
                    |e: toolgate::CapabilityError| vec![(capability.place.clone(), e.to_string())];
                self.keep(parsed.map_err(problem))
            });
            let mut config =
                ToolConfig::undecided().with_capabilities(capabilities.collect::<Vec<_>>());
            let texts = |keys: &[Located<String>]| {
                keys.iter().map(|key| key.value.clone()).collect::<Vec<_>>()
            };
            if let Some(keys) = &entry.remember_by {
                config = config.remember_by(texts(keys));
            }
            config = config.exclude_keys(texts(&entry.exclude_keys));
            let one = ToolRules::new([(entry.name.value.clone(), config.clone())]);
            match one {
                Ok(_) => configs.push((entry.name.value.clone(), config)),
                Err(error) => self
                    .problems
                    .push((entry.name.place.clone(), error.to_string())),
            }
        }
        configs
    }

    fn tools(&mut self, rules: &[Numbered<'_>], spec: &PolicySpec) -> ToolPart {
        let mut part = ToolPart::default();
        for (number, outcome, rule) in rules {
            if *outcome == Outcome::Allow
                && let Some(why) = lint::matches_nothing(rule)
            {
                self.lints.push(why);
                continue;
            }
            let added = part.add(*number, *outcome, rule);
            self.keep(added);
        }
        if spec.registry.is_some() {
            part.know_all();
        }
        for name in spec.registry.iter().flatten() {
            if let Err(error) = part.know(&name.value) {
                self.problems
                    .push((name.place.clone(), error.why().to_owned()));
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

    fn shell(
        &mut self,
        spec: &PolicySpec,
        rules: &[Numbered<'_>],
        workspace: Option<&str>,
    ) -> Option<ShellRules> {
        let shell = spec.shell.as_ref()?;
        let all = spec
            .dangerous_allow_all
            .as_ref()
            .is_some_and(|all| all.value);
        let rules = rules.iter().copied();
        let compiled = ShellRules::compile(shell, rules, Programs::builtin(), workspace, all);
        let (shell, lints) = self.keep(compiled)?;
        let lints = lints
            .into_iter()
            .map(|lint| (lint.place, lint.kind.to_string()));
        self.lints.extend(lints);
        Some(shell)
    }

    /// The rules over paths are always there, because some files are protected without any.
    fn paths(
        &mut self,
        read: &[Numbered<'_>],
        write: &[Numbered<'_>],
        settings: &PathSettings<'_>,
    ) -> Result<PathRules, Problems> {
        match PathRules::compile(read, write, settings) {
            Ok((paths, lints)) => {
                self.lints.extend(lints);
                Ok(paths)
            }
            Err(problems) => {
                self.problems.extend(problems);
                Err(std::mem::take(&mut self.problems))
            }
        }
    }

    /// Where output may be redirected to: rules over writing that only redirections ask.
    fn output(
        &mut self,
        spec: &PolicySpec,
        settings: &PathSettings<'_>,
    ) -> Result<Option<PathRules>, Problems> {
        let listed = spec.shell.iter().flat_map(|shell| &shell.redirect_allow);
        let rules: Vec<RuleSpec> = listed.cloned().map(RuleSpec::new).collect();
        let number = RuleIndex(u32::MAX);
        let numbered: Vec<Numbered<'_>> = rules
            .iter()
            .map(|rule| (number, Outcome::Allow, rule))
            .collect();
        match numbered.is_empty() {
            true => Ok(None),
            false => self.paths(&[], &numbered, settings).map(Some),
        }
    }

    fn hosts(&mut self, spec: &PolicySpec, rules: &[Numbered<'_>]) -> Option<HostRules> {
        let compiled = HostRules::compile(spec.fetch.as_ref()?, rules);
        let (hosts, lints) = self.keep(compiled)?;
        self.lints.extend(lints);
        Some(hosts)
    }

    fn secrets(&mut self, spec: &PolicySpec) -> Option<Secrets> {
        let compiled = (!spec.secrets.is_empty()).then(|| Secrets::compile(&spec.secrets));
        self.keep(compiled?)
    }
}

/// The rule that the decision of `[tools.NAME]` amounts to.
fn decision(entry: &ToolSpec) -> Option<(Effect, RuleSpec)> {
    let decision = entry.decision.as_ref()?.value;
    let rule = RuleSpec {
        reason: entry.reason.clone(),
        ..RuleSpec::new(entry.name.clone())
    };
    Some((decision.into(), rule))
}
