//! The words of a command for rules that deny or ask, and for the check of paths.

use std::borrow::Cow;

use super::Program;
use super::kind::Kind;
use super::table::Command;
use super::walk::{Item, Name, Walk};

/// The words of a command behind the program's name, options and operands apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Split<'a> {
    /// Sub-commands among them, by their full names.
    pub(crate) operands: Vec<&'a str>,
    pub(crate) options: Vec<OptionWord<'a>>,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OptionWord<'a> {
    /// With its dashes; the same for all spellings of an option that a table knows.
    pub(crate) canonical: Cow<'a, str>,
    pub(crate) value: Option<&'a str>,
}

pub(super) fn split<'a>(program: &Program, words: &[&'a str]) -> Split<'a> {
    let mut split = Split::default();
    for item in walk(program, words) {
        match item {
            Item::Command { command, at } if command.name != "--" => {
                let typed = words.get(at).copied().unwrap_or_default();
                let name = if command.name.is_empty() {
                    typed
                } else {
                    command.name
                };
                split.operands.push(name);
            }
            Item::Operand { word, .. } => split.operands.push(word),
            Item::Number { word, .. } => split.options.push(OptionWord {
                canonical: Cow::Borrowed(word),
                value: None,
            }),
            Item::Option {
                opt, name, value, ..
            } => split.options.push(OptionWord {
                canonical: opt.map_or_else(|| typed(name), |opt| Cow::Borrowed(opt.canonical())),
                value: value.map(|value| value.text),
            }),
            Item::Command { .. } | Item::End => {}
        }
    }
    split
}

fn typed(name: Name<'_>) -> Cow<'_, str> {
    match name {
        Name::Word(word) => Cow::Borrowed(word),
        Name::Letter(letter) => Cow::Owned(format!("-{letter}")),
    }
}

pub(super) fn paths<'a>(program: &Program, words: &[&'a str]) -> Vec<&'a str> {
    let instead = walk(program, words).any(|item| match item {
        Item::Option {
            opt: Some(opt),
            command,
            ..
        } => opt.is_one_of(&command.instead),
        _ => false,
    });
    walk(program, words)
        .filter_map(|item| match item {
            Item::Operand {
                word, command, nth, ..
            } => may_be_path(command, nth, instead).then(|| value_of(command, nth, word)),
            Item::Option {
                opt, value, name, ..
            } => match opt {
                Some(opt) if !opt.kind.is_path() || matches!(opt.kind, Kind::Choice(_)) => None,
                _ => value.map(|value| value.text).or(trailing(name)),
            },
            _ => None,
        })
        .collect()
}

fn may_be_path(command: &Command, nth: usize, instead: bool) -> bool {
    let kind = command.operands.kind(nth);
    (instead && nth == 0) || kind.is_none_or(|(kind, _)| kind.is_path())
}

/// Where a word is `name=value`, only the value is a path.
fn value_of<'a>(command: &Command, nth: usize, word: &'a str) -> &'a str {
    match (command.operands.kind(nth), word.split_once('=')) {
        (Some((Kind::Choice(_), _)), Some((_, value))) => value,
        _ => word,
    }
}

/// What an option that no table knows has behind its letter.
fn trailing<'a>(name: Name<'a>) -> Option<&'a str> {
    match name {
        Name::Word(word) => word.find('/').and_then(|at| word.get(at..)),
        Name::Letter(_) => None,
    }
}

pub(super) fn walk<'t, 'a, 'w>(
    program: &'t Program,
    words: &'w [&'a str],
) -> Walk<'t, 'a, impl Fn(usize) -> Option<&'a str> + 'w>
where
    'a: 'w,
{
    Walk::new(&program.root, &program.foreign, |at| words.get(at).copied())
}
