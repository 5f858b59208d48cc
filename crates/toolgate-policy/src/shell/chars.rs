//! Which characters stand for themselves.

use super::line::Dialect;

/// Whether an ASCII byte outside quotes is a plain part of a word, wherever in the word it stands.
pub(super) fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-' | b'+' | b'@' | b'%')
}

/// Whether an ASCII byte inside double quotes is nothing but itself.
pub(super) fn is_plain_in_quotes(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\t') && !matches!(byte, b'"' | b'\\' | b'$' | b'`')
}

/// Whether a character may stand in a quoted string of a line that is taken at its word.
///
/// Control characters could repaint what a human is shown; hidden ones are not shown at all.
pub(super) fn is_shown(c: char) -> bool {
    matches!(c, '\n' | '\t') || !(c.is_control() || is_hidden(c))
}

/// Whether a character beyond ASCII may stand in a word without quotes.
///
/// Shells look at bytes here, and two of those that occur in letters are blanks in some locales.
pub(super) fn is_plain_letter(c: char) -> bool {
    let mut bytes = [0; 4];
    let blank = |b: &u8| matches!(b, 0x85 | 0xA0);
    (c.is_alphanumeric() || is_picture(c))
        && !is_hidden(c)
        && !c.encode_utf8(&mut bytes).as_bytes().iter().any(blank)
}

/// Signs and emoji.
fn is_picture(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{2767}' | '\u{2794}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}')
}

/// Characters that are not seen: marks of direction, joiners, fillers, selectors and tags.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}'
        | '\u{890}'..='\u{891}' | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{110bd}' | '\u{110cd}'
        | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}'
    ) || is_private(c)
}

/// Characters that mean what their font says.
fn is_private(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// Whether a byte outside quotes means itself in this shell and in bash alike.
pub(super) fn is_shared(byte: u8, dialect: Dialect, at_start: bool) -> bool {
    match dialect {
        // The whole line is looked at in the end.
        Dialect::Bash | Dialect::Other => true,
        Dialect::Zsh => is_plain(byte) || byte == b',' || byte == b':' || byte == b'=' && !at_start,
    }
}

/// Whether a whole line means the same in every shell: words of plain characters and spaces.
pub(super) fn is_plain_line(text: &str) -> bool {
    text.bytes()
        .all(|b| b == b' ' || b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/' | b'-'))
        && !text
            .split(' ')
            .any(|word| word.starts_with('-') && word.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::{is_plain_letter, is_plain_line, is_shown};

    #[test]
    fn what_is_hidden_or_repaints_is_not_shown() {
        for c in [
            '\r',
            '\0',
            '\u{1b}',
            '\u{85}',
            '\u{202e}',
            '\u{200b}',
            '\u{fe0f}',
            '\u{e0041}',
        ] {
            assert!(!is_shown(c), "{c:?}");
        }
        for c in ['a', '\n', '\t', 'é', '修', '🚀', '\u{a0}'] {
            assert!(is_shown(c), "{c:?}");
        }
    }

    #[test]
    fn a_letter_with_a_byte_that_may_be_a_blank_needs_quotes() {
        assert!(is_plain_letter('é'));
        assert!(is_plain_letter('🚀'));
        assert!(!is_plain_letter('à'), "its second byte is 0xA0");
        assert!(!is_plain_letter('\u{3000}'));
        assert!(!is_plain_letter('’'));
    }

    #[test]
    fn a_plain_line_has_nothing_that_a_shell_could_take_up() {
        assert!(is_plain_line("git status -s"));
        assert!(!is_plain_line("git status; id"));
        assert!(!is_plain_line("git -c.x"), "two words in one shell");
        assert!(!is_plain_line("echo %x%"));
    }
}
