//! Takes the words of a command apart the way the program itself will.

use super::Program;
use super::kind::Kind;
use super::table::{Arity, Command, Opt, Syntax};

/// One thing among the words of a command.
#[derive(Debug)]
pub(super) enum Item<'t, 'a> {
    /// The name of a sub-command or of a module, or a `--` after which other options hold.
    Command { at: usize, command: &'t Command },
    Option {
        at: usize,
        /// Who reads it.
        command: &'t Command,
        /// What the table says of it, if it is there.
        opt: Option<&'t Opt>,
        name: Name<'a>,
        /// Whether the name is written out in full.
        exact: bool,
        value: Option<Value<'a>>,
    },
    /// `-20` where that is an option.
    Number(&'a str),
    Operand {
        at: usize,
        /// Who reads it.
        command: &'t Command,
        word: &'a str,
        /// Which one it is, counted from what the table lists first.
        nth: usize,
    },
    /// The `--` that ends the options.
    End,
}

/// The name of an option as it is typed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name<'a> {
    Word(&'a str),
    /// A letter among several behind one dash.
    Letter(char),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'a> {
    pub(super) at: usize,
    pub(super) text: &'a str,
}

/// The items of a command, one by one.
pub(super) struct Walk<'t, 'a, W> {
    words: W,
    next: usize,
    /// What is left of a word of short options, and where it stands.
    cluster: Value<'a>,
    bundled: bool,
    /// A module that the option before named.
    module: Option<Value<'a>>,
    pub(super) command: &'t Command,
    program: &'t Program,
    ended: bool,
    operands: usize,
}

impl<'t, 'a, W: Fn(usize) -> Option<&'a str>> Walk<'t, 'a, W> {
    /// Starts behind the program's own name.
    pub(super) fn new(program: &'t Program, words: W) -> Self {
        Self {
            words,
            next: 1,
            cluster: Value { at: 0, text: "" },
            bundled: false,
            module: None,
            command: &program.root,
            program,
            ended: false,
            operands: 0,
        }
    }

    fn take(&mut self) -> Option<Value<'a>> {
        let at = self.next;
        let text = (self.words)(at)?;
        self.next += 1;
        Some(Value { at, text })
    }

    fn word(&mut self, word: Value<'a>) -> Item<'t, 'a> {
        let Syntax { text, no_end, .. } = self.command.syntax;
        if self.ended || text {
            return self.operand(word);
        }
        if word.text == "--" && !no_end {
            return self.end(word.at);
        }
        if self.is_bundle(word) {
            self.bundled = true;
            return self.letter(word.at, word.text);
        }
        self.option(word)
    }

    fn end(&mut self, at: usize) -> Item<'t, 'a> {
        let Some(command) = self.command.sub("--") else {
            self.ended = true;
            return Item::End;
        };
        self.enter(at, command)
    }

    fn enter(&mut self, at: usize, command: &'t Command) -> Item<'t, 'a> {
        self.command = command;
        self.operands = 0;
        self.ended = false;
        Item::Command { at, command }
    }

    fn is_bundle(&self, word: Value<'a>) -> bool {
        self.command.syntax.bundle
            && word.at == 1
            && !word.text.is_empty()
            && !word.text.starts_with('-')
    }

