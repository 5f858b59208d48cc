//! Colours for code, one line at a time.
//!
//! They help the eye and nothing else: the text is the same without them. So this knows strings,
//! comments, numbers of signs and, in a shell, where commands begin, and no more of any language.

use crate::screen::{Row, Style};

/// How comments begin in languages that have no `#` for them.
const SLASHES: &[&str] = &[
    "c",
    "cpp",
    "go",
    "java",
    "javascript",
    "js",
    "rust",
    "rs",
    "ts",
    "typescript",
];

/// Languages of shells.
const SHELLS: &[&str] = &["sh", "bash", "zsh", "shell", "console"];

/// One line of code.
pub(crate) fn line(language: &str, line: &str) -> Row {
    let mut row = Row::default();
    let language = language.to_ascii_lowercase();
    let shell = SHELLS.contains(&&*language);
    let comment = if SLASHES.contains(&&*language) {
        "//"
    } else {
        "#"
    };
    let mut command = shell;
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let (style, length) = match c {
            '"' | '\'' => (Style::Text, quoted(rest, c)),
            _ if rest.starts_with(comment) && begins_word(line, rest) => {
                (Style::Comment, rest.len())
            }
            '|' | '&' | ';' | '<' | '>' | '$' | '`' | '(' | ')' if shell => {
                command |= matches!(c, '|' | '&' | ';' | '`' | '(');
                (Style::Operator, 1)
            }
            ' ' => (Style::Plain, 1),
            _ => {
                let style = if command {
                    Style::Command
                } else {
                    Style::Plain
                };
                // `A=b command`: the command is still to come.
                let word = word(rest);
                command &= rest.get(..word).is_some_and(|word| word.contains('='));
                (if command { Style::Plain } else { style }, word)
            }
        };
        let (piece, more) = rest.split_at(length);
        row = row.and(style, piece);
        rest = more;
    }
    row
}

/// The length of what is in quotes, and of the quotes.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped && quote == '"';
    }
    rest.len()
}

fn begins_word(line: &str, rest: &str) -> bool {
    let before = line.get(..line.len() - rest.len()).unwrap_or_default();
    before.is_empty() || before.ends_with(' ')
}

fn word(rest: &str) -> usize {
    let ends = |c: char| " \"'|&;<>$`()".contains(c);
    let first = rest.chars().next().map_or(0, char::len_utf8);
    rest.char_indices()
        .find(|(at, c)| *at >= first && ends(*c))
        .map_or(rest.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn styled(language: &str, line: &str) -> Vec<(Style, String)> {
        let row = super::line(language, line);
        row.0
            .into_iter()
            .map(|span| (span.style, span.text))
            .collect()
    }

    #[test]
    fn commands_stand_out_wherever_they_begin() {
        let commands: Vec<_> = styled("sh", "A=1 ls -la 'rm' && sudo rm x | sh # rm")
            .into_iter()
            .filter(|(style, _)| *style == Style::Command)
            .map(|(_, text)| text)
            .collect();
        assert_eq!(commands, ["ls", "sudo", "sh"]);
    }

    #[test]
    fn comments_are_those_of_the_language() {
        assert_eq!(
            styled("rust", "// x"),
            [(Style::Comment, "// x".to_owned())]
        );
        assert_eq!(
            styled("python", "# x"),
            [(Style::Comment, "# x".to_owned())]
        );
        assert!(
            styled("rust", "#[x]")
                .iter()
                .all(|(style, _)| *style == Style::Plain)
        );
    }

    proptest! {
        #[test]
        fn colours_change_no_text(line in "[a-z \"'\\\\|&;$#/=ä()]{0,40}", shell: bool) {
            let language = if shell { "sh" } else { "rust" };
            prop_assert_eq!(super::line(language, &line).text(), line);
        }
    }
}
