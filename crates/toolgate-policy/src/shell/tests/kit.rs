//! A policy in a line or two.

use std::sync::Arc;

use crate::{
    Located, Place,
    finding::{By, Findings, Outcome, RuleIndex},
    programs::Programs,
    shell::{Access, Description, Files, Problem, ShellRules},
    spec::{DialectSpec, OutsideSpec, RuleSpec, ShellSpec},
};

/// What becomes of a line, worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    Allow,
    Default,
    Ask,
    Deny,
}

#[derive(Clone, Default)]
pub(super) struct Policy {
    pub(super) spec: ShellSpec,
    pub(super) rules: Vec<(Outcome, RuleSpec)>,
    pub(super) workspace: Option<String>,
    pub(super) allow_all: bool,
}

pub(super) fn located<T>(value: T) -> Located<T> {
    let place = Place {
        file: Arc::from("test"),
        line: 1,
        column: 1,
        length: 1,
    };
    Located::new(value, place)
}

pub(super) fn rule(pattern: &str) -> RuleSpec {
    RuleSpec::new(located(pattern.to_owned()))
}

impl Policy {
    pub(super) fn allow(patterns: &[&str]) -> Self {
        Self::default().and(Outcome::Allow, patterns)
    }

    pub(super) fn deny(patterns: &[&str]) -> Self {
        Self::default().and(Outcome::Deny, patterns)
    }

    pub(super) fn and(mut self, outcome: Outcome, patterns: &[&str]) -> Self {
        self.rules
            .extend(patterns.iter().map(|pattern| (outcome, rule(pattern))));
        self
    }

    pub(super) fn with_rule(mut self, outcome: Outcome, rule: RuleSpec) -> Self {
        self.rules.push((outcome, rule));
        self
    }

    pub(super) fn env_allow(mut self, names: &[&str]) -> Self {
        self.spec.env_allow = names
            .iter()
            .map(|name| located((*name).to_owned()))
            .collect();
        self
    }

    pub(super) fn transparent(mut self, names: &[&str]) -> Self {
        self.spec.transparent_wrappers = names
            .iter()
            .map(|name| located((*name).to_owned()))
            .collect();
        self
    }

    pub(super) fn workspace_only(mut self, root: &str, outside: OutsideSpec) -> Self {
        self.workspace = Some(root.to_owned());
        self.spec.workspace_only = Some(located(true));
        self.spec.outside = Some(located(outside));
        self
    }

    pub(super) fn dialect(mut self, dialect: DialectSpec) -> Self {
        self.spec.dialect = Some(located(dialect));
        self
    }

    pub(super) fn compile(&self) -> Result<ShellRules, Vec<Problem>> {
        self.compile_with_lints().map(|(rules, _)| rules)
    }

    pub(super) fn compile_with_lints(
        &self,
    ) -> Result<(ShellRules, Vec<crate::shell::Lint>), Vec<Problem>> {
        let rules = (0..)
            .map(RuleIndex)
            .zip(&self.rules)
            .map(|(index, (outcome, rule))| (index, *outcome, rule));
        ShellRules::compile(
            &self.spec,
            rules,
            Programs::builtin(),
            self.workspace.as_deref(),
            self.allow_all,
        )
    }

    pub(super) fn verdict(&self, line: &str) -> Verdict {
        verdict(&self.compile().expect("the policy compiles"), line)
    }

    pub(super) fn findings(&self, line: &str) -> Findings {
        findings(&self.compile().expect("the policy compiles"), line)
    }

    pub(super) fn describe(&self, line: &str) -> Description {
        let rules = self.compile().expect("the policy compiles");
        rules.describe(
            line,
            None,
            &|_| true,
            &mut no_files,
            &mut Findings::default(),
        )
    }

    pub(super) fn argv(&self, argv: &[&str]) -> Verdict {
        let rules = self.compile().expect("the policy compiles");
        let mut findings = Findings::default();
        rules.judge_argv(argv, None, &|_| true, &mut no_files, &mut findings);
        worst(&findings)
    }

    pub(super) fn in_dir(&self, line: &str, cwd: &str) -> Verdict {
        let rules = self.compile().expect("the policy compiles");
        let mut findings = Findings::default();
        rules.judge(line, Some(cwd), &|_| true, &mut no_files, &mut findings);
        worst(&findings)
    }
}

/// Rules over paths that cover nothing.
pub(super) fn no_files(_: Access, _: &str, _: Option<&str>, _: &mut Findings) -> bool {
    false
}

/// Rules over paths that cover what is written below `build`.
pub(super) fn build_files(access: Access, path: &str, dir: Option<&str>, _: &mut Findings) -> bool {
    let below = |path: &str| path.starts_with("build/") && !path.contains("..");
    let in_build = dir == Some("build") && !path.contains('/');
    access == Access::Write && (dir == Some("") && below(path) || in_build)
}

pub(super) fn findings(rules: &ShellRules, line: &str) -> Findings {
    findings_with(rules, line, &mut no_files)
}

fn findings_with(rules: &ShellRules, line: &str, files: &mut dyn Files) -> Findings {
    let mut findings = Findings::default();
    rules.judge(line, None, &|_| true, files, &mut findings);
    findings
}

pub(super) fn verdict(rules: &ShellRules, line: &str) -> Verdict {
    worst(&findings(rules, line))
}

pub(super) fn worst(findings: &Findings) -> Verdict {
    match findings.0.iter().map(|finding| finding.outcome).max() {
        Some(Outcome::Allow) => Verdict::Allow,
        Some(Outcome::Uncovered) => Verdict::Default,
        Some(Outcome::Ask) => Verdict::Ask,
        Some(Outcome::Deny) => Verdict::Deny,
        None => panic!("nothing was found at all"),
    }
}

/// The ids of rules that are always there and have spoken.
pub(super) fn ids(findings: &Findings) -> Vec<&'static str> {
    let id = |by: By| match by {
        By::Builtin(id) => Some(id),
        By::Rule(_) => None,
    };
    findings
        .0
        .iter()
        .filter_map(|finding| id(finding.by))
        .collect()
}

/// Rules as many have them.
pub(super) fn everyday() -> Policy {
    Policy::allow(&[
        "ls *",
        "echo *",
        "cat *",
        "git status",
        "git log *",
        "pwd",
        "cd *",
    ])
    .env_allow(&["CI", "RUST_LOG"])
    .transparent(&["timeout", "time", "nice", "env"])
}

/// Judges each line alike.
#[track_caller]
pub(super) fn all(policy: &Policy, verdict: Verdict, lines: &[&str]) {
    all_with(policy, &mut no_files, verdict, lines);
}

/// Judges each line alike, with these rules over paths.
#[track_caller]
pub(super) fn all_with(policy: &Policy, files: &mut dyn Files, verdict: Verdict, lines: &[&str]) {
    let rules = policy.compile().unwrap();
    for line in lines {
        let found = findings_with(&rules, line, files);
        assert_eq!(worst(&found), verdict, "{line:?} {found:?}");
    }
}
