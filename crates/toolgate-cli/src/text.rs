//! Text as a person should see it.

use std::borrow::Cow;

/// Writes out what a person could not see or could take for something else: control characters,
/// invisible ones, and those that turn the direction of writing.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            c if is_plain(c) => shown.push(c),
            c => shown.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(shown)
}

fn is_plain(c: char) -> bool {
    let invisible = matches!(
        c,
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{3164}' | '\u{ffa0}'
    );
    c == ' ' || c.is_ascii_graphic() || (c.is_alphanumeric() && !invisible) || "…–—·".contains(c)
}

/// Visible, and cut with a remark if it is long.
pub(crate) fn short(text: &str, longest: usize) -> String {
    let shown = visible(text);
    let count = shown.chars().count();
    if count <= longest {
        return shown.into_owned();
    }
    let cut: String = shown.chars().take(longest).collect();
    format!("{cut}… ({} more characters)", count - longest)
}

/// Words as a shell would have to be given them.
pub(crate) fn command_line(words: &[String]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

fn quote(word: &str) -> Cow<'_, str> {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
    match !word.is_empty() && word.chars().all(is_bare) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

/// Why JSON is not read, of the thing that it is and not of arguments.
pub(crate) fn unreadable_json(error: &toolgate::ArgsError, thing: &str) -> String {
    let text = error.to_string();
    // What is of the wrong kind as a whole is in no line.
    if text.contains("are not a JSON object") {
        return format!("{thing} is not a JSON object");
    }
    text.replacen("arguments are", &format!("{thing} is"), 1)
        .replacen("arguments", thing, 1)
}

/// `1 call`, `2 calls`.
pub(crate) fn count(number: usize, thing: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// Puts every line behind an indent.
pub(crate) fn indented(indent: &str, text: &str) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        lines.extend([indent, line, "\n"]);
    }
    lines
}

/// Lines of whole words, none wider than so many characters unless a word is.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_survive_a_shell() {
        let words = ["git", "commit", "-m", "it's done; rm x", ""].map(str::to_owned);
        assert_eq!(
            command_line(&words),
            r"git commit -m 'it'\''s done; rm x' ''"
        );
    }

    #[test]
    fn what_is_cut_is_said() {
        assert_eq!(short("abcdef", 3), "abc… (3 more characters)");
        assert_eq!(short("a\u{202e}b\nc\x1b", 99), "a\\u{202e}b\\nc\\u{1b}");
    }

    #[test]
    fn lines_are_made_of_whole_words() {
        assert_eq!(wrapped("a bc def", 4), ["a bc", "def"]);
        assert_eq!(wrapped("abcdef g", 4), ["abcdef", "g"]);
        assert_eq!(wrapped("", 4), [""]);
    }
}
