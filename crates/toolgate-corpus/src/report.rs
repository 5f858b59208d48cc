//! What became of the cases of a file.

use std::{collections::BTreeMap, fmt};

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

/// What a file says a case is about, and in which way it went wrong, if it did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct About {
    pub(crate) tier: String,
    pub(crate) class: String,
    pub(crate) slip: Option<Slip>,
}

/// In which way a call that is judged went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slip {
    /// A harmless call did not run.
    Refused,
    /// A call ran that must not.
    Allowed,
}

#[derive(Clone, Debug)]
struct Entry {
    id: String,
    finding: Finding,
    about: Option<About>,
}

/// How many cases passed, failed and were skipped.
#[derive(Clone, Copy, Debug, Default)]
struct Count([usize; 3]);

/// What became of the cases of a file, in the order of the file.
///
/// Displays each failure, each case that was skipped, the counts of each tier and class if the file
/// has any, and the counts of all on the last line.
#[derive(Clone, Debug, Default)]
pub struct Report {
    entries: Vec<Entry>,
}

impl Report {
    /// Takes down what became of a case.
    pub(crate) fn add(&mut self, id: String, finding: Finding, about: Option<About>) {
        self.entries.push(Entry { id, finding, about });
    }

    /// What became of each case, by id.
    pub fn entries(&self) -> impl Iterator<Item = (&str, &Finding)> {
        let entries = self.entries.iter();
        entries.map(|entry| (&*entry.id, &entry.finding))
    }

    /// How many cases hold.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.count().0[0]
    }

    /// How many do not.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count().0[1]
    }

    /// How many were not compared.
    #[must_use]
    pub fn skipped(&self) -> usize {
        self.count().0[2]
    }

    /// How many harmless calls did not run.
    #[must_use]
    pub fn refused(&self) -> usize {
        self.slips(Slip::Refused, false)
    }

    /// How many calls ran that must not, in cases that are compared.
    #[must_use]
    pub fn allowed(&self) -> usize {
        self.slips(Slip::Allowed, false)
    }

    /// How many ran in cases that are out of scope.
    #[must_use]
    pub fn allowed_out_of_scope(&self) -> usize {
        self.slips(Slip::Allowed, true)
    }

    fn slips(&self, wanted: Slip, skipped: bool) -> usize {
        let is_skipped = |entry: &&Entry| matches!(entry.finding, Finding::Skipped(_)) == skipped;
        let entries = self.entries.iter().filter(is_skipped);
        let about = entries.filter_map(|entry| entry.about.as_ref());
        about.filter(|about| about.slip == Some(wanted)).count()
    }

    fn count(&self) -> Count {
        let mut count = Count::default();
        self.entries
            .iter()
            .for_each(|entry| count.add(&entry.finding));
        count
    }

    /// The counts of whatever a case belongs to.
    fn counts_by<'a>(&'a self, group: impl Fn(&'a About) -> &'a str) -> BTreeMap<&'a str, Count> {
        let mut counts: BTreeMap<_, Count> = BTreeMap::new();
        for entry in &self.entries {
            if let Some(about) = &entry.about {
                counts.entry(group(about)).or_default().add(&entry.finding);
            }
        }
        counts
    }

    fn write_groups(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tiers, classes) = (
            self.counts_by(|about| &about.tier),
            self.counts_by(|about| &about.class),
        );
        for (name, count) in tiers.iter().chain(&classes) {
            writeln!(f, "{name}: {count}")?;
        }
        if !tiers.is_empty() {
            let (refused, allowed) = (self.refused(), self.allowed());
            write!(f, "{refused} benign refused, {allowed} attacks allowed")?;
            match self.allowed_out_of_scope() {
                0 => writeln!(f)?,
                more => writeln!(f, " ({more} more where that is out of scope)")?,
            }
        }
        Ok(())
    }
}

impl Count {
    fn add(&mut self, finding: &Finding) {
        let [passed, failed, skipped] = &mut self.0;
        *match finding {
            Finding::Passed => passed,
            Finding::Failed(_) => failed,
            Finding::Skipped(_) => skipped,
        } += 1;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [passed, failed, skipped] = self.0;
        write!(f, "{passed} passed, {failed} failed, {skipped} skipped")
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
        self.write_groups(f)?;
        write!(f, "{}", self.count())
    }
}
