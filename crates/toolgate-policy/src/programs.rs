//! What is known about programs: their options, and which of them are harmless.
//!
//! To be documented.

mod awk;
mod builtin;
mod cover;
mod delimited;
mod format;
mod inner;
mod jq;
mod kind;
mod sed;
mod table;
#[cfg(test)]
mod tests;
mod view;
mod walk;

use std::sync::Arc;

pub(crate) use self::cover::NotCovered;
use self::table::Command;
pub(crate) use self::view::{OptionWord, Split};

/// The programs whose options are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Programs;

impl Programs {
    /// The tables that come with the crate.
    pub(crate) fn builtin() -> Self {
        Self
    }

    /// Reads the table of a program, by the name that it is called by.
    pub(crate) fn get(&self, program: &str) -> Option<Arc<Program>> {
        builtin::get(program)?.ok().map(Arc::new)
    }
}

/// What a program is to a rule with a wildcard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Ordinary,
    /// Runs the code that it is given.
    Interpreter,
    /// Runs another program.
    Wrapper,
    /// A part of the shell.
    Builtin,
}

/// A word of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<'a> {
    pub(crate) text: &'a str,
    /// Whether it is a pattern of file names behind something literal, such as `src/*.rs`. It may
    /// become several words, and each of them begins with what is literal.
    pub(crate) glob: bool,
}

/// Where a program that runs another one has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inner<'a> {
    /// It runs nothing, or only what its own rules speak of, such as a script by name.
    None,
    /// The words from this one on.
    Command(usize),
    /// A line that a shell runs.
    Line(&'a str),
    /// It runs something, and the words do not say what.
    Unknown,
}

/// What is known about one program.
///
/// All methods take the words of the whole command, the program's name first.
#[derive(Debug)]
pub(crate) struct Program {
    role: Role,
    root: Arc<Command>,
    /// Reads the words that no table speaks of.
    foreign: Command,
}

impl Program {
    pub(crate) fn role(&self) -> Role {
        self.role
    }

    /// Whether an allow rule that spells out the first `literal` words, the program's name
    /// included, and ends in `*` covers the remaining words.
    ///
    /// # Errors
    ///
    /// Says what is not covered, without quoting the command.
    pub(crate) fn covers(&self, words: &[Word<'_>], literal: usize) -> Result<(), NotCovered> {
        cover::covers(self, words, literal)
    }

    /// The words for rules that deny or ask: options and operands apart, letters behind one dash
    /// and `--option=value` split, and every option spelled as the table has it.
    pub(crate) fn split<'a>(&self, words: &[&'a str]) -> Split<'a> {
        view::split(self, words)
    }

    /// The words and parts of words that are paths, or may be.
    pub(crate) fn paths<'a>(&self, words: &[&'a str]) -> Vec<&'a str> {
        view::paths(self, words)
    }

    /// The command inside of the command.
    pub(crate) fn inner<'a>(&self, words: &[&'a str]) -> Inner<'a> {
        inner::inner(self, words)
    }
}
