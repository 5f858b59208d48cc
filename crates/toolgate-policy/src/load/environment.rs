//! A policy as it holds in one environment.

use std::collections::{HashMap, HashSet};

use super::{check, loosen, suggest};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, quoted},
    place::Located,
    spec::{FetchSpec, PathSpec, PolicySpec, RuleLists, RuleSpec, ShellSpec, ToolSpec, ToolsSpec},
};

impl PolicySpec {
    /// The policy as it holds in an environment, or outside of all of them.
    ///
    /// Settings of the section replace those of the base, rules and lists of names are added, and
    /// rules that are lifted or meant for other environments are left out.
    pub(crate) fn for_environment(&self, name: Option<&str>) -> Result<Self, Diagnostics> {
        let Some(name) = name else {
            return Ok(self.base(None, &[]));
        };
        let Some((_, section)) = self.env.iter().find(|(known, _)| known.value == name) else {
            return Err(Diagnostics::one(self.sources.clone(), self.unknown(name)));
        };
        let problems = problems(self, section);
        if problems.is_empty() {
            let mut spec = self.base(Some(name), &section.dangerous_lift);
            overlay(&mut spec, section);
            return Ok(spec);
        }
        let mut all = Diagnostics::new(self.sources.clone());
        for problem in problems {
            all.push(problem);
        }
        Err(all)
    }

    /// Whether there is a section for an environment.
    pub(crate) fn has_environment(&self, name: &str) -> bool {
        self.env.iter().any(|(known, _)| known.value == name)
    }

    /// The base without rules for other environments and without those that are lifted.
    fn base(&self, environment: Option<&str>, lifted: &[Located<String>]) -> Self {
        let lifted: HashSet<&str> = lifted.iter().map(|id| id.value.as_str()).collect();
        let here = |rule: &RuleSpec| {
            let mut named = rule.environments.iter();
            rule.environments.is_empty() || named.any(|name| Some(&*name.value) == environment)
        };
        let stays = |rule: &RuleSpec| {
            let id = rule.id.as_ref().map(|id| id.value.as_str());
            here(rule) && !id.is_some_and(|id| lifted.contains(id))
        };
        let mut spec = Self {
            env: Vec::new(),
            ..self.clone()
        };
        for lists in spec.sections_mut() {
            lists.allow.retain(stays);
            lists.ask.retain(stays);
            lists.deny.retain(stays);
        }
        spec
    }

    /// All sections with rules.
    pub(crate) fn sections_mut(&mut self) -> impl Iterator<Item = &mut RuleLists> {
        let shell = self.shell.as_mut().map(|section| &mut section.rules);
        let read = self.read.as_mut().map(|section| &mut section.rules);
        let write = self.write.as_mut().map(|section| &mut section.rules);
        let fetch = self.fetch.as_mut().map(|section| &mut section.rules);
        let tools = self.tools.as_mut().map(|section| &mut section.rules);
        let capabilities = self.capabilities.as_mut();
        [shell, read, write, fetch, capabilities, tools]
            .into_iter()
            .flatten()
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let names = self.env.iter().map(|(name, _)| name.value.as_str());
        let first = self.env.first().map(|(name, _)| name.place.clone());
        let place = first.unwrap_or_else(|| self.sources.start());
        let asked = Located::new(name.to_owned(), place);
        check::unknown_environment(&asked, names)
    }
}

/// Everything that is wrong with a section, given what it lies upon.
pub(super) fn problems(base: &PolicySpec, section: &PolicySpec) -> Vec<Diagnostic> {
    let mut problems = unknown_lifts(base, section);
    problems.extend(loosen::problems(base, section));
    problems
}

fn unknown_lifts(base: &PolicySpec, section: &PolicySpec) -> Vec<Diagnostic> {
    let ids = check::rules(base).filter_map(|rule| rule.id.as_ref());
    let known: HashSet<&str> = ids.map(|id| id.value.as_str()).collect();
    let unknown = |id: &&Located<String>| !known.contains(id.value.as_str());
    section
        .dangerous_lift
        .iter()
        .filter(unknown)
        .map(|id| {
            let message = format!("no rule of the policy has the id {}", quoted(&id.value));
            let problem = Diagnostic::error("unknown-id", id.place.clone(), message);
            match suggest::nearest(&id.value, known.iter().copied()) {
                Some(nearest) => problem.with_label(format!("did you mean {}?", quoted(nearest))),
                None => problem.with_help("give the rule an `id` to lift it by"),
            }
        })
        .collect()
}

