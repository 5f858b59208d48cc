//! Judges a command line.

use crate::finding::{Findings, Outcome, RuleIndex, Scope};

use super::{
    ShellRules,
    allows::Uncovered,
    files::Files,
    line::{Command, Line, ProblemKind, Word},
    parse::parse,
    refuse::{Refuse, Seen},
    watch::Watch,
};

/// The longest line that can be allowed, in bytes.
const LENGTH: usize = 64 * 1024;
/// The longest line that somebody can be asked about. No kernel hands a shell a longer one.
const MOST: usize = 128 * 1024;
/// The most commands of a line, and the most words of a command.
const COMMANDS: usize = 256;
const WORDS: usize = 1024;

/// Everything that a judgement needs besides the line.
pub(super) struct Judge<'j> {
    pub(super) rules: &'j ShellRules,
    pub(super) scope: &'j dyn Scope,
    pub(super) files: &'j mut dyn Files,
    pub(super) findings: &'j mut Findings,
    pub(super) watch: &'j mut dyn Watch,
}

impl Judge<'_> {
    pub(super) fn text(&mut self, text: &str, cwd: Option<&str>) {
        if self.is_endless(text.len()) {
            return;
        }
        let line = parse(text, self.rules.dialect);
        if let Some(problem) = line.problem {
            self.watch.problem(problem);
        }
        self.line(&line, cwd, text.len());
    }

    /// Refuses what is too long to look at. That it may be denied besides changes nothing.
    fn is_endless(&mut self, length: usize) -> bool {
        let endless = length > MOST;
        if endless {
            self.findings.builtin(
                Outcome::Deny,
                "shell.too-long",
                "the line is too long to be read",
            );
        }
        endless
    }

    /// Judges a command that no shell reads.
    pub(super) fn argv(&mut self, argv: &[&str], cwd: Option<&str>) {
        let length = argv.iter().map(|word| word.len() + 1).sum();
        if self.is_endless(length) {
            return;
        }
        let line = Line {
            words: argv.iter().map(|word| Word::literal(*word)).collect(),
            commands: vec![Command::of_words(argv.len())],
            ..Line::default()
        };
        if argv.iter().any(|word| word.contains('\0')) {
            self.findings.builtin(
                Outcome::Deny,
                "shell.odd-character",
                "a word has a NUL character",
            );
        } else if !argv
            .iter()
            .all(|word| word.chars().all(super::chars::is_shown))
        {
            self.findings.builtin(
                Outcome::Ask,
                "shell.odd-character",
                ProblemKind::OddCharacter.to_string(),
            );
        }
        if argv.first().is_none_or(|program| program.trim().is_empty()) {
            self.findings
                .builtin(Outcome::Ask, "shell.empty", "there is no command");
        }
        self.line(&line, cwd, argv.iter().map(|word| word.len() + 1).sum());
    }

    /// What is denied comes first, then limits, and what is allowed last.
    fn line(&mut self, line: &Line<'_>, cwd: Option<&str>, length: usize) {
        let seen = self.refuse(line);
        let within = self.limits(line, length);
        if line.commands.is_empty() && line.problem.is_none() {
            self.findings
                .builtin(Outcome::Ask, "shell.empty", "there is no command");
        }
        let literal = within && line.problem.is_none();
        let covered = self.commands(line, cwd, literal);
        let all = literal && covered.iter().all(Result::is_ok);
        self.surprises(line, seen, all);
        if literal && !line.commands.is_empty() {
            self.conclude(covered);
        } else {
            let why = "only plain commands are covered";
            self.findings
                .builtin(Outcome::Uncovered, "shell.uncovered", why);
        }
    }

    fn refuse(&mut self, line: &Line<'_>) -> Seen {
        let mut refuse = Refuse::new(self.rules, self.scope, self.findings, self.watch);
        for command in &line.commands {
            refuse.assignments(line.assignments(command), 0);
            refuse.command(line.words(command), false, 0);
        }
        refuse.seen
    }

    fn limits(&mut self, line: &Line<'_>, length: usize) -> bool {
        let words = line
            .commands
            .iter()
            .map(|command| command.words.len())
            .max();
        let within = length <= LENGTH && line.commands.len() <= COMMANDS && words <= Some(WORDS);
        if !within {
            let why = "the line has too many characters, commands or words";
            self.findings.builtin(Outcome::Ask, "shell.too-long", why);
        }
        within
    }

    /// What has to be asked about whatever the default is.
    ///
    /// A command that nobody can see into may hide what a rule refuses; where there is no such rule,
    /// an allow rule that names it is enough.
    fn surprises(&mut self, line: &Line<'_>, seen: Seen, covered: bool) {
        if let Some(problem) = line.problem {
            self.findings
                .builtin(Outcome::Ask, "shell.not-literal", problem.kind.to_string());
        }
        if seen.maybe {
            self.findings.builtin(
                Outcome::Ask,
                "shell.maybe-denied",
                "a word that is not known may be what a rule refuses",
            );
        }
        if seen.too_deep {
            self.findings.builtin(
                Outcome::Ask,
                "shell.too-deep",
                "commands run commands too many levels deep",
            );
        }
        if seen.unknown && !(covered && self.rules.refusals.is_empty()) {
            self.findings.builtin(
                Outcome::Ask,
                "shell.unknown-inner",
                "a command runs another one that cannot be seen",
            );
        }
    }

    /// Reports the rules that allow, or the first command that none does.
    fn conclude(&mut self, covered: Vec<Result<RuleIndex, Uncovered>>) {
        let mut rules: Vec<RuleIndex> = Vec::new();
        for result in covered {
            match result {
                Ok(rule) => rules.push(rule),
                Err(uncovered) => {
                    return self.findings.builtin(
                        Outcome::Uncovered,
                        "shell.uncovered",
                        uncovered.why,
                    );
                }
            }
        }
        rules.sort_unstable();
        rules.dedup();
        for rule in rules {
            self.findings.rule(Outcome::Allow, rule);
        }
    }
}
