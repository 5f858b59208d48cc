//! Many patterns compiled into one matcher: one for tools, one for capabilities, one for paths.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use regex::{RegexSet, RegexSetBuilder};
use toolgate::Effect;

use super::{Decide, strictest};
use crate::workload::{Call, Kind, Rule};

const PARTS: [&[Kind]; 3] = [
    &[Kind::Tool, Kind::ToolGlob],
    &[Kind::Capability],
    &[Kind::Path],
];

/// What rules of a kind are compared with.
pub(super) fn subjects(call: &Call, kind: Kind) -> impl Iterator<Item = &str> {
    let tool = matches!(kind, Kind::Tool | Kind::ToolGlob).then_some(&*call.tool);
    let capabilities = (kind == Kind::Capability).then_some(&call.capabilities);
    let path = call.path().filter(|_| kind == Kind::Path);
    let capabilities = capabilities.into_iter().flatten().map(String::as_str);
    tool.into_iter().chain(capabilities).chain(path)
}

/// A pattern as a regex.
pub(super) fn regex(rule: &Rule) -> String {
    let escaped = regex::escape(&rule.pattern);
    let open = match rule.kind {
        Kind::Path => escaped
            .replace(r"\*\*/\*", "(?:.*/)?[^/]*")
            .replace(r"\*\*", ".+"),
        _ => escaped.replace(r"\*", ".*"),
    };
    format!("^{open}$")
}

/// The rules of one part, with what they say.
fn of<'r>(rules: &'r [Rule], kinds: &[Kind]) -> Vec<&'r Rule> {
    rules
        .iter()
        .filter(|rule| kinds.contains(&rule.kind))
        .collect()
}

fn effects(rules: &[&Rule]) -> Vec<Effect> {
    rules.iter().map(|rule| rule.effect).collect()
}

pub(super) fn regexes(rules: &[Rule], calls: &[Call]) -> Decide {
    let compile = |kinds: &[Kind]| -> (RegexSet, Vec<Effect>) {
        let rules = of(rules, kinds);
        let patterns = rules.iter().map(|rule| regex(rule));
        let mut builder = RegexSetBuilder::new(patterns);
        let set = builder.size_limit(1 << 30).dfa_size_limit(1 << 28).build();
        (set.unwrap(), effects(&rules))
    };
    let sets = PARTS.map(compile);
    let calls = calls.to_vec();
    Box::new(move |number| {
        let call = &calls[number];
        let parts = sets.iter().zip(PARTS);
        strictest(parts.flat_map(|((set, effects), kinds)| {
            let found = subjects(call, kinds[0]).flat_map(|subject| set.matches(subject));
            found.map(|rule| effects[rule])
        }))
    })
}

pub(super) fn globs(rules: &[Rule], calls: &[Call]) -> Decide {
    let compile = |kinds: &[Kind]| -> (GlobSet, Vec<Effect>) {
        let rules = of(rules, kinds);
        let mut builder = GlobSetBuilder::new();
        for rule in &rules {
            let glob = GlobBuilder::new(&rule.pattern)
                .literal_separator(true)
                .build();
            builder.add(glob.unwrap());
        }
        (builder.build().unwrap(), effects(&rules))
    };
    let sets = PARTS.map(compile);
    let calls = calls.to_vec();
    let mut found = Vec::new();
    Box::new(move |number| {
        let call = &calls[number];
        let mut strictest = None;
        for ((set, effects), kinds) in sets.iter().zip(PARTS) {
            for subject in subjects(call, kinds[0]) {
                set.matches_into(subject, &mut found);
                strictest = strictest.max(found.iter().map(|rule| effects[*rule]).max());
            }
        }
        strictest.unwrap_or(Effect::Ask)
    })
}
