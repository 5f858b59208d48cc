//! What a rule that denies or asks looks for in a command.

use crate::programs::Program;

use super::{
    line::Kind,
    pattern::{Pattern, Piece},
    view::{Operand, Opt, View},
};

/// What a rule that denies or asks looks for: operands in their order, options in any.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    operands: Vec<Piece>,
    options: Vec<Wanted>,
    open: bool,
    /// Whether there may be further options: a star anywhere stands for them, too.
    more_options: bool,
    dashes: bool,
}

/// An option that has to be there.
#[derive(Clone, Debug)]
struct Wanted {
    name: Piece,
    /// What its value has to be; any, if the rule says nothing.
    value: Option<Piece>,
}

/// How sure a match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    No,
    /// A word that is not known yet decides.
    Maybe,
    Yes,
}

impl Shape {
    /// The shape of a pattern, whose first word is the program.
    pub(super) fn new(pattern: &Pattern, program: Option<&Program>) -> Self {
        let rest = pattern.pieces.get(1..).unwrap_or_default();
        let dashes = rest.iter().any(|piece| piece.word() == Some("--"));
        let (operands, options) = match program {
            Some(program) => by_table(pattern, program),
            None => by_dashes(rest),
        };
        Self {
            operands,
            options,
            open: pattern.open,
            more_options: pattern.open || pattern.pieces.contains(&Piece::Any),
            dashes,
        }
    }

    /// The first operand, if it is spelled out: rules are found by it.
    pub(super) fn key(&self) -> Option<&str> {
        self.operands.first().and_then(Piece::word)
    }

    /// A word beside the first operand without which a command is not meant, if one is spelled out:
    /// the value of an option, or else the last operand.
    pub(super) fn telling_word(&self) -> Option<&str> {
        let values = self
            .options
            .iter()
            .filter_map(|wanted| wanted.value.as_ref());
        let operands = self.operands.iter().skip(1).rev();
        values.chain(operands).find_map(Piece::word)
    }

    /// Whether there has to be an option.
    pub(super) fn wants_options(&self) -> bool {
        !self.options.is_empty()
    }

    pub(super) fn find(&self, view: &View<'_>) -> Match {
        let options = self.find_options(view);
        if options == Match::No || self.dashes && !view.dashes && !view.opaque {
            return Match::No;
        }
        let operands = match self.find_operands(view, false) {
            true => Match::Yes,
            false if view.opaque => Match::Maybe,
            false if self.find_operands(view, true) => Match::Maybe,
            false => Match::No,
        };
        options.min(operands)
    }

    fn find_options(&self, view: &View<'_>) -> Match {
        let wanted = |wanted: &Wanted| {
            view.options
                .iter()
                .any(|option| wanted.matches(option, view.known))
        };
        let meant = |option: &Opt<'_>| is_named(&self.options, option, view.known);
        let found = self.options.iter().all(wanted)
            && (self.more_options || view.options.iter().all(meant));
        match found {
            true => Match::Yes,
            false if view.opaque || view.uncertain => Match::Maybe,
            false => Match::No,
        }
    }

    /// Follows all ways to read the operands at once, one bit for each number of pieces matched.
    fn find_operands(&self, view: &View<'_>, lenient: bool) -> bool {
        let full = 1_u128.checked_shl(u32::try_from(self.operands.len()).unwrap_or(u32::MAX));
        let Some(full) = full else { return true };
        let mut states = self.past_stars(1);
        for operand in &view.operands {
            if self.open && states & full != 0 {
                return true;
            }
            states = self.past_stars(self.step(states, operand, lenient));
            if states == 0 {
                return false;
            }
        }
        states & full != 0
    }

    fn step(&self, states: u128, operand: &Operand<'_>, lenient: bool) -> u128 {
        let mut next = if operand.may_be_value { states } else { 0 };
        for (number, piece) in self.operands.iter().enumerate() {
            let here = 1_u128 << number;
            if states & here == 0 {
                continue;
            }
            if *piece == Piece::Any {
                next |= here;
            } else if piece.matches(operand.text) || lenient && may_match(piece, operand) {
                next |= here << 1;
            }
        }
        next
    }

