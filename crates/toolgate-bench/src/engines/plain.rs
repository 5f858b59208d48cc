//! Rules in a list, tried one after the other. Several editors do so.

use regex::Regex;

use super::{Decide, matches, strictest};
use crate::workload::{Call, Rule};

pub(super) fn strings(rules: &[Rule], calls: &[Call]) -> Decide {
    let (rules, calls) = (rules.to_vec(), calls.to_vec());
    Box::new(move |number| {
        let matching = rules.iter().filter(|rule| matches(rule, &calls[number]));
        strictest(matching.map(|rule| rule.effect))
    })
}

pub(super) fn regexes(rules: &[Rule], calls: &[Call]) -> Decide {
    let compile = |rule: &Rule| {
        (
            rule.kind,
            Regex::new(&super::sets::regex(rule)).unwrap(),
            rule.effect,
        )
    };
    let rules: Vec<_> = rules.iter().map(compile).collect();
    let calls = calls.to_vec();
    Box::new(move |number| {
        let call = &calls[number];
        let matching = rules.iter().filter(|(kind, regex, _)| {
            super::sets::subjects(call, *kind).any(|subject| regex.is_match(subject))
        });
        strictest(matching.map(|(_, _, effect)| *effect))
    })
}
