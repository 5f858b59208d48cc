//! Rules that cannot mean what they say.

use std::collections::HashMap;

use super::build::{Numbered, Problems};
use crate::{
    Located,
    finding::Outcome,
    rules::Section,
    spec::{DefaultSpec, ModeSpec, PolicySpec, ProtectedSpec, RuleSpec},
};

/// Whether a rule holds for everybody, always and without exception.
fn is_unconditional(rule: &RuleSpec) -> bool {
    rule.when.is_empty()
        && rule.agents.is_empty()
        && rule.expires.is_none()
        && rule.except.is_empty()
}

/// Rules of one section that allow and deny exactly the same: the one that allows is dead.
pub(super) fn contradictions(rules: &[Numbered<'_>]) -> Problems {
    let plain = rules.iter().filter(|(_, _, rule)| is_unconditional(rule));
    let of = |wanted: Outcome| {
        let chosen = plain
            .clone()
            .filter(move |(_, outcome, _)| *outcome == wanted);
        chosen.map(|(_, _, rule)| *rule)
    };
    let denied: HashMap<&str, &RuleSpec> = of(Outcome::Deny)
        .map(|rule| (&*rule.pattern.value, rule))
        .collect();
    let both =
        of(Outcome::Allow).filter_map(|rule| Some((rule, *denied.get(&*rule.pattern.value)?)));
    both.map(|(allow, deny)| {
        let why = format!(
            "the same is denied at {}, so this never allows anything",
            deny.pattern.place
        );
        (allow.pattern.place.clone(), why)
    })
    .collect()
}

/// Rules that allow every tool or host there is, without saying that this is dangerous.
pub(super) fn too_broad(rules: &[Numbered<'_>], spec: &PolicySpec) -> Problems {
    if spec
        .dangerous_allow_all
        .as_ref()
        .is_some_and(|all| all.value)
    {
        return Vec::new();
    }
    let everything = |rule: &RuleSpec| rule.pattern.value == "*" && rule.when.is_empty();
    let rules = rules
        .iter()
        .filter(|(_, outcome, _)| *outcome == Outcome::Allow);
    rules
        .filter(|(_, _, rule)| everything(rule))
        .map(|(_, _, rule)| {
            let why = "`*` allows everything there is, which needs `dangerous_allow_all = true`";
            (rule.pattern.place.clone(), why.to_owned())
        })
        .collect()
}

/// Rules that name a tool which is not among those that there are: what denies or asks is meant to
/// protect and does not, so the policy is refused; what allows is only useless.
pub(super) fn unknown_tools(tools: &[Numbered<'_>], spec: &PolicySpec) -> (Problems, Problems) {
    let Some(registry) = &spec.registry else {
        return (Vec::new(), Vec::new());
    };
    let known = |name: &str| registry.iter().any(|tool| tool.value == name);
    let dead = tools.iter().filter(|(_, _, rule)| {
        let name = &*rule.pattern.value;
        !name.contains('*') && !name.starts_with("mcp:") && !known(name)
    });
    let said = dead.map(|(_, outcome, rule)| {
        let why = "there is no such tool in `registry`, so the rule never matches".to_owned();
        (*outcome, (rule.pattern.place.clone(), why))
    });
    let (allow, strict): (Vec<_>, Vec<_>) =
        said.partition(|(outcome, _)| *outcome == Outcome::Allow);
    let problems = |list: Vec<(Outcome, _)>| list.into_iter().map(|(_, problem)| problem).collect();
    (problems(strict), problems(allow))
}

/// Rules that change nothing: another one says the same, or something stricter of the same. The
/// part over command lines finds its own twins, because it knows what its patterns mean.
pub(super) fn useless(section: Section, rules: &[Numbered<'_>]) -> Problems {
    let mut found = Vec::new();
    let mut first: HashMap<(&str, Outcome), &RuleSpec> = HashMap::new();
    let plain = rules.iter().filter(|(_, _, rule)| is_unconditional(rule));
    for (_, outcome, rule) in plain.clone() {
        let key = (&*rule.pattern.value, *outcome);
        match first.get(&key) {
            Some(other) if section != Section::Shell => {
                let why = format!("{} says the same", other.pattern.place);
                found.push((rule.pattern.place.clone(), why));
            }
            Some(_) => {}
            None => drop(first.insert(key, rule)),
        }
    }
    for (_, outcome, rule) in plain {
        let stricter = match outcome {
            Outcome::Allow => Outcome::Ask,
            Outcome::Ask => Outcome::Deny,
            Outcome::Deny | Outcome::Uncovered => continue,
        };
        if let Some(other) = first.get(&(&*rule.pattern.value, stricter)) {
            let what = match stricter {
                Outcome::Deny => "denied",
                _ => "asked about",
            };
            let why = format!(
                "the same is {what} at {}, so this changes nothing",
                other.pattern.place
            );
            found.push((rule.pattern.place.clone(), why));
        }
    }
    found
}

/// Everything that a policy calls dangerous itself, so that whoever reviews it does not miss it.
pub(crate) fn dangers(spec: &PolicySpec) -> Problems {
    let mut found = Vec::new();
    let mut say = |place: &crate::Place, why: &str| found.push((place.clone(), why.to_owned()));
    let default = spec.default.as_ref();
    if let Some(default) = default.filter(|default| default.value == DefaultSpec::Allow) {
        say(
            &default.place,
            "what no rule speaks of runs without a question",
        );
    }
    if let Some(all) = spec.dangerous_allow_all.as_ref().filter(|all| all.value) {
        say(&all.place, "`*` may allow everything here");
    }
    match &spec.mode {
        Some(Located {
            value: ModeSpec::ApproveAll,
            place,
        }) => {
            say(place, "what would be asked about is approved");
        }
        Some(Located {
            value: ModeSpec::Yolo,
            place,
        }) => {
            say(place, "what no rule speaks of runs without a question");
        }
        _ => {}
    }
    if let Some(Located {
        value: ProtectedSpec::None,
        place,
    }) = &spec.protected
    {
        say(
            place,
            "no file is protected against writing but those that rules name",
        );
    }
    let fetch = spec.fetch.as_ref().filter(|fetch| fetch.dangerous_private);
    if let Some(place) = fetch.and_then(|fetch| fetch.rules.place.as_ref()) {
        say(place, "addresses of the local network can be allowed");
    }
    let shell = spec.shell.iter().flat_map(|shell| &shell.rules.allow);
    for rule in shell.filter(|rule| rule.dangerous_wildcard) {
        say(
            &rule.pattern.place,
            "`*` covers every option here, harmless or not",
        );
    }
    found
}
