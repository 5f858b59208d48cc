//! A command as rules that deny or ask see it: options and operands apart.

use std::borrow::Cow;

use foldhash::HashMap;

use crate::programs::{OperandWord, OptionWord, Program};

use super::line::{Kind, Word};

/// A command as rules that deny or ask see it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a doubt of its own, and none implies another"
)]
#[derive(Debug)]
pub(super) struct View<'w> {
    pub(super) operands: Vec<Operand<'w>>,
    pub(super) options: Vec<Opt<'w>>,
    /// Whether a table of options told them apart.
    pub(super) known: bool,
    /// Whether `--` stands among the words.
    pub(super) dashes: bool,
    /// Whether there may be words that nobody has seen.
    pub(super) opaque: bool,
    /// Whether nobody can say which sub-command reads the options.
    pub(super) uncertain: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Operand<'w> {
    pub(super) text: &'w str,
    pub(super) kind: Kind,
    /// It may belong to the option in front of it.
    pub(super) may_be_value: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Opt<'w> {
    /// The option as its table spells it, or as it was typed.
    pub(super) name: Cow<'w, str>,
    pub(super) value: Option<&'w str>,
}

impl<'w> View<'w> {
    /// Sorts the words of a command, the program first.
    pub(super) fn new(words: &'w [Word<'_>], program: Option<&Program>, open: bool) -> Self {
        let dashes = words.iter().any(|word| word.text == "--");
        // What an option has for a value may be what a rule names.
        let unknown = |word: &Word<'_>| match word.kind {
            Kind::Literal => false,
            Kind::Glob(_) => word.text.starts_with('-'),
            Kind::Opaque => true,
        };
        let opaque = open || words.iter().any(unknown);
        let (operands, options, uncertain) = match program {
            Some(program) => with_table(program, words),
            None => without_table(words),
        };
        Self {
            operands,
            options,
            known: program.is_some(),
            dashes,
            opaque,
            uncertain,
        }
    }
}

type Sorted<'w> = (Vec<Operand<'w>>, Vec<Opt<'w>>, bool);

fn with_table<'w>(program: &Program, words: &'w [Word<'_>]) -> Sorted<'w> {
    let texts: Vec<&'w str> = words.iter().map(|word| &*word.text).collect();
    let wild: HashMap<*const u8, Kind> = words
        .iter()
        .filter(|word| !word.is_literal())
        .map(|word| (word.text.as_ptr(), word.kind))
        .collect();
    let kind = |text: &str| wild.get(&text.as_ptr()).copied().unwrap_or(Kind::Literal);
    let split = program.split(&texts);
    let operand = |operand: OperandWord<'w>| Operand {
        text: operand.text,
        kind: kind(operand.text),
        may_be_value: operand.may_be_value,
    };
    let option = |option: OptionWord<'w>| Opt {
        name: option.canonical,
        value: option.value,
    };
    (
        split.operands.into_iter().map(operand).collect(),
        split.options.into_iter().map(option).collect(),
        split.uncertain,
    )
}

/// Without a table nobody knows which options take a value: the word behind one may be either.
fn without_table<'w>(words: &'w [Word<'_>]) -> Sorted<'w> {
    let (mut operands, mut options) = (Vec::new(), Vec::new());
    let (mut may_be_value, mut ended) = (false, false);
    for word in words.iter().skip(1) {
        let text: &'w str = &word.text;
        if text == "--" && !ended {
            (ended, may_be_value) = (true, false);
        } else if !ended && text.len() > 1 && text.starts_with('-') && word.is_literal() {
            let (name, value) = text
                .split_once('=')
                .map_or((text, None), |(n, v)| (n, Some(v)));
            may_be_value = value.is_none();
            options.push(Opt {
                name: Cow::Borrowed(name),
                value,
            });
        } else {
            operands.push(Operand {
                text,
                kind: word.kind,
                may_be_value,
            });
            may_be_value = false;
        }
    }
    (operands, options, false)
}
