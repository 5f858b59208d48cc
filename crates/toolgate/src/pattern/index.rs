//! Finds the patterns that match a name without trying them all.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::Glob;

/// Finds the patterns that match a name.
///
/// Names without a star are looked up whole. Patterns with a star are looked up by what stands
/// before it, or else by what stands after it: one probe for each length that occurs. Only a
/// pattern with a star at both ends is tried on every name.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameIndex {
    whole: HashMap<Box<str>, Vec<Entry>, RandomState>,
    prefixes: Affixes,
    suffixes: Affixes,
    others: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    glob: Glob,
    index: usize,
}

#[derive(Clone, Debug, Default)]
struct Affixes {
    /// In ascending order, each once.
    lengths: Vec<usize>,
    entries: HashMap<Box<str>, Vec<Entry>, RandomState>,
}

impl NameIndex {
    /// Adds a pattern; `index` is what [`NameIndex::find`] will report.
    pub(crate) fn add(&mut self, glob: Glob, index: usize) {
        let entry = Entry { glob, index };
        if let Some(name) = entry.glob.literal() {
            self.whole.entry(name.into()).or_default().push(entry);
        } else if !entry.glob.prefix().is_empty() {
            let prefix = entry.glob.prefix().into();
            self.prefixes.add(prefix, entry);
        } else if !entry.glob.suffix().is_empty() {
            let suffix = entry.glob.suffix().into();
            self.suffixes.add(suffix, entry);
        } else {
            self.others.push(entry);
        }
    }

    /// Reports every pattern that matches `name`, each once.
    #[inline]
    pub(crate) fn find(&self, name: &str, mut report: impl FnMut(usize)) {
        let mut whole = self
            .whole
            .get(name)
            .map_or(&[][..], |entries| entries)
            .iter();
        whole.by_ref().for_each(|entry| report(entry.index));
        let mut try_all = |entries: &[Entry]| {
            entries
                .iter()
                .filter(|e| e.glob.matches(name))
                .for_each(|e| report(e.index));
        };
        self.prefixes
            .probe(name, |name, length| name.get(..length), &mut try_all);
        self.suffixes.probe(
            name,
            |name, length| name.get(name.len() - length..),
            &mut try_all,
        );
        try_all(&self.others);
    }
}

impl Affixes {
    fn add(&mut self, affix: Box<str>, entry: Entry) {
        if let Err(place) = self.lengths.binary_search(&affix.len()) {
            self.lengths.insert(place, affix.len());
        }
        self.entries.entry(affix).or_default().push(entry);
    }

    fn probe(
        &self,
        name: &str,
        cut: impl Fn(&str, usize) -> Option<&str>,
        found: &mut impl FnMut(&[Entry]),
    ) {
        for &length in self
            .lengths
            .iter()
            .take_while(|&&length| length <= name.len())
        {
            if let Some(entries) = cut(name, length).and_then(|affix| self.entries.get(affix)) {
                found(entries);
            }
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