/// Lays a section over a policy.
fn overlay(spec: &mut PolicySpec, over: &PolicySpec) {
    replace(&mut spec.default, over.default.as_ref());
    replace(&mut spec.mode, over.mode.as_ref());
    replace(&mut spec.deadline, over.deadline.as_ref());
    replace(&mut spec.protected, over.protected.as_ref());
    replace(&mut spec.allowed_servers, over.allowed_servers.as_ref());
    replace(
        &mut spec.auto_allow_read_only,
        over.auto_allow_read_only.as_ref(),
    );
    either(
        &mut spec.dangerous_default_allow,
        over.dangerous_default_allow.as_ref(),
    );
    either(
        &mut spec.dangerous_allow_all,
        over.dangerous_allow_all.as_ref(),
    );
    add(&mut spec.trusted_servers, &over.trusted_servers);
    add(&mut spec.secrets, &over.secrets);
    section(&mut spec.shell, over.shell.as_ref(), shell);
    section(&mut spec.read, over.read.as_ref(), paths);
    section(&mut spec.write, over.write.as_ref(), paths);
    section(&mut spec.fetch, over.fetch.as_ref(), fetch);
    section(&mut spec.capabilities, over.capabilities.as_ref(), rules);
    section(&mut spec.tools, over.tools.as_ref(), tools);
}

fn replace<T: Clone>(base: &mut Option<T>, over: Option<&T>) {
    if let Some(over) = over {
        *base = Some(over.clone());
    }
}

/// What the base already says is dangerous stays so: its rules still need it.
fn either(base: &mut Option<Located<bool>>, over: Option<&Located<bool>>) {
    if !base.as_ref().is_some_and(|flag| flag.value) {
        replace(base, over);
    }
}

fn add<T: Clone>(base: &mut Vec<T>, over: &[T]) {
    base.extend_from_slice(over);
}

fn section<T: Clone>(base: &mut Option<T>, over: Option<&T>, lay: impl FnOnce(&mut T, &T)) {
    match (base.as_mut(), over) {
        (Some(base), Some(over)) => lay(base, over),
        (None, Some(over)) => *base = Some(over.clone()),
        (_, None) => {}
    }
}

fn rules(base: &mut RuleLists, over: &RuleLists) {
    add(&mut base.allow, &over.allow);
    add(&mut base.ask, &over.ask);
    add(&mut base.deny, &over.deny);
}

fn shell(base: &mut ShellSpec, over: &ShellSpec) {
    rules(&mut base.rules, &over.rules);
    add(&mut base.env_allow, &over.env_allow);
    add(&mut base.transparent_wrappers, &over.transparent_wrappers);
    add(&mut base.redirect_allow, &over.redirect_allow);
    replace(&mut base.dialect, over.dialect.as_ref());
    replace(&mut base.workspace_only, over.workspace_only.as_ref());
    replace(&mut base.outside, over.outside.as_ref());
}

fn paths(base: &mut PathSpec, over: &PathSpec) {
    rules(&mut base.rules, &over.rules);
}

fn fetch(base: &mut FetchSpec, over: &FetchSpec) {
    rules(&mut base.rules, &over.rules);
    replace(&mut base.schemes, over.schemes.as_ref());
    replace(&mut base.ports, over.ports.as_ref());
    base.dangerous_private |= over.dangerous_private;
}

fn tools(base: &mut ToolsSpec, over: &ToolsSpec) {
    rules(&mut base.rules, &over.rules);
    let names = base.entries.iter().map(|tool| tool.name.value.clone());
    let known: HashMap<_, _> = names.enumerate().map(|(at, name)| (name, at)).collect();
    for tool in &over.entries {
        let same = known.get(&tool.name.value).copied();
        match same.and_then(|at| base.entries.get_mut(at)) {
            Some(known) => tool_over(known, tool),
            None => base.entries.push(tool.clone()),
        }
    }
}

fn tool_over(base: &mut ToolSpec, over: &ToolSpec) {
    replace(&mut base.decision, over.decision.as_ref());
    replace(&mut base.reason, over.reason.as_ref());
    replace(&mut base.kind, over.kind.as_ref());
    replace(&mut base.remember_by, over.remember_by.as_ref());
    add(&mut base.capabilities, &over.capabilities);
    add(&mut base.exclude_keys, &over.exclude_keys);
    add(&mut base.ignore_args, &over.ignore_args);
    for (role, argument) in &over.args {
        base.args.retain(|(known, _)| known.value != role.value);
        base.args.push((role.clone(), argument.clone()));
    }
}
