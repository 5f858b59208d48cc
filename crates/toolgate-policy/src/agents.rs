//! Which agents a rule is about.

use toolgate::AgentPath;

/// A pattern over agent paths: names with `/` between them, `*` for one name, `**` for any number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentPattern(Box<[Step]>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Name(Box<str>),
    One,
    Any,
}

impl AgentPattern {
    /// Reads a pattern.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        if text.is_empty() {
            return Err("a pattern of agents must not be empty");
        }
        let steps = text.split('/').map(|part| match part {
            "" => Err("a name between two `/` is missing"),
            "*" => Ok(Step::One),
            "**" => Ok(Step::Any),
            part if part.contains('*') => Err("`*` stands for a whole name, `**` for any number"),
            part => Ok(Step::Name(part.into())),
        });
        steps.collect::<Result<_, _>>().map(Self)
    }

    /// Whether exactly this agent is meant.
    pub(crate) fn matches(&self, path: &AgentPath) -> bool {
        self.ends(path).last() == Some(&true)
    }

    /// Whether this agent is meant, or one that it works for.
    pub(crate) fn covers(&self, path: &AgentPath) -> bool {
        self.ends(path).contains(&true)
    }

    /// For each number of names from the root, whether the pattern matches so many.
    fn ends(&self, path: &AgentPath) -> Vec<bool> {
        let names: Vec<&str> = path.parts().collect();
        let mut ends = vec![false; names.len() + 1];
        ends.iter_mut().take(1).for_each(|start| *start = true);
        for step in &self.0 {
            ends = step.advance(&names, &ends);
        }
        ends
    }
}

impl Step {
    fn advance(&self, names: &[&str], starts: &[bool]) -> Vec<bool> {
        let mut reached = false;
        let one_further = |name: Option<&Box<str>>| {
            let fits = names.iter().map(|n| name.is_none_or(|name| **name == **n));
            let moved = starts.iter().zip(fits).map(|(start, fits)| *start && fits);
            std::iter::once(false).chain(moved).collect()
        };
        match self {
            Self::Name(name) => one_further(Some(name)),
            Self::One => one_further(None),
            Self::Any => starts
                .iter()
                .map(|start| {
                    reached |= start;
                    reached
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(names: &[&str]) -> AgentPath {
        names
            .iter()
            .fold(AgentPath::default(), |path, name| path.join(name))
    }

    #[test]
    fn names_are_compared_one_by_one() {
        let pattern = AgentPattern::parse("root/*/coder").unwrap();
        assert!(pattern.matches(&path(&["root", "a", "coder"])));
        assert!(!pattern.matches(&path(&["root", "coder"])));
        assert!(!pattern.matches(&path(&["root", "a", "coder", "x"])));
        assert!(pattern.covers(&path(&["root", "a", "coder", "x"])));
        assert!(!pattern.covers(&path(&["root", "a"])));
        // A name with a slash in it is one name.
        assert!(!AgentPattern::parse("a/b").unwrap().matches(&path(&["a/b"])));
    }

    #[test]
    fn two_stars_stand_for_any_number() {
        let pattern = AgentPattern::parse("root/**").unwrap();
        for names in [&["root"][..], &["root", "a"], &["root", "a", "b"]] {
            assert!(pattern.matches(&path(names)), "{names:?}");
        }
        assert!(!pattern.matches(&path(&["other"])));
        let ends = AgentPattern::parse("**/x").unwrap();
        assert!(ends.matches(&path(&["x"])) && ends.matches(&path(&["a", "b", "x"])));
        assert!(!ends.matches(&path(&["x", "a"])));
    }

    #[test]
    fn what_means_nothing_is_refused() {
        for text in ["", "/", "a//b", "a/", "a*", "root/re*"] {
            assert!(AgentPattern::parse(text).is_err(), "accepted {text:?}");
        }
    }
}
