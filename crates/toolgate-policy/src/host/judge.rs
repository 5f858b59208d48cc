//! Judging one URL.

use smallvec::SmallVec;

use super::{
    HostRules,
    address::is_private,
    index::Entry,
    lenient::{self, Hosts},
    pattern::Host,
    strict::{self, Odd, Strict},
};
use crate::finding::{Findings, Outcome, RuleIndex, Scope};

/// What was found out about a URL.
#[derive(Debug)]
pub(super) struct Examined {
    pub(super) strict: Result<Strict, Odd>,
    /// Every host that some program may find.
    pub(super) hosts: Hosts,
    /// The rules that restrict, in order.
    pub(super) matches: SmallVec<[Entry; 2]>,
    pub(super) allowed: Option<RuleIndex>,
}

pub(super) fn judge(
    rules: &HostRules,
    url: &str,
    scope: &impl Scope,
    findings: &mut Findings,
) -> Examined {
    let strict = strict::read(url);
    let hosts = match &strict {
        Ok(strict) => lenient::meant(&strict.host),
        // Refused anyway, whatever is in it.
        Err(Odd::TooLong) => Hosts::new(),
        Err(_) => lenient::hosts(url),
    };
    let host = strict.as_ref().ok().map(|strict| &strict.host);
    let examined = Examined {
        matches: restricting(rules, &hosts, scope),
        allowed: host.and_then(|host| allowing(rules, host, scope)),
        hosts,
        strict,
    };
    report(rules, &examined, findings);
    examined
}

fn restricting(rules: &HostRules, hosts: &Hosts, scope: &impl Scope) -> SmallVec<[Entry; 2]> {
    let mut matches = SmallVec::new();
    for host in hosts {
        rules.restrict.lookup(host, |(outcome, rule)| {
            if scope.is_active(rule) && !rules.is_except(rule, host) {
                matches.push((outcome, rule));
            }
        });
    }
    // A rule over all hosts is also one over a URL that has none.
    rules.restrict.lookup_any(|(outcome, rule)| {
        if hosts.is_empty() && scope.is_active(rule) {
            matches.push((outcome, rule));
        }
    });
    matches.sort_unstable();
    matches.dedup();
    matches
}

/// The first rule that allows a host.
fn allowing(rules: &HostRules, host: &Host, scope: &impl Scope) -> Option<RuleIndex> {
    let mut first: Option<RuleIndex> = None;
    rules.allow.lookup(host, |(_, rule)| {
        let earlier = first.is_none_or(|first| rule < first);
        if earlier && scope.is_active(rule) && !rules.is_except(rule, host) {
            first = Some(rule);
        }
    });
    first
}

fn report(rules: &HostRules, examined: &Examined, findings: &mut Findings) {
    for &(outcome, rule) in &examined.matches {
        findings.rule(outcome, rule);
    }
    match &examined.strict {
        Ok(strict) => plain(rules, strict, findings),
        Err(odd) => {
            let outcome = match odd {
                Odd::TooLong => Outcome::Deny,
                _ => Outcome::Ask,
            };
            findings.builtin(outcome, odd.id(), odd.why());
        }
    }
    if !rules.dangerous_private && examined.hosts.iter().any(is_private) {
        findings.builtin(
            Outcome::Ask,
            "host.private",
            "the host is this machine, or in a network of its own",
        );
    }
    match examined.allowed {
        Some(rule) => findings.rule(Outcome::Allow, rule),
        None => findings.builtin(
            Outcome::Uncovered,
            "host.uncovered",
            "no rule allows the host",
        ),
    }
}

/// What a URL may be wrong about that can be read.
fn plain(rules: &HostRules, strict: &Strict, findings: &mut Findings) {
    if !rules.schemes.contains(&strict.scheme) {
        findings.builtin(
            Outcome::Ask,
            "host.scheme",
            "the policy does not name the scheme",
        );
    }
    if strict.port.is_some_and(|port| !rules.ports.contains(&port)) {
        findings.builtin(
            Outcome::Ask,
            "host.port",
            "the port is not the usual one, and the policy does not name it",
        );
    }
}
