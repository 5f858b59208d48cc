//! What became of the cases of a file.

use std::fmt;

use crate::Skip;

/// What became of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// Everything that it says was compared, and holds.
    Passed,
    /// What does not hold, or cannot be understood.
    Failed(Vec<String>),
    /// It was read, and is not compared.
    Skipped(Skip),
}

/// What became of the cases of a file, in the order of the file.
///
/// Displays each failure, each case that was skipped, and the counts on the last line.
#[derive(Clone, Debug, Default)]
pub struct Report {
    entries: Vec<(String, Finding)>,
}

impl Report {
    /// Takes down what became of a case.
    pub(crate) fn add(&mut self, id: String, finding: Finding) {
        self.entries.push((id, finding));
    }

    /// What became of each case, by id.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Finding)> {
        self.entries.iter().map(|(id, finding)| (&**id, finding))
    }

    /// How many cases hold.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.count(|finding| matches!(finding, Finding::Passed))
    }

    /// How many do not.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count(|finding| matches!(finding, Finding::Failed(_)))
    }

    /// How many were not compared.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.count(|finding| matches!(finding, Finding::Skipped(_)))
    }

    fn count(&self, is: impl Fn(&Finding) -> bool) -> usize {
        self.entries.iter().filter(|(_, f)| is(f)).count()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, finding) in self.entries() {
            if let Finding::Failed(why) = finding {
                writeln!(f, "failed {id}")?;
                why.iter().try_for_each(|line| writeln!(f, "    {line}"))?;
            }
        }
        for (id, finding) in self.entries() {
            if let Finding::Skipped(skip) = finding {
                writeln!(f, "skipped {id}: {skip}")?;
            }
        }
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed(),
            self.failed(),
            self.skipped()
        )
    }
}
