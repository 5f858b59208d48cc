//! Goes through the commands of a line: where each is run, which files it opens, which rule covers it.

use crate::finding::{Outcome, RuleIndex};

use super::{
    allows::Uncovered,
    chars,
    dirs::{self, Dirs, Where, normal},
    files,
    judge::Judge,
    line::{Assignment, Dialect, Kind, Line, Redirect, Word},
};

impl Judge<'_> {
    /// Goes through the commands in their order, knowing where each is run.
    pub(super) fn commands(
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
                let result = match words.iter().any(|word| self.looks_elsewhere(word, &dirs)) {
                    true => result.and(Err(elsewhere())),
                    false => result,
                };
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
        let odd = |cwd: &str| cwd.starts_with(['~', '$', '-']) || !cwd.chars().all(chars::is_shown);
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
        let stays = |path: &str| {
            let path = before_pattern(path);
            let mut dirs = dirs.now().iter();
            dirs.all(|dir| self.files.stays(path, dir.as_deref()))
        };
        let inside = |path: &str| {
            self.rules.workspace.place(dirs.now(), path) == Where::Inside && stays(path)
        };
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

    /// Whether a word is a pattern of file names that leads out of the workspace: it does not say
    /// which files are meant, and nobody looked there before.
    fn looks_elsewhere(&self, word: &Word<'_>, dirs: &Dirs) -> bool {
        let leads = |path: &str| path.starts_with('/') || path.split('/').any(|part| part == "..");
        matches!(word.kind, Kind::Glob(_))
            && leads(&word.text)
            && self.rules.workspace.place(dirs.now(), &word.text) != Where::Inside
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
        covered
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
        if self.rules.dialect == Dialect::Zsh && is_computed(words) {
            return Err(Uncovered::new("zsh may compute what one of the words says"));
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
}

/// Whether a command of zsh takes words for expressions, in which further commands may stand.
fn is_computed(words: &[Word<'_>]) -> bool {
    let program = words.first().map(|word| &*word.text);
    let computes = matches!(program, Some("test" | "[" | "printf"));
    computes
        && words
            .iter()
            .any(|word| word.text.contains(['$', '`', '\\']))
}

/// The directory in which a pattern of file names looks, and anything else as it is.
fn before_pattern(path: &str) -> &str {
    let Some(at) = path.find(['*', '?', '[']) else {
        return path;
    };
    let (before, _) = path.split_at(at);
    before
        .rsplit_once('/')
        .map_or("", |(directory, _)| directory)
}

fn elsewhere() -> Uncovered {
    Uncovered::new("a pattern of file names leads out of the workspace")
}

fn redirected() -> Uncovered {
    Uncovered::new("no rule covers a file that is opened by redirection")
}
