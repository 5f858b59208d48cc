//! Characters that cannot be seen, and those that look like what separates names.

use super::{super::fold::compatible, Odd};

/// What is odd about the characters of a text.
pub(super) fn odd_in(text: &str) -> impl Iterator<Item = Odd> {
    let mut before = '\0';
    text.chars().filter_map(move |c| {
        let joined = joins_pictures(before, c);
        before = c;
        odd(c).filter(|_| !joined)
    })
}

/// Whether a character that cannot be seen says how a picture looks, or makes one of two.
fn joins_pictures(before: char, c: char) -> bool {
    let is_picture = matches!(before, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}');
    match c {
        '\u{fe0f}' => is_picture,
        '\u{200d}' => is_picture || before == '\u{fe0f}',
        _ => false,
    }
}

/// What is odd about a character.
fn odd(c: char) -> Option<Odd> {
    if c.is_ascii() {
        return c.is_ascii_control().then_some(Odd::Character);
    }
    if is_unseen(c) {
        return Some(Odd::Character);
    }
    looks_like(c).map(|_| Odd::LookAlike)
}

/// The text without what cannot be seen, and with plain dots and slashes.
pub(in super::super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_ascii_control() || is_unseen(c) => {}
            _ if c.is_ascii() => out.push(c),
            _ => match looks_like(c) {
                Some(plain) => out.push_str(&plain),
                None => out.push(c),
            },
        }
    }
    out
}

/// Control and format characters, spaces other than the usual one, and what has no meaning.
fn is_unseen(c: char) -> bool {
    if c.is_ascii() {
        return false;
    }
    c.is_control()
        || c.is_whitespace()
        || matches!(u32::from(c) & 0xffff, 0xfffe | 0xffff)
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
            | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{2800}' | '\u{3164}' | '\u{e000}'..='\u{f8ff}' | '\u{fdd0}'..='\u{fdef}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffd}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..)
}

/// What a character looks like that separates names or parts of them, if it does.
fn looks_like(c: char) -> Option<String> {
    let alike = match c {
        '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{2571}' | '\u{27cb}' | '\u{1735}' => "/",
        '\u{2216}' | '\u{29f5}' | '\u{29f9}' | '\u{2572}' | '\u{27cd}' => "\\",
        '\u{3002}' | '\u{ff61}' | '\u{a4f8}' | '\u{6d4}' | '\u{701}' | '\u{702}' => ".",
        '\u{2236}' | '\u{a789}' | '\u{589}' | '\u{5c3}' | '\u{2d0}' => ":",
        '\u{223c}' => "~",
        _ if may_be_compatible(c) => {
            return Some(compatible(c)).filter(|alike| alike.contains(is_separating));
        }
        _ => return None,
    };
    Some(alike.into())
}

/// Whether a character lies where those are that are compatible with one that separates.
fn may_be_compatible(c: char) -> bool {
    matches!(c, '\u{1fef}' | '\u{2000}'..='\u{2bff}' | '\u{3300}'..='\u{33ff}'
        | '\u{fe10}'..='\u{ffef}' | '\u{1f100}'..='\u{1f1ff}')
}

fn is_separating(c: char) -> bool {
    matches!(
        c,
        '.' | '/' | '\\' | ':' | '~' | '%' | '$' | '`' | '*' | '?'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_is_overlooked() {
        for c in ('\u{80}'..=char::MAX).filter(|c| compatible(*c).contains(is_separating)) {
            assert!(odd(c).is_some(), "{c:?}");
        }
    }

    #[test]
    fn plain_text_has_plain_separators() {
        assert_eq!(plain("a\u{2215}b\u{ff0e}c\u{200b}\0"), "a/b.c");
        assert_eq!(plain("\u{2026}"), "...");
        assert_eq!(plain("na\u{ef}ve"), "na\u{ef}ve");
    }
}
