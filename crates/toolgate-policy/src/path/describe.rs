//! How a path was judged, for whoever explains it.

use super::{Access, PathRules, index::Entry, judge::Examined, lexical};
use crate::finding::{Outcome, RuleIndex};

/// Which form of a path a rule matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reading {
    /// What it says.
    Lexical,
    /// Where it leads.
    Resolved,
    /// What some program may take it for.
    Other,
}

/// A rule that matched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathMatch {
    pub(crate) rule: RuleIndex,
    pub(crate) outcome: Outcome,
    pub(crate) on: Reading,
}

/// How a path was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PathDescription {
    /// The path with `.` and `..` taken out.
    pub(crate) lexical: String,
    /// Where it leads, if that could be found out.
    pub(crate) resolved: Option<String>,
    /// What else it may be read as.
    pub(crate) readings: Vec<String>,
    /// Every rule that matched.
    pub(crate) matches: Vec<PathMatch>,
    /// If no rule allows the path: the one that allows something closest to it.
    pub(crate) nearest: Option<RuleIndex>,
}

pub(super) fn describe(rules: &PathRules, access: Access, examined: Examined) -> PathDescription {
    let mut matches: Vec<PathMatch> = examined
        .matches
        .iter()
        .filter_map(|&(entry, on)| match entry {
            Entry::Rule(outcome, rule) => Some(PathMatch { rule, outcome, on }),
            Entry::Protected(_) | Entry::Own => None,
        })
        .collect();
    let allow = |rule, on| PathMatch {
        rule,
        outcome: Outcome::Allow,
        on,
    };
    if let Some((lexical, resolved)) = examined.allowed {
        matches.push(allow(lexical, Reading::Lexical));
        if resolved != lexical {
            matches.push(allow(resolved, Reading::Resolved));
        }
    }
    PathDescription {
        nearest: nearest(rules, access, &examined),
        lexical: lexical::shown(&examined.lexical).to_owned(),
        resolved: examined
            .resolved_path()
            .map(|path| lexical::shown(path).to_owned()),
        readings: examined.readings.into_vec(),
        matches,
    }
}

/// The rule that allows something closest to what is not allowed.
fn nearest(rules: &PathRules, access: Access, examined: &Examined) -> Option<RuleIndex> {
    if examined.allowed.is_some() {
        return None;
    }
    let path = rules.spelled(examined.resolved_path().unwrap_or(&examined.lexical));
    match rules.lists(access).allow.nearest(&path)? {
        (Entry::Rule(_, rule), 1..) => Some(rule),
        _ => None,
    }
}
