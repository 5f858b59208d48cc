//! What may stand in front of a program: assignments and keywords.

use std::borrow::Cow;

use super::{
    frame::{End, Position},
    line::{Assignment, Join, ProblemKind, Word},
    parse::Parser,
};

impl<'a> Parser<'a> {
    /// Deals with a word in front of the program. Says no if it is the program.
    pub(super) fn in_front(&mut self, word: &Word<'a>) -> bool {
        let raw = self
            .text
            .get(word.span.start..word.span.end)
            .unwrap_or_default();
        match raw {
            "time" => return self.time(word),
            "-p" if self.frame.position == Position::Timed => {
                self.words.push(word.clone());
                return true;
            }
            "}" if self.frame.end == End::Function => return self.close_function(),
            "if" | "then" | "else" | "elif" | "fi" | "while" | "until" | "do" | "done" | "esac"
            | "in" | "!" | "{" | "}" => {}
            "function" | "coproc" => self.frame.named = true,
            // What follows is no command: the word stays, and the line is no longer literal.
            "for" | "select" | "case" | "[[" | "]]" => {
                self.problem(ProblemKind::Keyword, word.span.start);
                return false;
            }
            _ => return self.assignment(raw, word),
        }
        self.problem(ProblemKind::Keyword, word.span.start);
        true
    }

    fn time(&mut self, word: &Word<'a>) -> bool {
        self.words.push(word.clone());
        self.frame.position = Position::Timed;
        true
    }

    fn close_function(&mut self) -> bool {
        self.end_command(Join::Then);
        self.close();
        true
    }

    /// Takes `NAME=value`. Behind `time` it is left alone: whether it is one depends on which
    /// `time` it is.
    fn assignment(&mut self, raw: &'a str, word: &Word<'a>) -> bool {
        let timed = self.frame.position == Position::Timed;
        let Some((name, appends)) = assigned(raw).filter(|_| !timed) else {
            return false;
        };
        let length = name.len() + 1 + usize::from(appends);
        let mut value = word.clone();
        value.text = match &word.text {
            Cow::Borrowed(text) => Cow::Borrowed(text.get(length..).unwrap_or_default()),
            Cow::Owned(text) => Cow::Owned(text.get(length..).unwrap_or_default().to_owned()),
        };
        self.assignments.push(Assignment {
            name,
            value,
            appends,
        });
        true
    }

    /// Puts a word into the command.
    pub(super) fn place(&mut self, word: Word<'a>) {
        if self.frame.named && word.text == "{" {
            self.end_command(Join::Then);
            return;
        }
        self.words.push(word);
    }
}

/// The name in `NAME=…` or `NAME+=…`, as the shell sees it before it takes off quotes.
pub(super) fn assigned(raw: &str) -> Option<(&str, bool)> {
    let (name, _) = raw.split_once('=')?;
    let (name, appends) = name
        .strip_suffix('+')
        .map_or((name, false), |name| (name, true));
    is_name(name).then_some((name, appends))
}

/// Whether a variable can have this name.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
