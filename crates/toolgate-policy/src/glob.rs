//! Text with stars in it, each of which stands for any run of characters.

use std::fmt;

/// A pattern over one word, name or value. A star stands for any run of characters, also for none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Glob {
    /// What the name begins with.
    pub(crate) prefix: Box<str>,
    /// What follows in this order, with anything between.
    middle: Box<[Box<str>]>,
    /// What the name ends with.
    pub(crate) suffix: Box<str>,
}

impl Glob {
    /// Reads a pattern; `None` if there is no star in it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (prefix, rest) = text.split_once('*')?;
        let (middle, suffix) = rest.rsplit_once('*').unwrap_or(("", rest));
        let middle = middle.split('*').filter(|part| !part.is_empty());
        Some(Self {
            prefix: prefix.into(),
            middle: middle.map(Box::from).collect(),
            suffix: suffix.into(),
        })
    }

    /// Whether every name matches.
    pub(crate) fn is_any(&self) -> bool {
        self.prefix.is_empty() && self.middle.is_empty() && self.suffix.is_empty()
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        let Some(rest) = name
            .strip_prefix(&*self.prefix)
            .and_then(|rest| rest.strip_suffix(&*self.suffix))
        else {
            return false;
        };
        // Taking each part as early as possible leaves the most for those that follow.
        let end = self.middle.iter().try_fold(rest, |rest, part| {
            rest.find(&**part)
                .and_then(|at| rest.get(at + part.len()..))
        });
        end.is_some()
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}*", self.prefix)?;
        self.middle
            .iter()
            .try_for_each(|part| write!(f, "{part}*"))?;
        f.write_str(&self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        Glob::parse(pattern).unwrap().matches(name)
    }

    #[test]
    fn is_anchored_at_both_ends() {
        assert!(
            matches("*.pem", ".pem") && matches("*.pem", "a.pem") && !matches("*.pem", "a.pemx")
        );
        assert!(matches("a*b*c", "a-b-b-c") && !matches("a*b*c", "acb"));
        assert!(!matches("aa*aa", "aaa"), "the two ends must not overlap");
        assert!(Glob::parse("*").unwrap().is_any() && !Glob::parse("*a*").unwrap().is_any());
        assert!(Glob::parse("plain").is_none());
        assert!(matches("ab*ba", "abba") && !matches("ab*ba", "aba"));
        assert!(matches("*x*", "x") && !matches("*x*", "y"));
    }

    #[test]
    fn many_stars_take_no_time() {
        let glob = Glob::parse(&"*a".repeat(1_000)).unwrap();
        assert!(!glob.matches(&format!("{}b", "a".repeat(100_000))));
        assert!(glob.matches(&"a".repeat(100_000)));
    }
}
