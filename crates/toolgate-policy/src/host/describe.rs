//! How a URL was judged, for whoever explains it.

use super::{HostRules, index::Entry, judge::Examined, pattern::Host};
use crate::finding::{Outcome, RuleIndex};

/// How alike two hosts have to be for one to be suggested for the other.
const ALIKE: f64 = 0.8;

/// How a URL was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostDescription {
    /// What every program finds, if there is such a thing.
    pub(crate) scheme: Option<String>,
    pub(crate) host: Option<String>,
    /// Unless it is the usual one.
    pub(crate) port: Option<u16>,
    /// Every host that some program may find.
    pub(crate) readings: Vec<String>,
    /// Every rule that matched.
    pub(crate) matches: Vec<Entry>,
    /// If no rule allows the host: the one that allows something like it.
    pub(crate) nearest: Option<RuleIndex>,
}

pub(super) fn describe(rules: &HostRules, examined: Examined) -> HostDescription {
    let mut matches = examined.matches.into_vec();
    matches.extend(examined.allowed.map(|rule| (Outcome::Allow, rule)));
    let mut readings: Vec<String> = examined.hosts.iter().map(shown).collect();
    readings.sort_unstable();
    readings.dedup();
    let strict = examined.strict.ok();
    let nearest = match examined.allowed {
        None => nearest(rules, &readings),
        Some(_) => None,
    };
    HostDescription {
        host: strict.as_ref().map(|strict| shown(&strict.host)),
        port: strict.as_ref().and_then(|strict| strict.port),
        scheme: strict.map(|strict| strict.scheme),
        readings,
        matches,
        nearest,
    }
}

fn shown(host: &Host) -> String {
    match host {
        Host::Name(name) => name.to_string(),
        Host::Address(address) => address.to_string(),
    }
}

fn nearest(rules: &HostRules, hosts: &[String]) -> Option<RuleIndex> {
    let alike = |pattern: &str| {
        let pattern = pattern.trim_start_matches("*.");
        hosts
            .iter()
            .map(|host| strsim::jaro_winkler(host, pattern))
            .fold(0.0, f64::max)
    };
    let all = rules
        .allowed
        .iter()
        .map(|(rule, text)| (alike(text), *rule));
    let best = all
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    best.map(|(_, rule)| rule)
}
