//! Other engines, each given the same rules and calls, and each as it is meant to be used.

mod casbin;
mod cedar;
mod plain;
mod regorus;
mod sets;

use toolgate::Effect;

use crate::workload::{Call, Kind, Rule};

/// Decides on one of the calls that it was made for, by its number.
pub(crate) type Decide = Box<dyn FnMut(usize) -> Effect>;

/// An engine by its name, made of rules; what it needs of the calls is prepared.
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    pub(crate) build: fn(&[Rule], &[Call]) -> Decide,
    /// How many rules it is given at most. What takes seconds for one decision says no more.
    pub(crate) most: usize,
}

pub(crate) const ENGINES: [Engine; 7] = [
    engine("RegexSet", sets::regexes, 10_000),
    engine("globset", sets::globs, 10_000),
    engine("list of string tests", plain::strings, 10_000),
    engine("list of regexes", plain::regexes, 1_000),
    engine("regorus", regorus::build, 10_000),
    engine("cedar-policy", cedar::build, 10_000),
    engine("casbin", casbin::build, 10_000),
];

const fn engine(name: &'static str, build: fn(&[Rule], &[Call]) -> Decide, most: usize) -> Engine {
    Engine { name, build, most }
}

/// The strictest of what matched; somebody is asked about what nothing did.
fn strictest(matched: impl Iterator<Item = Effect>) -> Effect {
    matched.max().unwrap_or(Effect::Ask)
}

/// The two ends of a pattern, around its star or stars.
fn ends(rule: &Rule) -> (&str, &str) {
    let pattern = &*rule.pattern;
    match (pattern.find('*'), pattern.rfind('*')) {
        (Some(first), Some(last)) => (&pattern[..first], &pattern[last + 1..]),
        _ => (pattern, ""),
    }
}

/// Whether a rule matches a call, by tests of strings.
fn matches(rule: &Rule, call: &Call) -> bool {
    let (start, end) = ends(rule);
    let fits = |text: &str| text.starts_with(start) && text.ends_with(end);
    match rule.kind {
        Kind::Tool => call.tool == rule.pattern,
        Kind::ToolGlob => fits(&call.tool) && call.tool.len() >= start.len() + end.len(),
        Kind::Capability => call.capabilities.contains(&rule.pattern),
        Kind::Path => call.path().is_some_and(fits),
        Kind::Shell | Kind::Host => false,
    }
}