    /// A star on its own may stand for nothing.
    fn past_stars(&self, mut states: u128) -> u128 {
        for (number, piece) in self.operands.iter().enumerate() {
            let here = 1_u128 << number;
            if *piece == Piece::Any && states & here != 0 {
                states |= here << 1;
            }
        }
        states
    }
}

/// Whether a word that is not known yet may become what the rule names.
fn may_match(piece: &Piece, operand: &Operand<'_>) -> bool {
    match (operand.kind, piece) {
        (Kind::Literal, _) => false,
        (Kind::Glob(length), Piece::Word(word)) => operand
            .text
            .get(..length)
            .is_some_and(|known| word.starts_with(known)),
        _ => true,
    }
}

impl Wanted {
    /// Whether an option of the command is the one that is wanted.
    fn matches(&self, option: &Opt<'_>, known: bool) -> bool {
        let value = |value: &Piece| option.value.is_some_and(|typed| value.matches(typed));
        self.value.as_ref().is_none_or(value)
            && (self.name.matches(&option.name) || !known && self.resembles(&option.name))
    }

    /// Without a table: a long option may be cut short, and a letter may stand among others.
    fn resembles(&self, typed: &str) -> bool {
        let Some(name) = self.name.word() else {
            return false;
        };
        match (name.strip_prefix("--"), typed.strip_prefix("--")) {
            (Some(long), Some(typed)) => !typed.is_empty() && long.starts_with(typed),
            (None, None) => name.chars().all(|letter| typed.contains(letter)),
            _ => false,
        }
    }
}

/// Whether a rule without a star at its end names everything that is in an option.
fn is_named(wanted: &[Wanted], option: &Opt<'_>, known: bool) -> bool {
    let whole =
        |wanted: &Wanted| wanted.name.matches(&option.name) || wanted.resembles(&option.name);
    let letter = |letter: char| {
        wanted
            .iter()
            .any(|w| w.name.word() == Some(&*format!("-{letter}")))
    };
    let cluster = !known && !option.name.starts_with("--");
    match cluster {
        true => option.name.chars().skip(1).all(letter),
        false => wanted.iter().any(whole),
    }
}

type Sorted = (Vec<Piece>, Vec<Wanted>);

/// Sorts a pattern as the table of its program sorts commands.
fn by_table(pattern: &Pattern, program: &Program) -> Sorted {
    let texts: Vec<String> = pattern.pieces.iter().map(text).collect();
    let words: Vec<&str> = texts.iter().map(String::as_str).collect();
    let split = program.split(&words);
    let back = |word: &str| pattern.pieces.iter().find(|p| text(p) == *word).cloned();
    let piece = |word: &str| back(word).unwrap_or_else(|| Piece::Word(word.into()));
    let wanted = |option: crate::programs::OptionWord<'_>| Wanted {
        name: piece(&option.canonical),
        value: option.value.map(piece).filter(|value| *value != Piece::Any),
    };
    (
        split.operands.iter().map(|word| piece(word.text)).collect(),
        split.options.into_iter().map(wanted).collect(),
    )
}

fn text(piece: &Piece) -> String {
    match piece {
        Piece::Word(word) => word.to_string(),
        Piece::Glob(glob) => glob.to_string(),
        Piece::Any => "*".to_owned(),
    }
}

/// Sorts a pattern for a program without a table.
fn by_dashes(pieces: &[Piece]) -> Sorted {
    let (mut operands, mut options) = (Vec::new(), Vec::new());
    let mut ended = false;
    for piece in pieces {
        let text = text(piece);
        if text == "--" && !ended {
            ended = true;
        } else if !ended && text.len() > 1 && text.starts_with('-') {
            options.extend(letters_or_word(piece, &text));
        } else {
            operands.push(piece.clone());
        }
    }
    (operands, options)
}

/// `-rf` may be one option or two; both are looked for as letters of one word or of several.
fn letters_or_word(piece: &Piece, text: &str) -> Vec<Wanted> {
    let (name, value) = text
        .split_once('=')
        .map_or((text, None), |(n, v)| (n, Some(v)));
    if name.starts_with("--") || value.is_some() || piece.word().is_none() {
        return vec![Wanted {
            name: Piece::new(name),
            value: value.map(Piece::new),
        }];
    }
    let letter = |c: char| Wanted {
        name: Piece::Word(format!("-{c}").into()),
        value: None,
    };
    name.chars().skip(1).map(letter).collect()
}
