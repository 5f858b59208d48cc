//! Looks for what is denied or asked about, in a command and in all that it runs.

use foldhash::{HashSet, HashSetExt as _};

use crate::finding::{Findings, RuleIndex, Scope};

use super::{
    ShellRules,
    line::{Kind, Word},
    parse::parse,
    shape::Match,
    unwrap::{Inner, base_name, unwrap},
    watch::Watch,
};

/// How many levels of commands that run commands are followed.
const DEPTH: usize = 8;

/// What was noticed besides rules that matched.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen {
    /// A rule may have matched.
    pub(super) maybe: bool,
    /// A command is run that cannot be seen.
    pub(super) unknown: bool,
    pub(super) too_deep: bool,
}

pub(super) struct Refuse<'r> {
    rules: &'r ShellRules,
    scope: &'r dyn Scope,
    findings: &'r mut Findings,
    watch: &'r mut dyn Watch,
    reported: HashSet<RuleIndex>,
    pub(super) seen: Seen,
}

impl<'r> Refuse<'r> {
    pub(super) fn new(
        rules: &'r ShellRules,
        scope: &'r dyn Scope,
        findings: &'r mut Findings,
        watch: &'r mut dyn Watch,
    ) -> Self {
        Self {
            rules,
            scope,
            findings,
            watch,
            reported: HashSet::new(),
            seen: Seen::default(),
        }
    }

    /// Judges a command, `depth` levels inside the line.
    pub(super) fn command(&mut self, words: &[Word<'_>], open: bool, depth: usize) {
        self.watch.command(words, depth);
        let Some(first) = words.first() else {
            self.seen.unknown |= open;
            return;
        };
        if first.kind != Kind::Literal {
            self.seen.unknown |= depth > 0;
            return;
        }
        let name = base_name(&first.text);
        self.rules_for(&name, words, open);
        let rules = self.rules;
        unwrap(&rules.wrappers, &name, words, &mut |inner| {
            self.inner(inner, depth + 1);
        });
    }

    fn rules_for(&mut self, name: &str, words: &[Word<'_>], open: bool) {
        let Self {
            rules,
            scope,
            findings,
            watch,
            reported,
            seen,
        } = self;
        rules
            .refusals
            .find(name, words, open, *scope, &mut |refusal, met| {
                watch.refused(refusal.rule, refusal.outcome, met);
                if met == Match::Maybe {
                    seen.maybe = true;
                } else if reported.insert(refusal.rule) {
                    findings.rule(refusal.outcome, refusal.rule);
                }
            });
    }

    fn inner(&mut self, inner: Inner<'_, '_>, depth: usize) {
        if depth > DEPTH {
            self.seen.too_deep = true;
            return;
        }
        match inner {
            Inner::Words { words, open } => self.command(words, open, depth),
            Inner::Owned(words) => self.command(&words, false, depth),
            Inner::Text(text) => self.text(&text, depth),
            Inner::Unknown => self.seen.unknown = true,
        }
    }

    fn text(&mut self, text: &str, depth: usize) {
        let line = parse(text, self.rules.dialect);
        self.seen.unknown |= line.problem.is_some();
        for command in &line.commands {
            self.command(line.words(command), false, depth);
        }
    }
}
