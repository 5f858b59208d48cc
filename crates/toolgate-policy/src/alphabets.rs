//! Words of letters from two alphabets, some of which look the same.

/// Whether some word in the text has plain Latin letters and letters of an alphabet that has many
/// of the same shape. Nobody writes such a word, unless to have it taken for another one.
pub(crate) fn mixes(text: &str) -> bool {
    !text.is_ascii() && text.split(|c: char| !c.is_alphabetic()).any(is_mixed)
}

fn is_mixed(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii()) && word.contains(looks_latin)
}

/// Greek, Cyrillic, Armenian, Cherokee and Lisu.
fn looks_latin(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}' | '\u{1c80}'..='\u{1c8f}'
        | '\u{1f00}'..='\u{1fff}' | '\u{2de0}'..='\u{2dff}' | '\u{a4d0}'..='\u{a4ff}'
        | '\u{a640}'..='\u{a69f}' | '\u{ab70}'..='\u{abbf}')
}

#[cfg(test)]
mod tests {
    use super::mixes;

    #[test]
    fn a_word_of_two_alphabets_is_told_from_a_text_of_two() {
        for text in [
            "/w/.\u{435}nv",
            "se\u{441}rets",
            "g\u{456}thub",
            "\u{3bf}ps",
        ] {
            assert!(mixes(text), "{text}");
        }
        for text in ["env", "caf\u{e9}", "файл.md", "тест_v2", "α/beta", "日本x"] {
            assert!(!mixes(text), "{text}");
        }
    }
}
