//! Patterns of commands: words, and stars that stand for words.

use super::{chars, front};
use crate::glob::Glob;

/// The longest pattern, in bytes.
const LENGTH: usize = 1024;
/// The most words of a pattern.
pub(super) const WORDS: usize = 64;

/// A pattern of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) pieces: Vec<Piece>,
    /// Ends in `*`: any words may follow.
    pub(super) open: bool,
}

/// A word of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Word(Box<str>),
    /// A word with stars in it.
    Glob(Glob),
    /// A star on its own, not at the end.
    Any,
}

/// What a pattern is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Allow,
    /// To deny or to ask.
    Refuse,
    Except,
}

impl Piece {
    /// Reads a word, in which stars may be, or a part of one.
    pub(super) fn new(word: &str) -> Self {
        Glob::parse(word).map_or_else(|| Self::Word(word.into()), Self::Glob)
    }

    /// Whether a word is meant.
    pub(super) fn matches(&self, word: &str) -> bool {
        match self {
            Self::Word(text) => **text == *word,
            Self::Glob(glob) => glob.matches(word),
            Self::Any => true,
        }
    }

    /// The word, if it is spelled out.
    pub(super) fn word(&self) -> Option<&str> {
        match self {
            Self::Word(text) => Some(text),
            _ => None,
        }
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub(super) fn parse(text: &str, purpose: Purpose) -> Result<Self, String> {
        let mut words: Vec<&str> = checked(text)?;
        let open = words.last() == Some(&"*");
        if open {
            words.pop();
        }
        if let Some(first) = words.first() {
            check_first(first)?;
        }
        let piece = |word: &&str| piece(word, purpose);
        let pieces = words.iter().map(piece).collect::<Result<_, _>>()?;
        Ok(Self { pieces, open })
    }

    /// Whether this is `*` and nothing else.
    pub(super) fn is_everything(&self) -> bool {
        self.open && self.pieces.is_empty()
    }

    /// Whether exactly these words are meant, a star in the middle being one of them.
    pub(super) fn matches_exactly<'w>(
        &self,
        words: impl ExactSizeIterator<Item = &'w str>,
    ) -> bool {
        let enough = match self.open {
            true => words.len() >= self.pieces.len(),
            false => words.len() == self.pieces.len(),
        };
        enough
            && self
                .pieces
                .iter()
                .zip(words)
                .all(|(piece, word)| piece.matches(word))
    }
}

/// The words of a pattern, if it is one.
fn checked(text: &str) -> Result<Vec<&str>, String> {
    if text.len() > LENGTH {
        return Err(format!("the pattern is longer than {LENGTH} bytes"));
    }
    if let Some(c) = text.chars().find(|c| !fits(*c)) {
        return Err(misfit(c));
    }
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return Err("the pattern is empty".to_owned());
    }
    if words.len() > WORDS {
        return Err(format!("the pattern has more than {WORDS} words"));
    }
    words.iter().try_for_each(|word| check_word(word))?;
    Ok(words)
}

fn fits(c: char) -> bool {
    if c.is_ascii() {
        c == ' ' || c.is_ascii_alphanumeric() || "_./-+@%,:=^!#~*{}".contains(c)
    } else {
        c.is_alphanumeric() && chars::is_shown(c)
    }
}

fn misfit(c: char) -> String {
    match c {
        '"' | '\'' | '\\' => "a pattern is plain words, without quotes or backslashes".to_owned(),
        _ if c.is_ascii_graphic() => format!("a pattern is plain words, and `{c}` is not one"),
        _ => format!(
            "a pattern is plain words, without the character {}",
            c.escape_unicode()
        ),
    }
}

fn check_word(word: &str) -> Result<(), String> {
    let braces = word.contains(['{', '}']) && word != "{}" && !word.contains("@{");
    if braces || word.starts_with(['~', '^', '#']) || word.contains("**") {
        return Err(format!(
            "`{word}` is no plain word, and `*` the only wildcard"
        ));
    }
    Ok(())
}

fn check_first(word: &str) -> Result<(), String> {
    if front::assigned(word).is_some() {
        return Err("variables in front of a command belong into `env_allow`".to_owned());
    }
    if word.ends_with(":*") {
        return Err("words are parted by spaces: write ` *` in place of `:*`".to_owned());
    }
    match word {
        "if" | "then" | "else" | "elif" | "fi" | "while" | "until" | "do" | "done" | "esac"
        | "in" | "!" | "{}" | "function" | "coproc" => Err(format!("`{word}` never is a command")),
        _ => Ok(()),
    }
}

fn piece(word: &str, purpose: Purpose) -> Result<Piece, String> {
    match (word, purpose) {
        ("*", Purpose::Allow) => Err("in an allow rule `*` has to be the last word".to_owned()),
        ("*", _) => Ok(Piece::Any),
        _ => match (Piece::new(word), purpose) {
            (Piece::Glob(_), Purpose::Allow) => {
                Err("in an allow rule `*` has to be a word of its own".to_owned())
            }
            (piece, _) => Ok(piece),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Pattern, Purpose};

    #[test]
    fn what_is_no_pattern_is_refused() {
        for text in [
            "",
            "   ",
            "rm [",
            "(a+)+",
            "rm $X",
            "rm `x`",
            "ls; rm",
            "ls | rm",
            "rm\n",
            "rm\t*",
            "a\u{202e}",
            "a\u{a0}b",
            "'rm' *",
            "^rm",
            "rm ~/x",
            "rm **",
            "rm ?",
            "FOO=1 ls",
            "git:*",
            "if *",
            "{a,b}",
            "x\\y",
            "rm > x",
            "rm & *",
        ] {
            assert!(Pattern::parse(text, Purpose::Refuse).is_err(), "{text:?}");
        }
        assert!(Pattern::parse(&"a".repeat(1025), Purpose::Refuse).is_err());
        assert!(Pattern::parse(&"a ".repeat(65), Purpose::Refuse).is_err());
    }

    #[test]
    fn an_allow_rule_has_its_star_at_the_end() {
        for text in ["git * push", "git pu*", "* push", "g* push"] {
            assert!(Pattern::parse(text, Purpose::Allow).is_err(), "{text:?}");
            assert!(Pattern::parse(text, Purpose::Refuse).is_ok(), "{text:?}");
        }
    }

    #[test]
    fn ordinary_words_are_patterns() {
        for text in [
            "git status",
            "git log *",
            "git show HEAD^",
            "git show stash@{0}",
            "chmod +x *",
            "g++ *",
            "npm run a:b",
            "x --a=b",
            "find . -exec rm {} *",
            "docker ps *",
            "*",
        ] {
            assert!(Pattern::parse(text, Purpose::Allow).is_ok(), "{text:?}");
        }
    }
}
