//! What a command line was read as.

use std::{borrow::Cow, fmt, ops::Range};

use crate::spec::DialectSpec;

/// How a line is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Bash,
    /// As bash, where fewer characters stand for themselves.
    Zsh,
    /// Read as bash to see what it might run, and taken at its word only if every shell would read
    /// it the same.
    Other,
}

impl From<DialectSpec> for Dialect {
    fn from(spec: DialectSpec) -> Self {
        match spec {
            DialectSpec::Bash => Self::Bash,
            DialectSpec::Zsh => Self::Zsh,
            _ => Self::Other,
        }
    }
}

/// A command line: the commands that could be seen in it, and what is wrong with it, if anything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line<'a> {
    pub(super) commands: Vec<Command>,
    pub(super) words: Vec<Word<'a>>,
    pub(super) assignments: Vec<Assignment<'a>>,
    pub(super) redirects: Vec<Redirect<'a>>,
    /// The first thing that keeps the line from being taken at its word. Without it, the line is
    /// exactly its commands.
    pub(super) problem: Option<Problem>,
}

impl<'a> Line<'a> {
    pub(super) fn words(&self, command: &Command) -> &[Word<'a>] {
        self.words.get(command.words.clone()).unwrap_or_default()
    }

    pub(super) fn assignments(&self, command: &Command) -> &[Assignment<'a>] {
        self.assignments
            .get(command.assignments.clone())
            .unwrap_or_default()
    }

    pub(super) fn redirects(&self, command: &Command) -> &[Redirect<'a>] {
        self.redirects
            .get(command.redirects.clone())
            .unwrap_or_default()
    }
}

/// A simple command, as ranges into its line.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) words: Range<usize>,
    pub(super) assignments: Range<usize>,
    pub(super) redirects: Range<usize>,
    /// What stands behind it.
    pub(super) join: Join,
}

impl Command {
    /// A command that is the first so many words of its line.
    pub(super) fn of_words(count: usize) -> Self {
        Self {
            words: 0..count,
            assignments: 0..0,
            redirects: 0..0,
            join: Join::Then,
        }
    }
}

/// What stands between a command and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    Pipe,
    And,
    Or,
    /// `;`, a new line, or nothing more.
    Then,
    /// `&`.
    Background,
}

/// Bytes of the line, from and to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// A word, its quotes taken off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) kind: Kind,
    pub(super) span: Span,
}

impl<'a> Word<'a> {
    /// A word that no shell has touched.
    pub(super) fn literal(text: impl Into<Cow<'a, str>>) -> Self {
        Self {
            text: text.into(),
            kind: Kind::Literal,
            span: Span::default(),
        }
    }

    pub(super) fn is_literal(&self) -> bool {
        self.kind == Kind::Literal
    }
}

/// What is known of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It is its text.
    Literal,
    /// It is the names of files that begin with this many bytes of its text, or else its text.
    Glob(usize),
    /// It may become anything.
    Opaque,
}

/// `NAME=value` in front of a command.
#[derive(Clone, Debug)]
pub(super) struct Assignment<'a> {
    pub(super) name: &'a str,
    pub(super) value: Word<'a>,
    /// `NAME+=value`.
    pub(super) appends: bool,
}

/// `>file` and its like.
#[derive(Clone, Debug)]
pub(super) struct Redirect<'a> {
    pub(super) operator: Operator,
    pub(super) target: Word<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Read,
    Write,
    ReadWrite,
    /// To or from a descriptor, or closing one.
    Duplicate,
    /// A here-document or here-string.
    Here,
}

/// Why a line is not taken at its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    Expansion,
    Substitution,
    Brace,
    Tilde,
    Glob,
    Comment,
    Here,
    Group,
    Keyword,
    OddCharacter,
    Unfinished,
    MissingCommand,
    Redirect,
    Continuation,
    Dialect,
    TooDeep,
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Expansion => "`$` is expanded by the shell",
            Self::Substitution => "a command inside a word is run by the shell",
            Self::Brace => "braces are expanded by the shell",
            Self::Tilde => "`~` is expanded by the shell",
            Self::Glob => "a pattern of file names may become an option or a command",
            Self::Comment => "there is a comment",
            Self::Here => "there is a here-document or here-string",
            Self::Group => "there is a subshell, an array or a function",
            Self::Keyword => "there is a keyword of the shell",
            Self::OddCharacter => "there is a control, hidden or unusual character",
            Self::Unfinished => "a quote, substitution or escape has no end",
            Self::MissingCommand => "an operator lacks a command",
            Self::Redirect => "a redirection cannot be read",
            Self::Continuation => "a word goes on in the next line",
            Self::Dialect => "other shells than bash may read it differently",
            Self::TooDeep => "it is nested too deep",
        })
    }
}
