//! Anchored patterns over names, and an index that finds those that match.

mod index;
mod tool;
mod tools;

use std::fmt;

pub(crate) use self::index::NameIndex;
use self::tool::ToolPattern;
pub use self::tools::ToolPatterns;

/// An anchored pattern over a name, in which `*` stands for any run of characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Glob {
    /// What stands between the stars. One part: no star at all.
    parts: Box<[Box<str>]>,
}

impl Glob {
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        let odd = |c: char| c.is_control() || c.is_whitespace() || "?[]{}\\".contains(c);
        if text.is_empty() {
            return Err(PatternError::new(text, "a pattern must not be empty"));
        }
        if text.chars().any(odd) {
            return Err(PatternError::new(
                text,
                "only `*` is special; `?`, brackets, backslashes and spaces are not allowed",
            ));
        }
        if text.contains("**") {
            return Err(PatternError::new(text, "`**` says no more than `*` here"));
        }
        Ok(Self {
            parts: text.split('*').map(Box::from).collect(),
        })
    }

    /// The whole name, if the pattern has no star.
    pub(crate) fn literal(&self) -> Option<&str> {
        match &*self.parts {
            [whole] => Some(whole),
            _ => None,
        }
    }

    /// What the name has to start with, if the pattern has a star.
    fn prefix(&self) -> &str {
        self.parts.first().map_or("", |part| part)
    }

    /// What the name has to end with, if the pattern has a star.
    fn suffix(&self) -> &str {
        self.parts.last().map_or("", |part| part)
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let [first, middle @ .., last] = &*self.parts else {
            return self.literal() == Some(name);
        };
        let Some(rest) = name
            .strip_prefix(&**first)
            .and_then(|rest| rest.strip_suffix(&**last))
        else {
            return false;
        };
        // Taking each part as early as possible leaves the most for those that follow.
        let found = middle.iter().try_fold(rest, |rest, part| {
            rest.find(&**part)
                .and_then(|at| rest.get(at + part.len()..))
        });
        found.is_some()
    }
}

/// A pattern that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    text: Box<str>,
    why: &'static str,
}

impl PatternError {
    pub(crate) fn new(text: &str, why: &'static str) -> Self {
        Self {
            text: text.into(),
            why,
        }
    }

    /// What is wrong with it, without the pattern.
    #[must_use]
    pub fn why(&self) -> &'static str {
        self.why
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "invalid pattern `{}`: {}",
            self.text.escape_debug(),
            self.why
        )
    }
}

impl std::error::Error for PatternError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        Glob::parse(pattern).unwrap().matches(name)
    }

    #[test]
    fn is_anchored_at_both_ends() {
        assert!(matches("rm", "rm") && !matches("rm", "rmdir") && !matches("rm", "xrm"));
        assert!(matches("rm*", "rmdir") && matches("rm*", "rm") && !matches("rm*", "xrm"));
        assert!(matches("*rm", "xrm") && !matches("*rm", "rmx"));
        assert!(matches("*rm*", "xrmx") && !matches("*rm*", "rxm"));
        assert!(matches("a*b*c", "a-b-b-c") && !matches("a*b*c", "acb"));
        assert!(!matches("aa*aa", "aaa"), "the two ends must not overlap");
        assert!(!matches("rm", "RM"));
    }

    #[test]
    fn what_could_be_misread_is_refused() {
        for pattern in ["", "a b", "a?", "[ab]", "{a,b}", "a\\*", "a\n", "a**"] {
            assert!(Glob::parse(pattern).is_err(), "accepted {pattern:?}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = Glob::parse(&"*a".repeat(1_000)).unwrap();
        assert!(!pattern.matches(&format!("{}b", "a".repeat(100_000))));
        assert!(pattern.matches(&"a".repeat(100_000)));
    }
}
