//! One spelling for names that some file system takes for the same.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

/// The text without differences of case and of Unicode form.
///
/// File systems disagree about which names are equal. Two names that any of them takes for equal
/// come out the same here; some that none does, such as `i` and a dotless `ı`, do as well.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return Cow::Owned(fold_unicode(text));
    }
    match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(text.to_ascii_lowercase()),
        false => Cow::Borrowed(text),
    }
}

fn fold_unicode(text: &str) -> String {
    let form = ComposingNormalizerBorrowed::new_nfkc();
    // Up and down again, because only that makes one of `ß` and `SS`, of `ς` and `σ`.
    let cased: String = form
        .normalize(text)
        .chars()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect();
    form.normalize(&cased).into_owned()
}

/// What a character becomes when compatible characters are taken for the same.
pub(super) fn compatible(c: char) -> String {
    let mut buffer = [0; 4];
    ComposingNormalizerBorrowed::new_nfkc()
        .normalize(c.encode_utf8(&mut buffer))
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_form_make_no_difference() {
        let same = [
            (".ENV", ".env"),
            ("\u{212a}ey", "key"),
            ("stra\u{df}e", "STRASSE"),
            ("e\u{301}", "\u{c9}"),
            ("\u{ff0e}env", ".env"),
            ("\u{3c2}", "\u{3a3}"),
            ("\u{17f}", "S"),
        ];
        for (left, right) in same {
            assert_eq!(fold(left), fold(right), "{left:?} {right:?}");
        }
        assert_ne!(fold("a"), fold("b"));
        assert_ne!(
            fold("\u{435}nv"),
            fold("env"),
            "letters of other scripts are other letters"
        );
    }

    #[test]
    fn small_ascii_is_left_where_it_is() {
        assert!(matches!(fold("/w/src/lib.rs"), Cow::Borrowed(_)));
    }
}
