//! Makes rules out of what is written.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use crate::{
    Place,
    finding::{Outcome, RuleIndex},
    programs::{Program, Programs, Role},
    spec::{RuleSpec, ShellSpec},
};

use super::{
    ShellRules,
    allows::Star,
    dirs::Workspace,
    front::is_name,
    lint::{Lint, LintKind, Lints},
    pattern::{Pattern, Purpose},
    unwrap::base_name,
};

/// A problem, and where it is.
pub(crate) type Problem = (Place, String);

/// A rule as it is handed to a part of the policy.
pub(crate) type NumberedRule<'r> = (RuleIndex, Outcome, &'r RuleSpec);

/// What is being compiled.
pub(super) struct Compiler {
    pub(super) rules: ShellRules,
    programs: Programs,
    /// Tables that were asked for, so that each is read once.
    tables: HashMap<String, Option<Arc<Program>>>,
    pub(super) allow_all: bool,
    pub(super) problems: Vec<Problem>,
    pub(super) lints: Lints,
}

impl Compiler {
    pub(super) fn new(
        spec: &ShellSpec,
        programs: Programs,
        workspace: Option<&str>,
        allow_all: bool,
    ) -> Self {
        let rules = ShellRules::empty(spec, Workspace::new(workspace));
        Self {
            rules,
            programs,
            tables: HashMap::new(),
            allow_all,
            problems: Vec::new(),
            lints: Lints::default(),
        }
    }

    pub(super) fn settings(&mut self, spec: &ShellSpec) {
        for name in &spec.env_allow {
            if is_name(&name.value) {
                self.rules.env_allow.insert(name.value.clone());
            } else {
                self.problems.push((
                    name.place.clone(),
                    "this is no name of a variable".to_owned(),
                ));
            }
        }
        for name in &spec.transparent_wrappers {
            match self
                .rules
                .wrappers
                .get(&name.value)
                .filter(|wrapper| wrapper.transparent)
            {
                Some(wrapper) => drop(self.rules.transparent.insert(name.value.clone(), wrapper)),
                None => self.problems.push((
                    name.place.clone(),
                    "this program does more than run another one".to_owned(),
                )),
            }
        }
    }

    pub(super) fn rule(&mut self, (index, outcome, spec): NumberedRule<'_>) {
        let purpose = if outcome == Outcome::Allow {
            Purpose::Allow
        } else {
            Purpose::Refuse
        };
        let pattern = self.pattern(&spec.pattern.value, &spec.pattern.place, purpose);
        let excepts: Vec<Pattern> = spec
            .except
            .iter()
            .filter_map(|except| self.pattern(&except.value, &except.place, Purpose::Except))
            .collect();
        let Some(pattern) = pattern else { return };
        self.lints.duplicate(index, outcome, spec);
        match purpose {
            Purpose::Allow => self.allow(index, &pattern, &excepts, spec),
            _ => self.refuse((index, outcome), &pattern, excepts, spec),
        }
    }

    fn pattern(&mut self, text: &str, place: &Place, purpose: Purpose) -> Option<Pattern> {
        match Pattern::parse(text, purpose) {
            Ok(pattern) => Some(pattern),
            Err(why) => {
                self.problems.push((place.clone(), why));
                None
            }
        }
    }

    fn allow(&mut self, index: RuleIndex, pattern: &Pattern, excepts: &[Pattern], spec: &RuleSpec) {
        let place = &spec.pattern.place;
        if pattern.is_everything() && !self.allow_all {
            let why = "`*` allows every command: say `dangerous_allow_all` if that is meant";
            return self.problems.push((place.clone(), why.to_owned()));
        }
        if !excepts.is_empty() {
            let why = "an allow rule has no exceptions: write a deny or ask rule";
            return self.problems.push((place.clone(), why.to_owned()));
        }
        let words: Vec<&str> = pattern
            .pieces
            .iter()
            .filter_map(|piece| piece.word())
            .collect();
        let table = words.first().and_then(|first| self.table(first));
        let star = pattern.open.then_some(match spec.dangerous_wildcard {
            true => Star::Dangerous,
            false => Star::Harmless,
        });
        if star == Some(Star::Harmless) {
            self.wildcard(index, &words, table.as_deref(), place);
        }
        self.lints.allow(index, &words, pattern.open, place);
        let runs = words.first().is_some_and(|first| self.runs(first)) && table.is_none();
        self.rules.allows.insert(index, &words, star, (table, runs));
    }

    /// Warns of a wildcard that covers next to nothing, or nobody knows what.
    fn wildcard(
        &mut self,
        index: RuleIndex,
        words: &[&str],
        table: Option<&Program>,
        place: &Place,
    ) {
        let Some(first) = words.first() else { return };
        let kind = match table.map(Program::role) {
            None if self.rules.wrappers.get(first).is_some() => LintKind::WildcardOnWrapper,
            None if is_interpreter(first) => LintKind::WildcardOnInterpreter,
            None => LintKind::WildcardWithoutTable,
            Some(_) if table.is_some_and(|table| table.has_use_for_wildcard(words)) => return,
            Some(Role::Interpreter) => LintKind::WildcardOnInterpreter,
            Some(Role::Wrapper) => LintKind::WildcardOnWrapper,
            Some(_) => LintKind::WildcardInVain,
        };
        self.lints.push(Lint {
            rule: index,
            place: place.clone(),
            kind,
        });
    }

    fn refuse(
        &mut self,
        (index, outcome): (RuleIndex, Outcome),
        pattern: &Pattern,
        excepts: Vec<Pattern>,
        spec: &RuleSpec,
    ) {
        let name = pattern
            .pieces
            .first()
            .and_then(|piece| piece.word())
            .map(|name| base_name(name).into_owned());
        let table = name.and_then(|name| self.table(&name));
        self.lints.refuse(
            index,
            outcome,
            pattern,
            excepts.is_empty() && spec.agents.is_empty() && spec.expires.is_none(),
        );
        self.rules
            .refusals
            .insert((index, outcome), pattern, excepts.into(), |_| table);
    }

    /// Whether a program runs others, or code.
    fn runs(&self, program: &str) -> bool {
        let name = base_name(program);
        self.rules.wrappers.get(&name).is_some() || is_interpreter(&name)
    }

    fn table(&mut self, program: &str) -> Option<Arc<Program>> {
        if let Some(table) = self.tables.get(program) {
            return table.clone();
        }
        let table = self.programs.get(program);
        self.tables.insert(program.to_owned(), table.clone());
        table
    }
}

/// Programs that run any code that they are given, by the beginning of their names: `python3.12` is
/// one, too.
fn is_interpreter(name: &str) -> bool {
    const NAMES: [&str; 24] = [
        "awk",
        "bun",
        "csh",
        "deno",
        "elixir",
        "expect",
        "ghci",
        "guile",
        "irb",
        "jshell",
        "julia",
        "lua",
        "node",
        "ocaml",
        "osascript",
        "perl",
        "php",
        "pwsh",
        "python",
        "pypy",
        "racket",
        "rscript",
        "ruby",
        "tclsh",
    ];
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    NAMES.contains(&bare)
}
