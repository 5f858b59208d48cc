//! Looks for what is denied or asked about, in a command and in all that it runs.

use foldhash::{HashSet, HashSetExt as _};

use crate::finding::{Findings, RuleIndex, Scope};

use super::{
    ShellRules,
    carried::{carried, config, set, variable},
    line::{Assignment, Kind, Word},
    parse::parse,
    shape::Match,
    unwrap::{Inner, base_name, unwrap},
    watch::Watch,
};

/// How many levels of commands that run commands are followed.
const DEPTH: usize = 8;
/// How many words are tried as the first of a command where nobody knows which it is, and how many
/// are looked at in all.
const LOOSE: usize = 64;
const REACH: usize = 32 * 1024;
/// What makes more than one word of a word, if a shell reads it.
const SHELL_SIGNS: [char; 9] = [' ', '\t', '\n', ';', '&', '|', '$', '`', '('];

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
        if !rules.refusals.is_empty() {
            self.carried(&name, words, depth);
        }
    }

    /// Judges what a command carries in its options and operands.
    fn carried(&mut self, name: &str, words: &[Word<'_>], depth: usize) {
        let rules = self.rules;
        let mut out = |inner: Inner<'_, '_>| self.inner(inner, depth + 1);
        if let Some(carrier) = rules.carriers.get(name) {
            carried(carrier, words, &mut out);
        }
        if matches!(
            name,
            "export" | "declare" | "typeset" | "readonly" | "local"
        ) {
            set(words, &mut out);
        }
        let Some(rest) = rules
            .wrappers
            .get(name)
            .and_then(|wrapper| wrapper.sub(words))
        else {
            return;
        };
        let Some(sub) = rest.first() else {
            return;
        };
        if name == "git" && sub.text == "config" {
            config(rest, &mut out);
        }
        if let Some(carrier) = rules.carriers.get(&format!("{name} {}", sub.text)) {
            carried(carrier, rest, &mut out);
        }
    }

    /// Judges what is run because variables are set.
    pub(super) fn assignments(&mut self, assignments: &[Assignment<'_>], depth: usize) {
        if self.rules.refusals.is_empty() {
            return;
        }
        for assignment in assignments {
            let value = &assignment.value;
            let value = value.is_literal().then_some(&*value.text);
            variable(assignment.name, value, &mut |inner| {
                self.inner(inner, depth + 1);
            });
        }
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
            Inner::Loose(words) => self.loose(words, depth),
            Inner::Unknown => self.seen.unknown = true,
        }
    }

    /// Judges words of which any may be the first of a command. What that would run in turn is not
    /// followed, or it would be followed along every way there is.
    fn loose(&mut self, words: &[Word<'_>], depth: usize) {
        let rules = self.rules;
        // Each of them is followed by all others.
        let tried = (REACH / words.len().max(1)).clamp(1, LOOSE);
        for (at, word) in words.iter().enumerate().take(tried) {
            let name = base_name(&word.text);
            self.rules_for(&name, words.get(at..).unwrap_or_default(), false);
            self.seen.unknown |=
                rules.wrappers.get(&name).is_some() || rules.carriers.get(&name).is_some();
            if word.is_literal() && word.text.contains(SHELL_SIGNS) {
                self.text(&word.text, depth);
            }
        }
        self.seen.unknown |= words.len() > tried;
    }

    fn text(&mut self, text: &str, depth: usize) {
        let line = parse(text, self.rules.dialect);
        self.seen.unknown |= line.problem.is_some();
        for command in &line.commands {
            self.assignments(line.assignments(command), depth);
            self.command(line.words(command), false, depth);
        }
    }
}
