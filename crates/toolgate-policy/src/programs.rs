//! What is known about programs: their options, and which of them are harmless.
//!
//! A rule such as `git log *` is about reading a history. `git log --output=/etc/x` writes a file, so
//! the wildcard must not cover it. Which options are harmless differs from program to program, and
//! from sub-command to sub-command; that knowledge is data, one file per program in the folder
//! `programs` of this crate. A table lists what is harmless. What it does not list is not covered,
//! whatever it is, and somebody is asked.
//!
//! # Adding a program
//!
//! Read the program's manual from beginning to end, options and operands alike. An option is harmless
//! if, with any value, it does none of these: run or load anything, read options, settings or lists
//! from elsewhere, write, delete or rename, send, or choose another directory, repository, host or
//! user. If in doubt, leave it out. Then write a table, list it in `builtin.rs`, and add lines to
//! `tests/covered.txt` and `tests/refused.txt`.
//!
//! ```toml
//! # sort. Output, temporary files, lists of files and programs that compress are not covered.
//! operands = "FILE*"
//! options = '''
//! -b,--ignore-leading-blanks -k,--key=TEXT -c,--check[=TEXT] -u,--unique
//! '''
//! known = '-o,--output=FILE -T,--temporary-directory=FILE --compress-program=TEXT'
//! ```
//!
//! Of TOML, tables use comments, headers, `true`, and text without escapes. These keys may stand at the top, where they are about the program itself, and in a section
//! `[command.NAME]` or `[command."NAME NAME"]`, where they are about a sub-command:
//!
//! | key | meaning |
//! |---|---|
//! | `options` | harmless options |
//! | `known` | options that are not, listed so that it is known whether a value follows |
//! | `operands` | the kinds of the operands in order; `KIND*` at the end stands for any number; none are covered without this key |
//! | `use` | groups of options from sections `[group.NAME]`; the group `global` is used everywhere |
//! | `syntax` | how words are read, see below; sub-commands inherit it |
//! | `wild` | `true` if a `*` may stand for the name of this sub-command: it only reads, or builds and tests the project |
//! | `mode` | options without one of which nothing is covered, because the program would do something else |
//! | `instead` | options that take the place of the first operand, such as `-e` of `grep` |
//! | `alias` | other names of the sub-command |
//! | `like` | the sub-command is another program, which has a table |
//!
//! A sub-command named `--` reads what follows the `--` of the command around it. `[module.NAME]` is
//! what an option of kind `MODULE` names, such as `python3 -m pytest`. At the top there is also
//! `role`: `interpreter` for what runs the code it is given, `wrapper` for what runs another program,
//! `builtin` for a part of the shell. A sub-command without any keys is known, and nothing about it is
//! covered.
//!
//! An option is its names, divided by commas, the one that stands for all of them first, followed by
//! nothing (a flag), `=KIND` (a value in the same word or the next), `[=KIND]` (a value in the same word
//! or none) or `==KIND` (a name and a value in the next two words). Kinds are:
//!
//! | kind | what it is, and what of it is covered |
//! |---|---|
//! | `TEXT`, `FILE` | anything; `FILE` may be a path, which matters where paths are checked |
//! | `ANY` | the same as `TEXT`, even if it looks like an option |
//! | `INSIDE`, `REVISION` | a path below the current directory |
//! | `{a\|b\|c=*}` | one of these; a `*` at the end stands for any text |
//! | `NAME`, `PACKAGE`, `NUMBER`, `SLUG`, `MODE`, `GOAL` | a plain name, one such as `@scope/name@1.0`, digits, `OWNER/NAME`, a mode without set-user-id, no assignment |
//! | `PLAIN` | a word for another program that does not look like an option |
//! | `LITERAL` | only what the rule spells out |
//! | `URL`, `ARCHIVE`, `REMOTE`, `REPOSITORY`, `REF`, `WRITEOUT`, `FORMAT` | an `http` or `https` address, a file that is on no other host, a remote by name, an address to clone, a reference that is not forced, a format of `curl`, one of `printf` |
//! | `SED`, `AWK`, `JQ` | a script that the module of that name finds harmless |
//! | `MODULE`, `LINE`, `INNER` | a module with a table, a line for a shell, the words of a command; never covered |
//!
//! By default words are read as GNU programs do: options and operands in any order, letters behind one
//! dash, long options behind two, `--` before further operands. The key `syntax` changes that:
//! `single` (long options have one dash: `find`, `go`), `separate` (letters behind one dash, but values
//! always in the next word), `posix` (the first operand ends the options), `numbers` (`-20` is an
//! option), `plus` and `at` (`+x` and `@x` are no operands), `bundle` (`tar tf`), `text` (no options at
//! all) and `no-end` (`--` is nothing special).
//!
//! Which command a program runs is not among what tables say: see `wrapper` and `carried` among the rules
//! over command lines.

mod awk;
mod builtin;
mod cover;
mod delimited;
mod format;
mod jq;
mod kind;
mod notation;
mod sections;
mod sed;
mod table;
#[cfg(test)]
mod tests;
mod view;
mod walk;

use std::sync::Arc;

pub(crate) use self::cover::NotCovered;
use self::table::Command;
pub(crate) use self::view::{OperandWord, OptionWord, Split};

/// Whether a script of `awk` runs and writes nothing.
pub(crate) fn is_plain_awk(script: &str) -> bool {
    awk::check(script).is_ok()
}

/// Whether a script of `sed` only prints.
pub(crate) fn is_plain_sed(script: &str) -> bool {
    sed::check(script).is_ok()
}

/// The programs whose options are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Programs {
    tables: &'static [builtin::Table],
}

impl Programs {
    /// The tables that come with the crate.
    pub(crate) fn builtin() -> Self {
        Self {
            tables: builtin::TABLES,
        }
    }

    /// Reads the table of a program, by the name that it is called by.
    pub(crate) fn get(&self, program: &str) -> Option<Arc<Program>> {
        builtin::get(self.tables, program)?.ok().map(Arc::new)
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

/// What is known about one program.
///
/// All methods take the words of the whole command, the program's name first.
#[derive(Debug)]
pub(crate) struct Program {
    role: Role,
    root: Arc<Command>,
    /// Reads the words behind a sub-command or a module that no table speaks of.
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

    /// Whether a `*` behind these words, the program's name first, covers anything. If not, the rule
    /// is a mistake: a sub-command that no table knows, or a program that would run what follows.
    pub(crate) fn has_use_for_wildcard(&self, rule: &[&str]) -> bool {
        cover::has_use_for_wildcard(self, rule)
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
}
