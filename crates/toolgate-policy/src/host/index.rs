//! Patterns over hosts, found by name.

use std::{collections::HashMap, net::IpAddr};

use foldhash::fast::RandomState;

use super::pattern::{Host, HostPattern};
use crate::finding::{Outcome, RuleIndex};

/// A rule, and what it says.
pub(super) type Entry = (Outcome, RuleIndex);

type Map<K> = HashMap<K, Vec<Entry>, RandomState>;

/// Patterns, and the rules that they belong to.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    names: Map<Box<str>>,
    below: Map<Box<str>>,
    addresses: Map<IpAddr>,
    any: Vec<Entry>,
}

impl Index {
    pub(super) fn insert(&mut self, pattern: &HostPattern, entry: Entry) {
        let entries = match pattern {
            HostPattern::Exact(Host::Name(name)) => self.names.entry(name.clone()).or_default(),
            HostPattern::Exact(Host::Address(address)) => {
                self.addresses.entry(*address).or_default()
            }
            HostPattern::Below(suffix) => self.below.entry(suffix.clone()).or_default(),
            HostPattern::Any => &mut self.any,
        };
        entries.push(entry);
    }

    /// Calls `found` for every rule over all hosts.
    pub(super) fn lookup_any(&self, found: impl FnMut(Entry)) {
        self.any.iter().copied().for_each(found);
    }

    /// Calls `found` for every rule that matches.
    pub(super) fn lookup(&self, host: &Host, mut found: impl FnMut(Entry)) {
        self.any.iter().copied().for_each(&mut found);
        let mut all = |entries: Option<&Vec<Entry>>| {
            entries.into_iter().flatten().copied().for_each(&mut found);
        };
        match host {
            Host::Address(address) => all(self.addresses.get(address)),
            Host::Name(name) => {
                all(self.names.get(name));
                parents(name).for_each(|parent| all(self.below.get(parent)));
            }
        }
    }
}

/// `b.c` and `c` for `a.b.c`.
fn parents(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        (_, rest) = rest.split_once('.')?;
        Some(rest)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_what_a_list_finds(
            patterns in prop::collection::vec("(\\*\\.)?([ab]\\.){0,3}[ab]|\\*|10\\.0\\.0\\.[12]", 0..20),
            host in "([ab]\\.){0,4}[ab]|10\\.0\\.0\\.[12]",
        ) {
            let patterns: Vec<_> = patterns.iter().map(|text| HostPattern::parse(text).unwrap()).collect();
            let host = host.parse().map_or_else(|_| Host::Name(host.clone().into()), Host::Address);
            let mut index = Index::default();
            for (pattern, number) in patterns.iter().zip(0..) {
                index.insert(pattern, (Outcome::Deny, RuleIndex(number)));
            }
            let mut found = Vec::new();
            index.lookup(&host, |(_, rule)| found.push(rule.0));
            found.sort_unstable();
            let expected: Vec<u32> = patterns.iter().zip(0..).filter(|(pattern, _)| pattern.matches(&host)).map(|(_, n)| n).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
