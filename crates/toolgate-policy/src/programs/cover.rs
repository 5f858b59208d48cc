//! Whether the `*` at the end of an allow rule covers the rest of a command.

use std::fmt;

use super::kind::Kind;
use super::table::{Arity, Command, Opt};
use super::walk::{Item, Value, Walk};
use super::{Program, Word};

/// Why a `*` does not cover the rest of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotCovered(Why);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// An option that is in the table, and not harmless.
    Option(&'static str),
    UnknownOption,
    /// A harmless option whose value is not.
    Value(&'static str, &'static str),
    NoValue(&'static str),
    SubCommand(&'static str),
    Operand(&'static str),
    Extra,
    Glob,
    /// The option without which the program does something else.
    Mode(&'static str),
}

impl fmt::Display for NotCovered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Why::Option(name) => write!(f, "the option `{name}` is not known to be harmless"),
            Why::UnknownOption => f.write_str("an option that is not known to be harmless"),
            Why::Value(name, why) => write!(f, "the option `{name}` has {why}"),
            Why::NoValue(name) => write!(f, "the option `{name}` does not fit its value"),
            Why::SubCommand("") => f.write_str("a sub-command that is not known"),
            Why::SubCommand(name) => write!(f, "a wildcard does not stand for `{name}`"),
            Why::Operand(why) => f.write_str(why),
            Why::Extra => f.write_str("a word where none is known to be harmless"),
            Why::Glob => f.write_str("a pattern of file names where one word is expected"),
            Why::Mode(name) => write!(f, "only covered together with an option such as `{name}`"),
        }
    }
}

impl std::error::Error for NotCovered {}

/// Judges all words from the one with the number `literal` on.
pub(super) fn covers(
    program: &Program,
    words: &[Word<'_>],
    literal: usize,
) -> Result<(), NotCovered> {
    let text = |at: usize| words.get(at).map(|word| word.text);
    let walk = Walk::new(program, text);
    let mut cover = Cover::new(&program.root, words, literal);
    for item in walk {
        cover.item(&item).map_err(NotCovered)?;
    }
    cover.end().map_err(NotCovered)
}

/// Whether a `*` behind these words covers anything.
pub(super) fn has_use_for_wildcard(program: &Program, rule: &[&str]) -> bool {
    let words: Vec<Word<'_>> = rule.iter().map(|text| Word { text, glob: false }).collect();
    let text = |at: usize| words.get(at).map(|word| word.text);
    let mut walk = Walk::new(program, text);
    let mut cover = Cover::new(&program.root, &words, words.len());
    let read = walk.by_ref().all(|item| cover.item(&item).is_ok());
    read && !cover.uncertain && cover.end().is_ok() && covers_something(walk.command)
}

fn covers_something(command: &Command) -> bool {
    !command.operands.is_empty()
        || command.sets.iter().any(|set| set.has_harmless())
        || command.subs.iter().any(|(_, sub)| sub.wild)
}

struct Cover<'t, 'w> {
    words: &'w [Word<'w>],
    literal: usize,
    /// The command that is run, as far as it is known.
    command: &'t Command,
    /// Whether the rule spells out its name.
    named: bool,
    /// Whether an option was seen without which nothing is covered.
    mode: bool,
    /// The rule itself has an option that no table knows, so nobody can say what follows it.
    uncertain: bool,
}

impl<'t, 'w> Cover<'t, 'w> {
    fn new(command: &'t Command, words: &'w [Word<'w>], literal: usize) -> Self {
        Self {
            words,
            literal,
            command,
            named: true,
            mode: false,
            uncertain: false,
        }
    }

    fn item(&mut self, item: &Item<'t, '_>) -> Result<(), Why> {
        match *item {
            Item::Command { at, command } => self.sub_command(at, command),
            Item::Option { at, opt: None, .. } => self.unknown(at),
            Item::Option {
                at,
                command,
                opt: Some(opt),
                exact,
                value,
                ..
            } => {
                self.mode |= opt.is_one_of(&command.mode);
                self.option(at, opt, exact, value)
            }
            Item::Operand {
                at,
                command,
                word,
                nth,
            } => self.operand(command, at, word, nth),
            Item::Number(_) | Item::End => Ok(()),
        }
    }

    fn sub_command(&mut self, at: usize, command: &'t Command) -> Result<(), Why> {
        if command.name == "--" {
            return Ok(());
        }
        self.command = command;
        self.mode = false;
        self.named = at < self.literal;
        self.single(at)
    }

    fn unknown(&mut self, at: usize) -> Result<(), Why> {
        self.uncertain |= at < self.literal;
        if self.uncertain {
            Ok(())
        } else {
            Err(Why::UnknownOption)
        }
    }

    fn option(
        &self,
        at: usize,
        opt: &Opt,
        exact: bool,
        value: Option<Value<'_>>,
    ) -> Result<(), Why> {
        let last = value.map_or(at, |value| value.at);
        if last < self.literal {
            return Ok(());
        }
        if !opt.harmless {
            return Err(Why::Option(opt.canonical()));
        }
        if !exact {
            return Err(Why::UnknownOption);
        }
        (at + 1..=last).try_for_each(|at| self.single(at))?;
        if !matches!(opt.kind, Kind::Text | Kind::Any) || value.is_none() {
            self.single(at)?;
        }
        match (opt.arity, value) {
            (Arity::Flag | Arity::Optional, None) => Ok(()),
            (Arity::Flag, Some(_)) | (_, None) => Err(Why::NoValue(opt.canonical())),
            (_, Some(value)) if looks_like_option(at, opt, value) => {
                Err(Why::NoValue(opt.canonical()))
            }
            (_, Some(value)) => {
                let checked = opt.kind.check(value.text);
                checked.map_err(|why| Why::Value(opt.canonical(), why))
            }
        }
    }

    fn operand(&mut self, command: &Command, at: usize, word: &str, nth: usize) -> Result<(), Why> {
        let kind = command.operands.kind(nth);
        if at < self.literal {
            self.mode |= matches!(kind, Some((Kind::Literal, _)));
            return Ok(());
        }
        let Some((kind, repeats)) = kind else {
            return Err(if command.is_group() {
                Why::SubCommand("")
            } else {
                Why::Extra
            });
        };
        if !(repeats && matches!(kind, Kind::Text | Kind::File | Kind::Inside | Kind::Plain)) {
            self.single(at)?;
        }
        kind.check(word).map_err(Why::Operand)
    }

    /// Refuses a word that may become several.
    fn single(&self, at: usize) -> Result<(), Why> {
        let glob = at >= self.literal && self.words.get(at).is_some_and(|word| word.glob);
        if glob { Err(Why::Glob) } else { Ok(()) }
    }

    fn end(&self) -> Result<(), Why> {
        if self.uncertain && self.words.len() > self.literal {
            return Err(Why::UnknownOption);
        }
        if !self.named && !self.command.wild {
            return Err(Why::SubCommand(self.command.name));
        }
        match self.command.mode.first() {
            Some(name) if !self.mode => Err(Why::Mode(name)),
            _ => Ok(()),
        }
    }
}

/// A value that looks like an option is not believed to be one: the table may be wrong about the
/// program, or speak of another version.
fn looks_like_option(at: usize, opt: &Opt, value: Value<'_>) -> bool {
    let second = value
        .text
        .strip_prefix('-')
        .and_then(|rest| rest.chars().next());
    value.at > at
        && opt.kind != Kind::Any
        && second.is_some_and(|second| second == '-' || second.is_ascii_alphabetic())
}
