//! Rules that are allowed and hardly what was meant.

use std::fmt;

use foldhash::HashMap;

use crate::{
    Place,
    finding::{Outcome, RuleIndex},
    spec::RuleSpec,
};

use super::pattern::Pattern;

/// A rule that is hardly what was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lint {
    pub(crate) rule: RuleIndex,
    pub(crate) place: Place,
    pub(crate) kind: LintKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LintKind {
    WildcardWithoutTable,
    WildcardOnInterpreter,
    WildcardOnWrapper,
    /// The table covers nothing behind these words.
    WildcardInVain,
    /// Everything that the rule allows is denied by the other.
    Shadowed(RuleIndex),
    /// The other says the same.
    Duplicate(RuleIndex),
}

impl fmt::Display for LintKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WildcardWithoutTable => {
                "the options of this program are not known, so `*` covers nothing; with `dangerous_wildcard = true` it covers all"
            }
            Self::WildcardOnInterpreter => "this program runs any code that it is given, so `*` covers nothing",
            Self::WildcardOnWrapper => "this program runs other programs, so `*` covers nothing",
            Self::WildcardInVain => {
                "nothing that could follow is known to be harmless, so `*` covers nothing"
            }
            Self::Shadowed(_) => "a deny rule covers everything that this rule allows",
            Self::Duplicate(_) => "another rule says the same",
        })
    }
}

/// What was noticed, and what is needed to notice it.
#[derive(Debug, Default)]
pub(super) struct Lints {
    found: Vec<Lint>,
    same: HashMap<String, RuleIndex>,
    allows: Vec<(RuleIndex, String, Place)>,
    /// Deny rules that are in force for everybody, always.
    denies: HashMap<String, RuleIndex>,
}

impl Lints {
    pub(super) fn push(&mut self, lint: Lint) {
        self.found.push(lint);
    }

    pub(super) fn duplicate(&mut self, rule: RuleIndex, outcome: Outcome, spec: &RuleSpec) {
        let key = key(outcome, &spec.pattern.value, spec);
        let first = *self.same.entry(key).or_insert(rule);
        if first != rule {
            self.push(Lint {
                rule,
                place: spec.pattern.place.clone(),
                kind: LintKind::Duplicate(first),
            });
        }
    }

    pub(super) fn allow(&mut self, rule: RuleIndex, words: &[&str], open: bool, place: &Place) {
        let star = if open { " *" } else { "" };
        self.allows
            .push((rule, words.join(" ") + star, place.clone()));
    }

    pub(super) fn refuse(
        &mut self,
        rule: RuleIndex,
        outcome: Outcome,
        pattern: &Pattern,
        always: bool,
    ) {
        let words: Option<Vec<&str>> = pattern.pieces.iter().map(|piece| piece.word()).collect();
        if let (Outcome::Deny, true, Some(words)) = (outcome, always, words) {
            let star = if pattern.open { " *" } else { "" };
            self.denies.entry(words.join(" ") + star).or_insert(rule);
        }
    }

    /// Everything that was noticed.
    pub(super) fn finish(mut self) -> Vec<Lint> {
        for (rule, text, place) in std::mem::take(&mut self.allows) {
            if let Some(deny) = self.shadow(&text) {
                self.push(Lint {
                    rule,
                    place,
                    kind: LintKind::Shadowed(deny),
                });
            }
        }
        self.found
    }

    /// A deny rule with the same words, or with a `*` behind some of them.
    fn shadow(&self, text: &str) -> Option<RuleIndex> {
        let mut known = text.strip_suffix(" *").unwrap_or(text);
        let own = self.denies.get(text).copied();
        own.or_else(|| {
            loop {
                if let Some(rule) = self.denies.get(&format!("{known} *")) {
                    return Some(*rule);
                }
                known = known.rsplit_once(' ')?.0;
            }
        })
    }
}

/// Everything that tells one rule from another, in one text.
fn key(outcome: Outcome, pattern: &str, spec: &RuleSpec) -> String {
    let mut key = format!("{} ", outcome as u8);
    for word in pattern.split(' ').filter(|word| !word.is_empty()) {
        key.push_str(word);
        key.push(' ');
    }
    for list in [&spec.agents, &spec.environments, &spec.except] {
        key.push('\n');
        for item in list {
            key.extend([&*item.value, "\t"]);
        }
    }
    if let Some(expires) = &spec.expires {
        key.push_str(&expires.value.to_string());
    }
    key
}
