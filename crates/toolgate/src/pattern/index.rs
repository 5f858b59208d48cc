//! Finds the patterns that match a name without trying them all.

use super::{Glob, trie::Trie};

/// Finds the patterns that match a name.
///
/// One walk along the name finds those without a star and those that begin with something; one walk
/// back from its end, if there is any of them, those that only end with something. Only a pattern
/// with a star at both ends is tried on every name.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameIndex {
    forwards: Trie<Entry>,
    /// By what stands behind the star, backwards.
    backwards: Option<Trie<Entry>>,
    others: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    needs: Needs,
    index: usize,
}

/// What a pattern wants of a name, beside the part by which it was found.
#[derive(Clone, Debug)]
enum Needs {
    /// That nothing remains of it.
    End,
    Nothing,
    Match(Glob),
}

impl NameIndex {
    /// Adds a pattern; `index` is what [`NameIndex::find`] will report.
    pub(crate) fn add(&mut self, glob: Glob, index: usize) {
        let (entries, needs) = if let Some(name) = glob.literal() {
            (self.forwards.entry(name.as_bytes()), Needs::End)
        } else if let Some(prefix) = glob.only_prefix() {
            (self.forwards.entry(prefix.as_bytes()), Needs::Nothing)
        } else if !glob.prefix().is_empty() {
            let entries = self.forwards.entry(glob.prefix().as_bytes());
            (entries, Needs::Match(glob))
        } else if !glob.suffix().is_empty() {
            let suffix: Vec<u8> = glob.suffix().bytes().rev().collect();
            let entries = self.backwards.get_or_insert_default().entry(&suffix);
            (entries, Needs::Match(glob))
        } else {
            (&mut self.others, Needs::Match(glob))
        };
        entries.push(Entry { needs, index });
    }

    /// Reports every pattern that matches `name`, each once.
    #[inline]
    pub(crate) fn find(&self, name: &str, mut report: impl FnMut(usize)) {
        let mut each = |entries: &[Entry], rest: &[u8]| {
            for entry in entries {
                if entry.is_met(name, rest) {
                    report(entry.index);
                }
            }
        };
        self.forwards
            .walk(name.as_bytes(), |entries, rest| each(entries, rest));
        if let Some(backwards) = &self.backwards {
            backwards.walk_back(name.as_bytes(), |entries, rest| each(entries, rest));
        }
        each(&self.others, name.as_bytes());
    }
}

impl Entry {
    #[inline]
    fn is_met(&self, name: &str, rest: &[u8]) -> bool {
        match &self.needs {
            Needs::End => rest.is_empty(),
            Needs::Nothing => true,
            Needs::Match(glob) => glob.matches(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_exactly_what_trying_all_would_find() {
        let patterns = [
            "a", "ab", "a*", "ab*", "*b", "*ab", "*a*", "*", "a*b", "é*", "*é", "", "abc*abc",
        ]
        .into_iter()
        .filter_map(|text| Glob::parse(text).ok())
        .collect::<Vec<_>>();
        let mut index = NameIndex::default();
        for (number, glob) in patterns.iter().enumerate() {
            index.add(glob.clone(), number);
        }
        for name in [
            "", "a", "ab", "aab", "abab", "b", "é", "aé", "éa", "x", "abcabc", "abc",
        ] {
            let mut found = Vec::new();
            index.find(name, |number| found.push(number));
            found.sort_unstable();
            let expected: Vec<_> = (0..patterns.len())
                .filter(|&number| patterns[number].matches(name))
                .collect();
            assert_eq!(found, expected, "for {name:?}");
        }
    }
}
