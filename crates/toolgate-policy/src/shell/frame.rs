//! Where the reader is: in the line itself, or in a command inside a word of it.

use super::{
    draft::Draft,
    line::{Operator, Span},
};

/// What ends a part of the line that has commands of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The end of the text.
    Text,
    /// `)`, of `$(`, `<(` and `>(`.
    Paren,
    Backtick,
    /// `}` of `${`: what stands in it is no command.
    Brace,
    /// `}` of `${ command; }`.
    Function,
}

/// What the next word of a command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    /// The program, or something in front of it.
    Command,
    /// As `Command`, behind `time`, which is both a keyword and a program.
    Timed,
    Argument,
}

/// A command that is being read, and what it stands in.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) end: End,
    pub(super) in_quotes: bool,
    /// How many `(` are open that began no substitution.
    pub(super) parens: usize,
    pub(super) draft: Option<Draft>,
    /// How many words, assignments and redirections belong to commands further out.
    pub(super) base: [usize; 3],
    /// A redirection that waits for its target.
    pub(super) redirect: Option<(Operator, Span)>,
    pub(super) position: Position,
    /// Behind `function` or `coproc`, where a name may stand in front of `{`.
    pub(super) named: bool,
    /// Behind `&&`, `||` or `|`.
    pub(super) owes: bool,
}

impl Frame {
    pub(super) fn new(end: End, base: [usize; 3]) -> Self {
        Self {
            end,
            in_quotes: false,
            parens: 0,
            draft: None,
            base,
            redirect: None,
            position: Position::Command,
            named: false,
            owes: false,
        }
    }
}
