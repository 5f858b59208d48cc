//! Rules over command lines.
//!
//! A line is read by a strict reader ([`parse`]). It is allowed only if it is, without any doubt, a
//! row of simple commands whose words are all known, and if every one of them is covered by a rule.
//! What is denied or asked about is looked for in every command that can be seen, also in lines that
//! cannot be read to the end, and in commands that other commands run.
//!
//! In this order:
//! 1. rules that deny or ask, over every command and all that it runs ([`refuse`]);
//! 2. limits;
//! 3. what is asked about whatever the default: lines that are not literal, commands that cannot be
//!    seen, paths that leave the workspace;
//! 4. allow rules, word by word ([`allows`]).

mod allows;
mod carried;
mod chars;
mod compile;
mod cover;
mod describe;
mod dirs;
mod draft;
mod escape;
mod files;
mod frame;
mod front;
mod here;
mod judge;
mod line;
mod lint;
mod nest;
mod parse;
mod pattern;
mod quote;
mod redirect;
mod refusals;
mod refuse;
mod shape;
mod strip;
mod unwrap;
mod view;
mod watch;
mod wrapper;

#[cfg(test)]
mod tests;

use foldhash::{HashMap, HashSet};

use crate::{
    finding::{Findings, Outcome, Scope},
    programs::Programs,
    spec::{OutsideSpec, ShellSpec},
};

use self::{
    allows::Allows,
    carried::Carriers,
    compile::Compiler,
    dirs::Workspace,
    judge::Judge,
    line::{Dialect, Word},
    refusals::Refusals,
    watch::{Nobody, Watch},
    wrapper::{Wrapper, Wrappers},
};
pub(crate) use self::{
    compile::{NumberedRule, Problem},
    describe::{CommandDescription, Description},
    files::{Access, Files},
    lint::Lint,
};

/// The rules over command lines of one policy.
#[derive(Debug)]
pub(crate) struct ShellRules {
    dialect: Dialect,
    allows: Allows,
    refusals: Refusals,
    wrappers: Wrappers,
    carriers: Carriers,
    transparent: HashMap<String, &'static Wrapper>,
    env_allow: HashSet<String>,
    workspace: Workspace,
    workspace_only: bool,
    /// What becomes of paths outside the workspace.
    outside: Outcome,
}

impl ShellRules {
    fn empty(spec: &ShellSpec, workspace: Workspace) -> Self {
        let outside = spec.outside.as_ref().map(|outside| outside.value);
        Self {
            dialect: spec
                .dialect
                .as_ref()
                .map(|dialect| dialect.value)
                .unwrap_or_default()
                .into(),
            allows: Allows::default(),
            refusals: Refusals::default(),
            wrappers: Wrappers::new(),
            carriers: Carriers::new(),
            transparent: HashMap::default(),
            env_allow: HashSet::default(),
            workspace,
            workspace_only: spec.workspace_only.as_ref().is_some_and(|only| only.value),
            outside: if outside == Some(OutsideSpec::Deny) {
                Outcome::Deny
            } else {
                Outcome::Ask
            },
        }
    }

    /// Compiles the rules of a policy. `allow_all` is its `dangerous_allow_all`.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the rules and settings.
    pub(crate) fn compile<'r>(
        spec: &ShellSpec,
        rules: impl IntoIterator<Item = NumberedRule<'r>>,
        programs: Programs,
        workspace: Option<&str>,
        allow_all: bool,
    ) -> Result<(Self, Vec<Lint>), Vec<Problem>> {
        let mut compiler = Compiler::new(spec, programs, workspace, allow_all);
        compiler.settings(spec);
        for rule in rules {
            compiler.rule(rule);
        }
        match compiler.problems.is_empty() {
            true => Ok((compiler.rules, compiler.lints.finish())),
            false => Err(compiler.problems),
        }
    }

    /// Judges a command line that is run in `cwd`, or else in the workspace.
    pub(crate) fn judge(
        &self,
        line: &str,
        cwd: Option<&str>,
        scope: &dyn Scope,
        files: &mut dyn Files,
        findings: &mut Findings,
    ) {
        self.watched(scope, files, findings, &mut Nobody)
            .text(line, cwd);
    }

    /// Judges a program with its words, which no shell sees.
    pub(crate) fn judge_argv(
        &self,
        argv: &[&str],
        cwd: Option<&str>,
        scope: &dyn Scope,
        files: &mut dyn Files,
        findings: &mut Findings,
    ) {
        self.watched(scope, files, findings, &mut Nobody)
            .argv(argv, cwd);
    }

    /// Judges a command line as [`judge`](Self::judge) does, and tells how it was understood.
    pub(crate) fn describe(
        &self,
        line: &str,
        cwd: Option<&str>,
        scope: &dyn Scope,
        files: &mut dyn Files,
        findings: &mut Findings,
    ) -> Description {
        let mut description = Description::default();
        self.watched(scope, files, findings, &mut description)
            .text(line, cwd);
        description
    }

    /// Judges a program with its words as [`judge_argv`](Self::judge_argv) does, and tells how it was
    /// understood.
    pub(crate) fn describe_argv(
        &self,
        argv: &[&str],
        cwd: Option<&str>,
        scope: &dyn Scope,
        files: &mut dyn Files,
        findings: &mut Findings,
    ) -> Description {
        let mut description = Description::default();
        self.watched(scope, files, findings, &mut description)
            .argv(argv, cwd);
        description
    }

    fn watched<'j>(
        &'j self,
        scope: &'j dyn Scope,
        files: &'j mut dyn Files,
        findings: &'j mut Findings,
        watch: &'j mut dyn Watch,
    ) -> Judge<'j> {
        Judge {
            rules: self,
            scope,
            files,
            findings,
            watch,
        }
    }

    /// What among the words of a command is, or may be, a path.
    fn paths<'w>(&self, words: &'w [Word<'_>]) -> Vec<&'w str> {
        let texts: Vec<&'w str> = words.iter().map(|word| &*word.text).collect();
        let table = texts.first().and_then(|first| self.allows.table(first));
        match table {
            Some(program) => program.paths(&texts),
            None => texts
                .iter()
                .skip(1)
                .flat_map(|text| dirs::candidates(text))
                .collect(),
        }
    }
}
