//! Spellings of paths that another program may read differently.
//!
//! A path is judged by what it says. Where some program, some system or some reader would take it
//! for another path than the one that is judged, somebody is asked.

mod characters;
mod names;

use smallvec::SmallVec;

use self::names::OddName;
pub(crate) use self::names::escaped;
pub(super) use self::{characters::plain, names::ends_oddly};
use super::lexical;
use crate::alphabets;

/// The longest path that is looked up, in bytes. Linux has the same limit.
const LONGEST: usize = 4096;

/// The longest name that is looked up, in bytes.
const LONGEST_NAME: usize = 255;

/// What is odd about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Odd {
    Empty,
    TooLong,
    Character,
    LookAlike,
    Alphabets,
    Separator,
    Name,
    ShortName,
    NotLiteral,
    Encoded,
    Special,
}

impl Odd {
    /// The built-in rule that says so.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Empty => "path.empty",
            Self::TooLong => "path.too-long",
            Self::Character | Self::LookAlike | Self::Alphabets => "path.odd-character",
            Self::Separator => "path.odd-separator",
            Self::Name | Self::ShortName => "path.odd-name",
            Self::NotLiteral => "path.not-literal",
            Self::Encoded => "path.encoded",
            Self::Special => "path.special",
        }
    }

    /// The reason, as it follows on `the path`.
    pub(super) fn why(self) -> &'static str {
        match self {
            Self::Empty => "is empty",
            Self::TooLong => "is longer than file systems take",
            Self::Character => "has a character that cannot be seen",
            Self::LookAlike => "has a character that looks like a dot or a slash",
            Self::Alphabets => "has a word with letters of two alphabets that look the same",
            Self::Separator => "is written the way Windows writes paths",
            Self::Name => "has a name that some system takes for another one",
            Self::ShortName => "has a name that looks like a shortened one",
            Self::NotLiteral => "has something in it that a shell would replace",
            Self::Encoded => "is a URL, or has encoded characters in it",
            Self::Special => "leads to a device, or to what belongs to a process",
        }
    }
}

/// Everything that is odd about a path, each once.
pub(super) type Oddities = SmallVec<[Odd; 2]>;

/// What is odd about a path as it was given.
pub(super) fn of_path(path: &str) -> Oddities {
    let mut odd = Oddities::new();
    if path.is_empty() {
        odd.push(Odd::Empty);
    }
    if path.len() > LONGEST || lexical::names(path).any(|name| name.len() > LONGEST_NAME) {
        odd.push(Odd::TooLong);
    }
    spelling(path, &mut odd);
    odd.sort_unstable();
    odd.dedup();
    odd
}

/// What makes a pattern useless, because every path that it matches is odd.
pub(super) fn of_pattern(pattern: &str) -> Option<Odd> {
    let mut odd = Oddities::new();
    spelling(pattern, &mut odd);
    odd.first().copied()
}

/// What a normalised path leads to, if that is no place for files.
pub(super) fn of_place(path: &str) -> Option<Odd> {
    let mut names = lexical::components(path);
    let special = match (names.next()?, names.next()) {
        ("proc", Some(of)) => of.starts_with(|c: char| c.is_ascii_digit()) || of.ends_with("self"),
        ("dev", Some(name)) => !matches!(name, "null" | "shm"),
        _ => false,
    };
    special.then_some(Odd::Special)
}

fn spelling(path: &str, odd: &mut Oddities) {
    if path.bytes().any(is_suspicious) {
        suspicious(path, odd);
    }
    let is_odd = |name: &str| ends_oddly(name) || names::odd_in_plain(name).is_some();
    // A single dash is what many programs call their input or output.
    if path == "-" || path.starts_with(' ') || lexical::names(path).any(is_odd) {
        odd.push(Odd::Name);
    }
}

/// Whether a byte may be part of something odd. Most paths have none of these.
fn is_suspicious(byte: u8) -> bool {
    matches!(byte, 0..=31 | 127.. | b'\\' | b':' | b'~' | b'$' | b'%' | b'`' | b'*' | b'?' | b'{')
}

fn suspicious(path: &str, odd: &mut Oddities) {
    odd.extend(characters::odd_in(path));
    if alphabets::mixes(path) {
        odd.push(Odd::Alphabets);
    }
    if path.contains('\\') || names::has_drive(path) {
        odd.push(Odd::Separator);
    }
    if names::is_url(path) || names::has_needless_escape(path) {
        odd.push(Odd::Encoded);
    }
    if names::is_replaced_by_a_shell(path) {
        odd.push(Odd::NotLiteral);
    }
    for name in lexical::names(path) {
        odd.extend(match names::odd(name) {
            Some(OddName::Home) => Some(Odd::NotLiteral),
            Some(OddName::Short) => Some(Odd::ShortName),
            Some(_) => Some(Odd::Name),
            None => None,
        });
    }
}

#[cfg(test)]
mod tests;