    fn option(&mut self, word: Value<'a>) -> Item<'t, 'a> {
        let syntax = self.command.syntax;
        let Some(rest) = word.text.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
            return self.plain(word);
        };
        if rest.starts_with('-') || syntax.single {
            return self.long(word);
        }
        let listed = self.command.option(name_of(word.text)).is_some();
        if syntax.numbers && !listed && rest.bytes().all(|byte| byte.is_ascii_digit()) {
            return Item::Number(word.text);
        }
        if rest.len() > 1 && listed {
            return self.long(word);
        }
        self.bundled = false;
        self.letter(word.at, rest)
    }

    fn plain(&mut self, word: Value<'a>) -> Item<'t, 'a> {
        let syntax = self.command.syntax;
        let odd = (syntax.plus && word.text.starts_with('+'))
            || (syntax.at && word.text.starts_with('@'));
        if odd {
            return Item::Option {
                at: word.at,
                command: self.command,
                opt: None,
                name: Name::Word(word.text),
                exact: true,
                value: None,
            };
        }
        if self.operands == 0
            && let Some(command) = self.command.sub(word.text)
        {
            return self.enter(word.at, command);
        }
        self.operand(word)
    }

    fn operand(&mut self, word: Value<'a>) -> Item<'t, 'a> {
        let nth = self.operands;
        let command = self.command;
        self.operands += 1;
        self.ended |= command.syntax.posix;
        if command.is_group() {
            self.command = &self.program.foreign;
        }
        Item::Operand {
            at: word.at,
            command,
            word: word.text,
            nth,
        }
    }

    /// An option of several letters, with its value in the same word or in the next.
    fn long(&mut self, word: Value<'a>) -> Item<'t, 'a> {
        let typed = name_of(word.text);
        let command = self.command;
        let found = command.option(typed).or_else(|| {
            let single = typed.strip_prefix('-').filter(|_| command.syntax.single);
            single.and_then(|name| command.option(name))
        });
        let opt = found.or_else(|| {
            let long = !command.syntax.single && typed.len() > 2;
            command.abbreviated(typed).filter(|_| long)
        });
        let attached = word
            .text
            .get(typed.len() + 1..)
            .map(|text| Value { at: word.at, text });
        let value = match opt {
            Some(opt) if attached.is_none() => self.separate(opt.arity),
            _ => attached,
        };
        self.found(word.at, opt, Name::Word(typed), found.is_some(), value)
    }

    /// The value of an option that has none in its own word.
    fn separate(&mut self, arity: Arity) -> Option<Value<'a>> {
        match arity {
            Arity::Flag | Arity::Optional => None,
            Arity::Required => self.take(),
            Arity::Pair => self.take().and_then(|_| self.take()),
        }
    }

    /// The first of several letters behind one dash.
    fn letter(&mut self, at: usize, letters: &'a str) -> Item<'t, 'a> {
        let mut rest = letters.chars();
        let letter = rest.next().unwrap_or('-');
        let text = rest.as_str();
        self.cluster = Value { at, text };
        let command = self.command;
        let opt = command.option(dashed(letter, &mut [0; 5]));
        let attached = !self.bundled && !command.syntax.separate;
        let value = match opt.map(|opt| opt.arity) {
            None | Some(Arity::Flag) => None,
            Some(Arity::Required | Arity::Optional) if !text.is_empty() && attached => {
                Some(std::mem::replace(&mut self.cluster, Value { at, text: "" }))
            }
            Some(arity) => self.separate(arity),
        };
        self.found(at, opt, Name::Letter(letter), true, value)
    }

    fn found(
        &mut self,
        at: usize,
        opt: Option<&'t Opt>,
        name: Name<'a>,
        exact: bool,
        value: Option<Value<'a>>,
    ) -> Item<'t, 'a> {
        if let Some(opt) = opt {
            if opt.kind == Kind::Module {
                self.module = value;
            }
            if opt.is_one_of(&self.command.instead) && self.operands == 0 {
                self.operands = 1;
            }
        }
        Item::Option {
            at,
            command: self.command,
            opt,
            name,
            exact,
            value,
        }
    }

    fn enter_module(&mut self, module: Value<'a>) -> Item<'t, 'a> {
        let known = self.command.module(module.text);
        self.enter(
            module.at,
            known.map_or(&self.program.foreign, |known| known),
        )
    }
}

impl<'t, 'a, W: Fn(usize) -> Option<&'a str>> Iterator for Walk<'t, 'a, W> {
    type Item = Item<'t, 'a>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(module) = self.module.take() {
            return Some(self.enter_module(module));
        }
        if !self.cluster.text.is_empty() {
            let Value { at, text } = self.cluster;
            return Some(self.letter(at, text));
        }
        let word = self.take()?;
        Some(self.word(word))
    }
}

/// The part of a word in front of `=`.
fn name_of(word: &str) -> &str {
    word.split_once('=').map_or(word, |(name, _)| name)
}

/// Writes `-x` for a letter.
fn dashed(letter: char, buffer: &mut [u8; 5]) -> &str {
    let [dash, rest @ ..] = buffer;
    *dash = b'-';
    let len = letter.encode_utf8(rest).len();
    let written = buffer.get(..=len).unwrap_or_default();
    std::str::from_utf8(written).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::programs::{Word, format};

    #[test]
    fn a_digit_that_is_listed_is_not_just_any_number() {
        let table = "syntax = 'numbers'\nknown = '-2 -34'\n";
        let program = format::program("x", table).unwrap();
        let covers = |text| {
            let words = ["x", text].map(|text| Word { text, glob: false });
            program.covers(&words, 1).is_ok()
        };
        assert!(covers("-3") && covers("-22"));
        assert!(!covers("-2") && !covers("-34"));
    }
}
