//! The end of a regular expression or of a string in a script.

/// What follows the first `end` that is neither escaped nor between brackets.
///
/// Implementations disagree on whether a bracket hides the delimiter, so there is no answer if it
/// stands between brackets, or if it is hard to say where the brackets end.
pub(super) fn regex(text: &str, end: char) -> Option<&str> {
    let mut depth = 0_usize;
    let mut rest = text.chars();
    loop {
        match rest.next()? {
            '\n' => return None,
            '\\' => escaped(&mut rest)?,
            found if found == end => return (depth == 0).then_some(rest.as_str()),
            '[' => {
                depth += 1;
                let inside = rest.as_str().trim_start_matches('^');
                (!inside.starts_with(']')).then_some(())?;
            }
            ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// What follows the first `end` that is not escaped.
pub(super) fn text(text: &str, end: char) -> Option<&str> {
    let mut rest = text.chars();
    loop {
        match rest.next()? {
            '\n' => return None,
            '\\' => escaped(&mut rest)?,
            found if found == end => return Some(rest.as_str()),
            _ => {}
        }
    }
}

fn escaped(rest: &mut std::str::Chars<'_>) -> Option<()> {
    rest.next().filter(|next| *next != '\n').map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delimiter_between_brackets_has_no_answer() {
        assert_eq!(regex("a[b]c/d", '/'), Some("d"));
        assert_eq!(regex("[[:digit:]]+/d", '/'), Some("d"));
        assert_eq!(regex("a\\/b/d", '/'), Some("d"));
        for unclear in [
            "[/]/d",
            "[]/]/d",
            "[^]/]/d",
            "[[:digit:]/]/d",
            "a\n/",
            "a\\/",
        ] {
            assert_eq!(regex(unclear, '/'), None, "{unclear}");
        }
    }

    #[test]
    fn brackets_mean_nothing_in_text() {
        assert_eq!(text("[/d", '/'), Some("d"));
        assert_eq!(text("\\//d", '/'), Some("d"));
        assert_eq!(text("a", '/'), None);
    }
}
