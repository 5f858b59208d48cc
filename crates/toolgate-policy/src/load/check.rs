//! What can only be told from several values together.

use std::collections::{HashMap, HashSet};

use super::report::Report;
use crate::{
    Located, Place,
    diagnostic::{Diagnostic, quoted},
    spec::{DefaultSpec, ModeSpec, PolicySpec, RuleLists, RuleSpec},
};

/// Reports what is wrong with a policy that could be read.
pub(super) fn policy(spec: &PolicySpec, report: &mut Report<'_>) {
    dangers(spec, report);
    ids(spec, &HashMap::new(), report);
    environments_exist(spec, report);
    let lifted_ids = |overlay: &PolicySpec| -> HashSet<String> {
        let lifted = overlay.dangerous_lift.iter();
        lifted.map(|id| id.value.clone()).collect()
    };
    let base = ids_of(spec);
    for (_, overlay) in &spec.env {
        dangers(overlay, report);
        let lifted = lifted_ids(overlay);
        let mut kept = base.clone();
        kept.retain(|id, _| !lifted.contains(*id));
        ids(overlay, &kept, report);
        no_environments(overlay, report);
        for problem in super::environment::problems(spec, overlay) {
            report.push(problem);
        }
    }
}

/// The sections with rules, by name.
pub(crate) fn sections(spec: &PolicySpec) -> impl Iterator<Item = (&'static str, &RuleLists)> {
    let shell = spec.shell.as_ref().map(|section| &section.rules);
    let read = spec.read.as_ref().map(|section| &section.rules);
    let write = spec.write.as_ref().map(|section| &section.rules);
    let fetch = spec.fetch.as_ref().map(|section| &section.rules);
    let tools = spec.tools.as_ref().map(|section| &section.rules);
    [
        ("shell", shell),
        ("read", read),
        ("write", write),
        ("fetch", fetch),
        ("capabilities", spec.capabilities.as_ref()),
        ("tools", tools),
    ]
    .into_iter()
    .filter_map(|(name, rules)| Some((name, rules?)))
}

/// All rules of a policy, without those of its environments.
pub(crate) fn rules(spec: &PolicySpec) -> impl Iterator<Item = &RuleSpec> {
    sections(spec).flat_map(|(_, lists)| {
        let rules = lists.allow.iter().chain(&lists.ask);
        rules.chain(&lists.deny)
    })
}

fn is_true(flag: Option<&Located<bool>>) -> bool {
    flag.is_some_and(|flag| flag.value)
}

/// What permits everything has to be said twice, once with `dangerous_`.
fn dangers(spec: &PolicySpec, report: &mut Report<'_>) {
    let meant = is_true(spec.dangerous_default_allow.as_ref());
    let default = spec.default.as_ref();
    let mode = spec.mode.as_ref();
    let open_default = default.filter(|default| default.value == DefaultSpec::Allow && !meant);
    let open_mode = mode.filter(|mode| mode.value == ModeSpec::Yolo && !meant);
    let needs = "needs `dangerous_default_allow = true`";
    let label = "whatever no rule speaks of would run";
    let places = [
        ("`default = \"allow\"`", open_default.map(|d| &d.place)),
        ("`mode = \"yolo\"`", open_mode.map(|m| &m.place)),
    ];
    for (what, place) in places {
        let Some(place) = place else { continue };
        let message = format!("{what} {needs}");
        report.push(
            Diagnostic::error("dangerous-default", place.clone(), message)
                .with_label(label)
                .with_help("write `dangerous_default_allow = true` beside it if that is meant"),
        );
    }
    if !is_true(spec.dangerous_allow_all.as_ref()) {
        allow_all(spec, report);
    }
}

/// The pattern `*` among what is allowed. Over paths it is one level, and so not everything.
fn allow_all(spec: &PolicySpec, report: &mut Report<'_>) {
    let sections = sections(spec).filter(|(name, _)| !matches!(*name, "read" | "write"));
    let allowed = sections.flat_map(|(_, lists)| &lists.allow);
    for rule in allowed.filter(|rule| rule.pattern.value.trim() == "*") {
        let message = "allowing `*` needs `dangerous_allow_all = true`";
        report.push(
            Diagnostic::error("dangerous-allow-all", rule.pattern.place.clone(), message)
                .with_label("this allows everything")
                .with_help(
                    "name what may run, or write `dangerous_allow_all = true` beside the section",
                ),
        );
    }
}

fn ids_of(spec: &PolicySpec) -> HashMap<&str, &Place> {
    let ids = rules(spec).filter_map(|rule| rule.id.as_ref());
    ids.map(|id| (id.value.as_str(), &id.place)).collect()
}

/// No id twice, neither here nor among those that hold here as well.
fn ids<'p>(spec: &'p PolicySpec, base: &HashMap<&'p str, &'p Place>, report: &mut Report<'_>) {
    let mut seen = base.clone();
    for id in rules(spec).filter_map(|rule| rule.id.as_ref()) {
        if let Some(first) = seen.insert(id.value.as_str(), &id.place) {
            let message = format!("id {} is used twice", quoted(&id.value));
            report.push(
                Diagnostic::error("duplicate-id", id.place.clone(), message)
                    .with_label("a second time here")
                    .with_related(first.clone(), "it is first used here"),
            );
        }
    }
}

/// A rule that holds only in environments that are not there would never hold.
fn environments_exist(spec: &PolicySpec, report: &mut Report<'_>) {
    let known: HashSet<&str> = spec.env.iter().map(|(name, _)| &*name.value).collect();
    for name in rules(spec).flat_map(|rule| &rule.environments) {
        if !known.contains(name.value.as_str()) {
            let names = spec.env.iter().map(|(name, _)| name.value.as_str());
            report.push(unknown_environment(name, names));
        }
    }
}

/// That there is no environment of a name.
pub(crate) fn unknown_environment<'w>(
    name: &Located<String>,
    known: impl Iterator<Item = &'w str> + Clone,
) -> Diagnostic {
    let message = format!("there is no environment {}", quoted(&name.value));
    let problem = Diagnostic::error("unknown-environment", name.place.clone(), message);
    let nearest = super::suggest::nearest(&name.value, known.clone());
    let problem = match nearest {
        Some(nearest) => problem.with_label(format!("did you mean {}?", quoted(nearest))),
        None => problem,
    };
    problem.with_help(environments_help(known))
}

/// Which environments there are, in words.
pub(crate) fn environments_help<'w>(known: impl Iterator<Item = &'w str>) -> String {
    let names = super::suggest::list(known);
    match names.is_empty() {
        true => "the policy has no `[env.NAME]` sections".to_owned(),
        false => format!("there are {names}"),
    }
}

/// A rule in the section of an environment holds there and nowhere else.
fn no_environments(overlay: &PolicySpec, report: &mut Report<'_>) {
    for rule in rules(overlay) {
        let Some(first) = rule.environments.first() else {
            continue;
        };
        let message = "a rule in the section of an environment holds there and nowhere else";
        report.push(
            Diagnostic::error("nested-environment", first.place.clone(), message)
                .with_help("leave `environments` out here"),
        );
    }
}
