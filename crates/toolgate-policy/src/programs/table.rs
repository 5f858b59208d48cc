//! What a table says, in a form that can be looked up.

use std::sync::{Arc, OnceLock};

use foldhash::HashMap;
use smallvec::SmallVec;

use super::format::Problem;
use super::kind::Kind;
use super::notation;

/// A program or one of its sub-commands.
#[derive(Debug, Default)]
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) syntax: Syntax,
    pub(super) sets: SmallVec<[Arc<OptionSet>; 3]>,
    pub(super) operands: Operands,
    /// Options that bring along what the first operand would be, such as `-e` of `grep`.
    pub(super) instead: Vec<&'static str>,
    /// Options without one of which nothing is covered.
    pub(super) mode: Vec<&'static str>,
    /// Whether a `*` may stand for the name of this sub-command.
    pub(super) wild: bool,
    pub(super) subs: Names,
    /// What an option of kind `MODULE` may name.
    pub(super) modules: Names,
}

/// Sub-commands by name, sorted.
pub(super) type Names = Vec<(&'static str, Arc<Command>)>;

impl Command {
    /// Finds an option by a name that is written out in full.
    pub(super) fn option(&self, name: &str) -> Option<&Opt> {
        self.sets.iter().find_map(|set| set.exact(name))
    }

    /// Finds the one long option that begins like this.
    pub(super) fn abbreviated(&self, name: &str) -> Option<&Opt> {
        let mut found: Option<&Opt> = None;
        for opt in self.sets.iter().flat_map(|set| set.starting_with(name)) {
            if found.is_some_and(|other| other.canonical() != opt.canonical()) {
                return None;
            }
            found = Some(opt);
        }
        found
    }

    /// Whether it is nothing without a sub-command.
    pub(super) fn is_group(&self) -> bool {
        self.operands.is_empty() && self.subs.iter().any(|(name, _)| *name != "--")
    }

    pub(super) fn sub(&self, name: &str) -> Option<&Arc<Self>> {
        lookup(&self.subs, name)
    }

    pub(super) fn module(&self, name: &str) -> Option<&Arc<Self>> {
        lookup(&self.modules, name)
    }
}

fn lookup<'t>(names: &'t Names, name: &str) -> Option<&'t Arc<Command>> {
    let at = names.binary_search_by_key(&name, |(name, _)| name).ok()?;
    names.get(at).map(|(_, command)| command)
}

/// How a program reads its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own in the tables"
)]
pub(super) struct Syntax {
    /// Long options have one dash, and short ones are not combined: `find -name`, `go test -run`.
    pub(super) single: bool,
    /// Several letters may stand behind one dash, but a value is always in the next word.
    pub(super) separate: bool,
    /// The first operand ends the options.
    pub(super) posix: bool,
    /// `-20` is an option.
    pub(super) numbers: bool,
    /// `+x` is an option, and never a known one.
    pub(super) plus: bool,
    /// `@file` is replaced by the words in a file.
    pub(super) at: bool,
    /// The first word may be short options without a dash: `tar tf`.
    pub(super) bundle: bool,
    /// There are no options: every word is an operand.
    pub(super) text: bool,
    /// `--` is nothing special.
    pub(super) no_end: bool,
}

/// What the operands are.
#[derive(Clone, Debug, Default)]
pub(super) struct Operands {
    pub(super) first: SmallVec<[Kind; 2]>,
    pub(super) rest: Option<Kind>,
}

impl Operands {
    /// The kind of the operand with this number, and whether there may be any number of them.
    pub(super) fn kind(&self, nth: usize) -> Option<(Kind, bool)> {
        match self.first.get(nth) {
            Some(kind) => Some((*kind, false)),
            None => self.rest.map(|kind| (kind, true)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty() && self.rest.is_none()
    }
}

/// One option under all its names.
#[derive(Debug)]
pub(super) struct Opt {
    /// Divided by commas, the one that stands for all of them first.
    pub(super) names: &'static str,
    pub(super) arity: Arity,
    pub(super) kind: Kind,
    pub(super) harmless: bool,
}

impl Opt {
    pub(super) fn canonical(&self) -> &'static str {
        self.names.split(',').next().unwrap_or(self.names)
    }

    pub(super) fn is_one_of(&self, names: &[&str]) -> bool {
        !names.is_empty() && self.names.split(',').any(|name| names.contains(&name))
    }
}

/// Whether an option has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    Flag,
    /// In the same word or in the next.
    Required,
    /// In the same word, or not at all.
    Optional,
    /// The next two words: a name and a value.
    Pair,
}

/// Options that are listed together.
#[derive(Debug, Default)]
pub(super) struct OptionSet {
    harmless: &'static str,
    known: &'static str,
    /// Most sub-commands are never met, so their options are read when the first one is looked for.
    read: OnceLock<Options>,
}

#[derive(Debug, Default)]
struct Options {
    opts: Vec<Opt>,
    /// From names to places in `opts`.
    names: HashMap<&'static str, usize>,
    /// The same, sorted by name, for names that are cut short.
    sorted: Vec<(&'static str, usize)>,
}

impl OptionSet {
    pub(super) fn new(harmless: &'static str, known: &'static str) -> Self {
        Self {
            harmless,
            known,
            read: OnceLock::new(),
        }
    }

    /// All options, or what is wrong with how they are written.
    pub(super) fn parse(&self) -> Result<Vec<Opt>, Problem> {
        let mut opts = notation::options(self.harmless, true)?;
        opts.extend(notation::options(self.known, false)?);
        Ok(opts)
    }

    /// A set that cannot be read has no options, so that none of them is harmless.
    fn options(&self) -> &Options {
        self.read.get_or_init(|| {
            let opts = self.parse().unwrap_or_default();
            let of = |(at, opt): (usize, &Opt)| opt.names.split(',').map(move |name| (name, at));
            let mut sorted: Vec<_> = opts.iter().enumerate().flat_map(of).collect();
            sorted.sort_unstable();
            let names = sorted.iter().copied().collect();
            Options {
                opts,
                names,
                sorted,
            }
        })
    }

    fn exact(&self, name: &str) -> Option<&Opt> {
        let Options { opts, names, .. } = self.options();
        opts.get(*names.get(name)?)
    }

    fn starting_with<'t>(&'t self, prefix: &str) -> impl Iterator<Item = &'t Opt> {
        let Options { opts, sorted, .. } = self.options();
        let from = sorted.partition_point(|(name, _)| *name < prefix);
        sorted
            .iter()
            .skip(from)
            .take_while(move |(name, _)| name.starts_with(prefix))
            .filter_map(|(_, at)| opts.get(*at))
    }

    /// Whether any of them is harmless.
    pub(super) fn has_harmless(&self) -> bool {
        !self.harmless.trim_ascii().is_empty()
    }
}
