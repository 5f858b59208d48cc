//! What is denied or asked about.

use std::{cell::LazyCell, sync::Arc};

use foldhash::{HashMap, HashSet, HashSetExt as _};

use crate::{
    finding::{Outcome, RuleIndex, Scope},
    programs::Program,
};

use super::{
    line::{Kind, Word},
    pattern::{Pattern, Piece},
    shape::{Match, Shape},
    view::{Operand, View},
};

/// All rules that deny or ask, by program and first operand.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    programs: HashMap<Box<str>, ForProgram>,
    /// Those that do not name their program.
    any: Vec<(Piece, Refusal)>,
    some: bool,
}

#[derive(Debug, Default)]
struct ForProgram {
    program: Option<Arc<Program>>,
    by_operand: HashMap<Box<str>, ForOperand>,
    rest: ForOperand,
}

/// Rules over one program and one first operand. There can be thousands: those that name a further
/// word are found by it.
#[derive(Debug, Default)]
struct ForOperand {
    by_word: HashMap<Box<str>, Vec<Refusal>>,
    rest: Vec<Refusal>,
}

/// A rule that denies or asks.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) rule: RuleIndex,
    pub(super) outcome: Outcome,
    shape: Shape,
    excepts: Arc<[Pattern]>,
    /// The program as it has to be typed, where the rule names a path.
    path: Option<Box<str>>,
}

/// What is to be done with a rule that was found.
pub(super) type Hit<'h> = dyn FnMut(&Refusal, Match) + 'h;

impl Refusals {
    pub(super) fn is_empty(&self) -> bool {
        !self.some
    }

    pub(super) fn insert(
        &mut self,
        (rule, outcome): (RuleIndex, Outcome),
        pattern: &Pattern,
        excepts: Arc<[Pattern]>,
        table: impl FnOnce(&str) -> Option<Arc<Program>>,
    ) {
        self.some = true;
        let Some(first) = pattern.pieces.first().and_then(Piece::word) else {
            let first = pattern.pieces.first().cloned().unwrap_or(Piece::Any);
            let refusal = Refusal {
                rule,
                outcome,
                shape: Shape::new(pattern, None),
                excepts,
                path: None,
            };
            return self.any.push((first, refusal));
        };
        let name = super::unwrap::base_name(first);
        let path = first.contains(['/', '\\']).then(|| first.into());
        let new = || ForProgram {
            program: table(&name),
            ..ForProgram::default()
        };
        let program = self.programs.entry(Box::from(&*name)).or_insert_with(new);
        let shape = Shape::new(pattern, program.program.as_deref());
        let list = match shape.key() {
            Some(key) => program.by_operand.entry(key.into()).or_default(),
            None => &mut program.rest,
        };
        let list = match shape.telling_word() {
            Some(word) => list.by_word.entry(word.into()).or_default(),
            None => &mut list.rest,
        };
        list.push(Refusal {
            rule,
            outcome,
            shape,
            excepts,
            path,
        });
    }

    /// Hands out every rule that is in force and meets the command, whose program goes by `name`.
    pub(super) fn find(
        &self,
        name: &str,
        words: &[Word<'_>],
        open: bool,
        scope: &dyn Scope,
        hit: &mut Hit<'_>,
    ) {
        if let Some(rules) = self.programs.get(name) {
            let view = View::new(words, rules.program.as_deref(), open);
            rules.each(&view, &mut |refusal| refusal.meet(&view, words, scope, hit));
        }
        let dashed = LazyCell::new(|| open || words.iter().any(may_be_option));
        let mut any = self
            .any
            .iter()
            .filter(|(first, refusal)| {
                first.matches(name) && (!refusal.shape.wants_options() || *dashed)
            })
            .peekable();
        if any.peek().is_some() {
            let view = View::new(words, None, open);
            for (_, refusal) in any {
                refusal.meet(&view, words, scope, hit);
            }
        }
    }
}

/// Whether a word may be an option, or bring one.
fn may_be_option(word: &Word<'_>) -> bool {
    word.kind == Kind::Opaque || word.text.starts_with('-')
}

impl ForProgram {
    /// The rules that can meet a command, found by the operands that may be its first.
    fn each<'r>(&'r self, view: &View<'_>, f: &mut dyn FnMut(&'r Refusal)) {
        self.rest.each(view, f);
        for operand in &view.operands {
            if view.opaque || operand.kind != Kind::Literal {
                return self
                    .by_operand
                    .values()
                    .for_each(|rules| rules.each(view, f));
            }
            if let Some(rules) = self.by_operand.get(operand.text) {
                rules.each(view, f);
            }
            if !operand.may_be_value {
                return;
            }
        }
        if view.opaque {
            self.by_operand
                .values()
                .for_each(|rules| rules.each(view, f));
        }
    }
}

impl ForOperand {
    /// The rules that can meet a command, found by the words in it. Where a word is not known, all.
    fn each<'r>(&'r self, view: &View<'_>, f: &mut dyn FnMut(&'r Refusal)) {
        self.rest.iter().for_each(&mut *f);
        let unknown = |operand: &Operand<'_>| operand.kind != Kind::Literal;
        if view.opaque || view.uncertain || view.operands.iter().any(unknown) {
            return self.by_word.values().flatten().for_each(f);
        }
        let operands = view.operands.iter().map(|operand| operand.text);
        let values = view.options.iter().filter_map(|option| option.value);
        if self.by_word.is_empty() {
            return;
        }
        let mut seen: HashSet<&str> = HashSet::new();
        for word in operands.chain(values) {
            if let Some(rules) = self.by_word.get(word)
                && seen.insert(word)
            {
                rules.iter().for_each(&mut *f);
            }
        }
    }
}

impl Refusal {
    fn meet(&self, view: &View<'_>, words: &[Word<'_>], scope: &dyn Scope, hit: &mut Hit<'_>) {
        let met = self.shape.find(view);
        if met > Match::No
            && scope.is_active(self.rule)
            && self.is_path(words)
            && !self.is_excepted(words)
        {
            hit(self, met);
        }
    }

    /// Whether a rule that names a path means this one. A bare name may be found there, too.
    fn is_path(&self, words: &[Word<'_>]) -> bool {
        let (Some(path), Some(word)) = (&self.path, words.first()) else {
            return true;
        };
        let same = super::dirs::normal("", &word.text) == super::dirs::normal("", path);
        same || path.starts_with('/') && !word.text.contains('/')
    }

    /// Exceptions are narrow: they hold for words that are known, as they are typed.
    fn is_excepted(&self, words: &[Word<'_>]) -> bool {
        let known = !self.excepts.is_empty() && words.iter().all(Word::is_literal);
        let texts = || words.iter().map(|word| &*word.text);
        known
            && self
                .excepts
                .iter()
                .any(|except| except.matches_exactly(texts()))
    }
}
