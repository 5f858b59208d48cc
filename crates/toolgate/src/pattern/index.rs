//! Finds the patterns that match a name without trying them all.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::Glob;

/// Finds the patterns that match a name.
///
/// Names without a star are looked up whole. Patterns with a star are looked up by what stands
/// before it, or else by what stands after it: one probe for each length that occurs with the four
/// bytes at that end of the name. Only a pattern with a star at both ends is tried on every name.
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

/// What stands at one end of patterns.
#[derive(Clone, Debug, Default)]
struct Affixes {
    /// The lengths of those that are shorter than an end.
    short: Vec<usize>,
    /// The lengths of all others, by their own end: most names have an end that none of them has.
    lengths: HashMap<End, Vec<usize>, RandomState>,
    entries: HashMap<Box<str>, Vec<Entry>, RandomState>,
}

/// The first four bytes of a name, or the last ones.
type End = u32;

impl NameIndex {
    /// Adds a pattern; `index` is what [`NameIndex::find`] will report.
    pub(crate) fn add(&mut self, glob: Glob, index: usize) {
        let entry = Entry { glob, index };
        if let Some(name) = entry.glob.literal() {
            self.whole.entry(name.into()).or_default().push(entry);
        } else if !entry.glob.prefix().is_empty() {
            let prefix: Box<str> = entry.glob.prefix().into();
            self.prefixes.add(first(&prefix), prefix, entry);
        } else if !entry.glob.suffix().is_empty() {
            let suffix: Box<str> = entry.glob.suffix().into();
            self.suffixes.add(last(&suffix), suffix, entry);
        } else {
            self.others.push(entry);
        }
    }

    /// Reports every pattern that matches `name`, each once.
    #[inline]
    pub(crate) fn find(&self, name: &str, mut report: impl FnMut(usize)) {
        for entry in self.whole.get(name).into_iter().flatten() {
            report(entry.index);
        }
        let mut try_all = |entries: &[Entry]| {
            entries
                .iter()
                .filter(|e| e.glob.matches(name))
                .for_each(|e| report(e.index));
        };
        let prefix = |length: usize| name.get(..length);
        self.prefixes.probe(first(name), prefix, &mut try_all);
        let suffix = |length: usize| name.get(name.len().checked_sub(length)?..);
        self.suffixes.probe(last(name), suffix, &mut try_all);
        try_all(&self.others);
    }
}

fn first(name: &str) -> Option<End> {
    name.as_bytes()
        .first_chunk()
        .copied()
        .map(End::from_le_bytes)
}

fn last(name: &str) -> Option<End> {
    name.as_bytes()
        .last_chunk()
        .copied()
        .map(End::from_le_bytes)
}

impl Affixes {
    fn add(&mut self, end: Option<End>, affix: Box<str>, entry: Entry) {
        let lengths = match end {
            Some(end) => self.lengths.entry(end).or_default(),
            None => &mut self.short,
        };
        if !lengths.contains(&affix.len()) {
            lengths.push(affix.len());
        }
        self.entries.entry(affix).or_default().push(entry);
    }

    fn probe<'n>(
        &self,
        end: Option<End>,
        cut: impl Fn(usize) -> Option<&'n str>,
        found: &mut impl FnMut(&[Entry]),
    ) {
        let longer = end.and_then(|end| self.lengths.get(&end));
        for &length in self.short.iter().chain(longer.into_iter().flatten()) {
            if let Some(entries) = cut(length).and_then(|affix| self.entries.get(affix)) {
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
            "a",
            "ab",
            "a*",
            "ab*",
            "*b",
            "*ab",
            "*a*",
            "*",
            "a*b",
            "é*",
            "*é",
            "",
            "abc*abc",
            "abca*",
            "abcab*",
            "*bcab",
            "*abcab",
            "abca*bcab",
        ]
        .into_iter()
        .filter_map(|text| Glob::parse(text).ok())
        .collect::<Vec<_>>();
        let mut index = NameIndex::default();
        for (number, glob) in patterns.iter().enumerate() {
            index.add(glob.clone(), number);
        }
        for name in [
            "", "a", "ab", "aab", "abab", "b", "é", "aé", "éa", "x", "abcabc", "abc", "abca",
            "abcab", "xabcab", "abcabcab", "bcab",
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
