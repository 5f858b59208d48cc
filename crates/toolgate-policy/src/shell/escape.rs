//! Escapes between `$'` and `'`.

/// Reads the escape behind a backslash: the character that it stands for, and its length. None if
/// that is no plain character, or depends on where the shell runs.
pub(super) fn read(text: &str) -> Option<(char, usize)> {
    let letter = text.chars().next()?;
    let plain = match letter {
        'n' => '\n',
        't' => '\t',
        '\\' | '\'' | '"' | '?' => letter,
        'x' => return number(text, 1, 2, 16),
        'u' => return number(text, 1, 4, 16),
        'U' => return number(text, 1, 8, 16),
        '0'..='7' => return number(text, 0, 3, 8),
        _ => return None,
    };
    Some((plain, 1))
}

/// Reads up to `most` digits that stand `skip` bytes on.
fn number(text: &str, skip: usize, most: usize, radix: u32) -> Option<(char, usize)> {
    let digits = text.get(skip..)?.chars().take(most);
    let count = digits.take_while(|digit| digit.is_digit(radix)).count();
    let value = u32::from_str_radix(text.get(skip..skip + count)?, radix).ok()?;
    let c = char::from_u32(value)?;
    (c == '\n' || c == '\t' || (' '..='~').contains(&c)).then_some((c, skip + count))
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn escapes_are_read_as_far_as_they_go() {
        assert_eq!(read("x72m"), Some(('r', 3)));
        assert_eq!(read("162m"), Some(('r', 3)));
        assert_eq!(read("u0072m"), Some(('r', 5)));
        assert_eq!(read("U00000072m"), Some(('r', 9)));
        assert_eq!(read("x6 "), None, "a control character");
        assert_eq!(read("n"), Some(('\n', 1)));
        assert_eq!(read("'"), Some(('\'', 1)));
        for odd in ["", "c", "cx", "e", "x", "xg", "0", "377", "u00e9", "z"] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}
