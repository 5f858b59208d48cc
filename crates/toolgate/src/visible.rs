//! Text that looks like what it is.

use std::borrow::Cow;

/// Writes out everything that a person could not see, or could take for something else: control
/// characters, invisible ones, those that turn the direction of writing, odd spaces.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    // Most text is ASCII, and bytes are looked at faster than characters.
    let is_plain_byte = |b: u8| b == b' ' || b.is_ascii_graphic();
    if text.bytes().all(is_plain_byte) || text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_plain(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_unicode());
        }
    }
    Cow::Owned(shown)
}

/// Whether a character looks like itself and like nothing else.
pub(crate) fn is_plain(c: char) -> bool {
    let invisible_letter = matches!(
        c,
        '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{3164}'
            | '\u{ffa0}'
            | '\u{13441}'
            | '\u{13442}'
    );
    c == ' ' || c.is_ascii_graphic() || (c.is_alphanumeric() && !invisible_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        assert_eq!(
            visible("rm \u{202e}x\u{200b}\u{1b}[2K\r\n\u{a0}"),
            "rm \\u{202e}x\\u{200b}\\u{1b}[2K\\u{d}\\u{a}\\u{a0}"
        );
        assert_eq!(visible("\u{3164}\u{e0041}"), "\\u{3164}\\u{e0041}");
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        assert_eq!(visible("Ärger 日本 a-b_c (1)"), "Ärger 日本 a-b_c (1)");
    }
}
