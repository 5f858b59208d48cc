//! What is allowed, found word by word.

use std::{borrow::Cow, fmt, sync::Arc};

use foldhash::HashMap;
use smallvec::SmallVec;

use crate::{
    finding::{RuleIndex, Scope},
    programs::{self, Program, Role},
};

use super::line::{Kind, Word};

/// All allow rules, as a tree of their words.
#[derive(Debug, Default)]
pub(super) struct Allows {
    programs: HashMap<Box<str>, Root>,
    /// `*`, which has to be asked for by name.
    everything: Vec<RuleIndex>,
}

#[derive(Debug)]
struct Root {
    program: Option<Arc<Program>>,
    /// Whether it runs other programs or any code that it is given, and has no table to say how.
    runs: bool,
    node: Node,
}

impl Root {
    /// Whether the words behind the name say what is run.
    fn runs_anything(&self) -> bool {
        match &self.program {
            Some(program) => matches!(program.role(), Role::Interpreter | Role::Wrapper),
            None => self.runs,
        }
    }
}

#[derive(Debug, Default)]
struct Node {
    next: HashMap<Box<str>, Node>,
    /// Rules that end here.
    exact: SmallVec<[RuleIndex; 1]>,
    /// Rules with a `*` here.
    open: SmallVec<[Open; 1]>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    rule: RuleIndex,
    dangerous: bool,
}

/// Why no rule covers a command, and the rule that comes closest.
#[derive(Clone, Debug)]
pub(super) struct Uncovered {
    pub(super) why: Cow<'static, str>,
    pub(super) nearest: Option<RuleIndex>,
}

impl Uncovered {
    pub(super) fn new(why: impl Into<Cow<'static, str>>) -> Self {
        Self {
            why: why.into(),
            nearest: None,
        }
    }
}

impl Allows {
    /// Adds a rule: its words, and whether a `*` follows.
    pub(super) fn insert(
        &mut self,
        rule: RuleIndex,
        words: &[&str],
        star: Option<Star>,
        (program, runs): (Option<Arc<Program>>, bool),
    ) {
        let Some((first, rest)) = words.split_first() else {
            return self.everything.push(rule);
        };
        let new = || Root {
            program,
            runs,
            node: Node::default(),
        };
        let mut node = &mut self
            .programs
            .entry((*first).into())
            .or_insert_with(new)
            .node;
        for word in rest {
            node = node.next.entry((*word).into()).or_default();
        }
        match star {
            None => node.exact.push(rule),
            Some(star) => node.open.push(Open {
                rule,
                dangerous: star == Star::Dangerous,
            }),
        }
    }

    /// The table of a program that some rule names.
    pub(super) fn table(&self, program: &str) -> Option<&Program> {
        self.programs
            .get(program)
            .and_then(|root| root.program.as_deref())
    }

    /// The rule that covers a command.
    pub(super) fn find(
        &self,
        words: &[Word<'_>],
        scope: &dyn Scope,
    ) -> Result<RuleIndex, Uncovered> {
        let everything = self
            .everything
            .iter()
            .copied()
            .find(|rule| scope.is_active(*rule));
        if let Some(rule) =
            everything.filter(|_| words.iter().all(|word| word.kind != Kind::Opaque))
        {
            return Ok(rule);
        }
        let first = words.first().filter(|word| word.is_literal());
        match first.and_then(|word| self.programs.get(&*word.text)) {
            Some(root) => Search { root, words, scope }.descend(),
            None => Err(Uncovered::new("no rule names the program")),
        }
    }
}

/// How far the star at the end of a rule reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Star {
    Harmless,
    Dangerous,
}

const RUNS: Cow<'static, str> = Cow::Borrowed("a wildcard does not say what the program may run");
/// Nothing is known of the program.
const UNKNOWN: Cow<'static, str> = Cow::Borrowed(
    "nothing is known of the options of the program, so a wildcard covers none of its words",
);

struct Search<'s, 'w> {
    root: &'s Root,
    words: &'s [Word<'w>],
    scope: &'s dyn Scope,
}

impl Search<'_, '_> {
    fn descend(&self) -> Result<RuleIndex, Uncovered> {
        let mut node = &self.root.node;
        let mut failed = Uncovered::new("no rule has these words");
        let mut depth = 1;
        loop {
            if let Some(rule) = self.at(node, depth, &mut failed) {
                return Ok(rule);
            }
            let word = self.words.get(depth).filter(|word| word.is_literal());
            let Some(next) = word.and_then(|word| node.next.get(&*word.text)) else {
                break;
            };
            node = next;
            depth += 1;
        }
        failed.nearest = failed.nearest.or_else(|| self.nearest(node));
        Err(failed)
    }

    /// A rule that ends behind so many words and covers the rest.
    fn at(&self, node: &Node, depth: usize, failed: &mut Uncovered) -> Option<RuleIndex> {
        let active = |rule: RuleIndex| self.scope.is_active(rule);
        let done = depth == self.words.len();
        let exact = node
            .exact
            .iter()
            .copied()
            .filter(|_| done)
            .find(|rule| active(*rule));
        if exact.is_some() {
            return exact;
        }
        let mut rules = node.open.iter().filter(|open| active(open.rule)).peekable();
        let first = rules.peek()?.rule;
        match self.covers(depth) {
            Ok(()) => return Some(first),
            Err(why) => {
                *failed = Uncovered {
                    why,
                    nearest: Some(first),
                }
            }
        }
        let known = self.words.iter().all(|word| word.kind != Kind::Opaque);
        rules
            .find(|open| open.dangerous && known)
            .map(|open| open.rule)
    }

    /// Whether a `*` behind so many words covers the rest.
    fn covers(&self, depth: usize) -> Result<(), Cow<'static, str>> {
        // Without further words, an interpreter runs what it reads.
        if depth == 1 && self.root.runs_anything() {
            return Err(RUNS);
        }
        if self.words.len() <= depth {
            return Ok(());
        }
        let Some(program) = self.root.program.as_deref() else {
            return Err(if self.root.runs { RUNS } else { UNKNOWN });
        };
        let words: SmallVec<[programs::Word<'_>; 16]> =
            self.words.iter().map(as_program_word).collect();
        program.covers(&words, depth).map_err(|why| text(&why))
    }

    /// Some rule that begins with the words that were found.
    fn nearest(&self, node: &Node) -> Option<RuleIndex> {
        let own = node
            .exact
            .iter()
            .copied()
            .chain(node.open.iter().map(|open| open.rule));
        let further = node.next.values().flat_map(|next| {
            next.exact
                .first()
                .copied()
                .into_iter()
                .chain(next.open.first().map(|open| open.rule))
        });
        own.chain(further.take(8))
            .find(|rule| self.scope.is_active(*rule))
    }
}

fn as_program_word<'w>(word: &'w Word<'_>) -> programs::Word<'w> {
    programs::Word {
        text: &word.text,
        glob: !word.is_literal(),
    }
}

fn text(why: &impl fmt::Display) -> Cow<'static, str> {
    Cow::Owned(why.to_string())
}
