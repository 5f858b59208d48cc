//! What somebody probably meant.

use crate::diagnostic::quoted;

/// Beyond this nobody meant any of our words.
const LONGEST: usize = 40;
/// Nor does anybody look through more of them.
const MOST: usize = 100;

/// The word that is nearest to one that is not known.
pub(crate) fn nearest<'w>(
    word: &str,
    known: impl Iterator<Item = &'w str> + Clone,
) -> Option<&'w str> {
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let known = known.take(MOST);
    let plain = |text: &str| text.to_ascii_lowercase().replace('-', "_");
    let wanted = plain(word);
    let bare = |known: &str| plain(known.strip_prefix("dangerous_").unwrap_or(known));
    let same = known.clone().find(|known| plain(known) == wanted);
    same.or_else(|| known.clone().find(|known| bare(known) == wanted))
        .or_else(|| close(&wanted, known))
}

fn close<'w>(wanted: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let distance = |known: &str| strsim::damerau_levenshtein(wanted, known);
    known
        .map(|known| (distance(known), known))
        .filter(|(distance, known)| *distance <= (known.len().max(wanted.len()) / 3).max(1))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Words as a sentence lists them.
pub(crate) fn list<'w>(words: impl Iterator<Item = &'w str>) -> String {
    let words: Vec<_> = words.take(MOST).map(quoted).collect();
    words.join(", ")
}
