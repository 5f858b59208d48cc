//! Stars inside a word.

use std::fmt;

/// A word with stars in it, each of which stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Glob {
    first: Box<str>,
    /// What has to be found in between, one after the other.
    middle: Vec<Box<str>>,
    last: Box<str>,
}

impl Glob {
    /// Reads a word. Without a star in it, it stands for words that begin with it.
    pub(super) fn new(word: &str) -> Self {
        let mut parts: Vec<Box<str>> = word.split('*').map(Box::from).collect();
        let last = if parts.len() > 1 { parts.pop() } else { None };
        let first = if parts.is_empty() {
            "".into()
        } else {
            parts.remove(0)
        };
        parts.retain(|part| !part.is_empty());
        Self {
            first,
            middle: parts,
            last: last.unwrap_or_default(),
        }
    }

    /// Whether a word is meant. Takes the first place that fits for each part, which is right as
    /// long as stars are all there is, and linear.
    pub(super) fn matches(&self, word: &str) -> bool {
        let inner = word
            .strip_prefix(&*self.first)
            .and_then(|rest| rest.strip_suffix(&*self.last));
        let Some(mut rest) = inner else { return false };
        self.middle
            .iter()
            .all(|part| match rest.split_once(&**part) {
                Some((_, behind)) => {
                    rest = behind;
                    true
                }
                None => false,
            })
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}*", self.first)?;
        self.middle
            .iter()
            .try_for_each(|part| write!(f, "{part}*"))?;
        f.write_str(&self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn stars_stand_for_anything() {
        for (glob, yes, no) in [
            ("describe-*", "describe-instances", "undescribe-x"),
            ("*-force", "--with-force", "--forced"),
            ("a*b*c", "axbbxc", "axcxb"),
            ("ab*ba", "abba", "aba"),
            ("*x*", "x", "y"),
        ] {
            assert!(Glob::new(glob).matches(yes), "{glob} {yes}");
            assert!(!Glob::new(glob).matches(no), "{glob} {no}");
        }
    }
}
