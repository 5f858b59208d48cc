//! Where a program that runs another one has it.

use super::kind::Kind;
use super::table::{Form, Shape};
use super::view::walk;
use super::walk::Item;
use super::{Inner, Program};

pub(super) fn inner<'a>(program: &Program, words: &[&'a str]) -> Inner<'a> {
    let mut search = Search {
        shape: program.root.inner,
        ..Search::default()
    };
    for item in walk(program, words) {
        if let Some(found) = search.item(&item, words) {
            return found;
        }
    }
    search.end()
}

#[derive(Default)]
struct Search<'a> {
    /// A line that an option brought along.
    line: Option<&'a str>,
    /// `-c` of a shell.
    shell: bool,
    /// How many operands were passed over.
    skipped: usize,
    /// An option that no table knows: what follows it may be its value.
    uncertain: bool,
    /// An option with which nothing is run.
    idle: bool,
    /// Where the command that is running has the inner one.
    shape: Option<Shape>,
}

impl<'a> Search<'a> {
    fn item(&mut self, item: &Item<'_, 'a>, words: &[&'a str]) -> Option<Inner<'a>> {
        match *item {
            Item::Option { opt: None, .. } => self.uncertain = true,
            Item::Option {
                at,
                command,
                opt: Some(opt),
                value,
                ..
            } => {
                self.idle |= opt.is_one_of(&command.mode);
                self.shell |= opt.is_one_of(&["-c"]);
                match opt.kind {
                    Kind::Inner => return Some(self.words(at + 1)),
                    Kind::Line => self.line = value.map(|value| value.text),
                    _ => {}
                }
            }
            Item::Operand {
                at, word, command, ..
            } => {
                let shape = command.inner?;
                return self.operand(shape, at, word, words);
            }
            Item::Command { command, .. } => {
                self.shape = command.inner;
                self.skipped = 0;
            }
            Item::Number { .. } | Item::End => {}
        }
        None
    }

    fn words(&self, at: usize) -> Inner<'a> {
        if self.uncertain {
            Inner::Unknown
        } else {
            Inner::Command(at)
        }
    }

    fn operand(
        &mut self,
        shape: Shape,
        at: usize,
        word: &'a str,
        words: &[&'a str],
    ) -> Option<Inner<'a>> {
        if self.idle {
            return Some(Inner::None);
        }
        if shape.assignments && is_assignment(word) {
            return None;
        }
        if self.skipped < shape.skip {
            self.skipped += 1;
            return None;
        }
        Some(match shape.form {
            _ if self.uncertain || self.line.is_some() => Inner::Unknown,
            Form::Command => Inner::Command(at),
            Form::Line => joined(at, word, words),
            Form::Shell if self.shell => Inner::Line(word),
            Form::Shell => Inner::None,
            Form::Unknown => Inner::Unknown,
        })
    }

    fn end(self) -> Inner<'a> {
        match self.line {
            _ if self.idle => Inner::None,
            Some(line) => Inner::Line(line),
            None if self.reads_input() => Inner::Unknown,
            None => Inner::None,
        }
    }

    /// A shell without operands runs what it reads.
    fn reads_input(&self) -> bool {
        self.shape
            .is_some_and(|shape| matches!(shape.form, Form::Shell | Form::Unknown))
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}

/// Words that are joined by spaces and given to a shell.
fn joined<'a>(at: usize, word: &'a str, words: &[&'a str]) -> Inner<'a> {
    let rest = words.get(at + 1..).unwrap_or_default();
    let plain = |word: &&str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:,=@%+".contains(&byte);
        !word.is_empty() && word.bytes().all(fits)
    };
    if rest.is_empty() {
        Inner::Line(word)
    } else if plain(&word) && rest.iter().all(plain) {
        Inner::Command(at)
    } else {
        Inner::Unknown
    }
}
