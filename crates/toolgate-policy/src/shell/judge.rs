//! Judges a command line.

use crate::finding::{Findings, Outcome, RuleIndex, Scope};

use super::{
    ShellRules,
    allows::Uncovered,
    dirs::{self, Dirs, Where, normal},
    files::{self, Files},
    line::{Assignment, Command, Kind, Line, ProblemKind, Redirect, Word},
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
        }
    }

    fn refuse(&mut self, line: &Line<'_>) -> Seen {
        let mut refuse = Refuse::new(self.rules, self.scope, self.findings, self.watch);
        for command in &line.commands {
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

    /// Goes through the commands in their order, knowing where each is run.
    fn commands(
        &mut self,
        line: &Line<'_>,
        cwd: Option<&str>,
        literal: bool,
    ) -> Vec<Result<RuleIndex, Uncovered>> {
        let mut dirs = self.start(cwd);
        let mut covered = Vec::new();
        let mut placed = true;
        // What is asked about anyway need not be asked about twice.
        let looks = literal || self.rules.outside == Outcome::Deny;
        for command in &line.commands {
            let words = line.words(command);
            let opened = self.opened(line.redirects(command), &dirs);
            placed = placed && (!looks || self.placed(self.effective(words), &dirs));
            if literal {
                let result = self.covered(line.assignments(command), words);
                let result = if opened {
                    result
                } else {
                    result.and(Err(redirected()))
                };
                self.watch.covered(&result);
                covered.push(result);
            }
            dirs.pass(self.effective(words), command.join);
        }
        if !placed {
            self.findings.builtin(
                self.rules.outside,
                "shell.outside-workspace",
                "a path leads out of the workspace, or may",
            );
        }
        covered
    }

    /// Where the line begins; a directory outside the workspace is noted.
    fn start(&mut self, cwd: Option<&str>) -> Dirs {
        let root = self.rules.workspace.root();
        let dir = normal(root, cwd.unwrap_or_default());
        let odd = |cwd: &str| {
            cwd.starts_with(['~', '$', '-']) || !cwd.chars().all(super::chars::is_shown)
        };
        if cwd.is_some_and(odd) {
            self.findings.builtin(
                Outcome::Ask,
                "shell.odd-directory",
                "the directory has an unusual name",
            );
        }
        let inside = self
            .rules
            .workspace
            .place(&[Some(root.to_owned())], cwd.unwrap_or_default());
        if self.rules.workspace_only && inside != Where::Inside {
            self.findings.builtin(
                self.rules.outside,
                "shell.outside-workspace",
                "the directory lies outside the workspace",
            );
        }
        Dirs::new(Some(dir))
    }

    /// The words of a command behind wrappers that may be stripped.
    fn effective<'w, 'a>(&self, words: &'w [Word<'a>]) -> &'w [Word<'a>] {
        self.rules.strip(words).1
    }

    /// Whether all paths of a command lie in the workspace.
    fn placed(&self, words: &[Word<'_>], dirs: &Dirs) -> bool {
        if !self.rules.workspace_only {
            return true;
        }
        let inside = |path: &str| self.rules.workspace.place(dirs.now(), path) == Where::Inside;
        let hides = |word: &Word<'_>| match word.kind {
            Kind::Literal => false,
            Kind::Glob(_) => word
                .text
                .split('/')
                .any(|part| part.starts_with('.') && part.contains(['*', '?', '['])),
            Kind::Opaque => true,
        };
        !dirs::is_lost(words)
            && !words.iter().any(hides)
            && self.rules.paths(words).into_iter().all(inside)
    }

    /// Whether all files that a command opens by redirection are covered.
    fn opened(&mut self, redirects: &[Redirect<'_>], dirs: &Dirs) -> bool {
        let mut covered = true;
        for redirect in redirects
            .iter()
            .filter(|redirect| !files::is_free(redirect))
        {
            covered &= self.redirect(redirect, dirs);
        }
        covered
    }

    fn redirect(&mut self, redirect: &Redirect<'_>, dirs: &Dirs) -> bool {
        let path = &*redirect.target.text;
        if !redirect.target.is_literal() {
            return false;
        }
        if files::is_network(path) {
            self.findings.builtin(
                Outcome::Ask,
                "shell.network",
                "a redirection opens a connection",
            );
        }
        let mut covered = true;
        for access in files::accesses(redirect.operator) {
            for dir in dirs.now() {
                covered &= self
                    .files
                    .covers(*access, path, dir.as_deref(), self.findings);
            }
        }
        if self.rules.workspace_only
            && self.rules.workspace.place(dirs.now(), path) != Where::Inside
        {
            self.findings.builtin(
                self.rules.outside,
                "shell.outside-workspace",
                "a redirection leads out of the workspace",
            );
        }
        covered || self.rules.redirects.covers_all(dirs.now(), path)
    }

    /// The rule that covers a command with everything in front of it.
    fn covered(
        &self,
        assignments: &[Assignment<'_>],
        words: &[Word<'_>],
    ) -> Result<RuleIndex, Uncovered> {
        if words.is_empty() {
            return Err(Uncovered::new("there is no program"));
        }
        let allowed = |name: &str| self.rules.env_allow.contains(name);
        let fine = |a: &Assignment<'_>| allowed(a.name) && a.value.is_literal() && !a.appends;
        if !assignments.iter().all(fine) {
            return Err(Uncovered::new(
                "a variable is set that `env_allow` does not name",
            ));
        }
        let whole = self.rules.allows.find(words, self.scope);
        let (plain, inner) = self.rules.strip(words);
        match whole {
            Err(_) if plain && inner.len() < words.len() => {
                self.rules.allows.find(inner, self.scope)
            }
            whole => whole,
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

fn redirected() -> Uncovered {
    Uncovered::new("no rule covers a file that is opened by redirection")
}
