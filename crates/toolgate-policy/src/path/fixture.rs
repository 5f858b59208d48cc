//! Rules and paths for tests.

use std::sync::Arc;

use super::*;
use crate::{
    Located,
    finding::{By, Outcome},
    spec::{ProtectedSpec, RuleSpec},
};

/// A place that nobody asks for.
pub(crate) fn located<T>(value: T) -> Located<T> {
    let place = Place {
        file: Arc::from("test"),
        line: 1,
        column: 1,
        length: 1,
    };
    Located::new(value, place)
}

/// A rule that is a pattern and nothing else.
pub(crate) fn rule(pattern: &str) -> RuleSpec {
    RuleSpec::new(located(pattern.to_owned()))
}

/// A rule that does not hold for something.
pub(crate) fn rule_except(pattern: &str, except: &[&str]) -> RuleSpec {
    RuleSpec {
        except: except
            .iter()
            .map(|text| located((*text).to_owned()))
            .collect(),
        ..rule(pattern)
    }
}

/// Gives rules their numbers.
pub(crate) fn numbered(rules: &[(Outcome, RuleSpec)]) -> Vec<(RuleIndex, Outcome, &RuleSpec)> {
    rules
        .iter()
        .zip(0..)
        .map(|((outcome, rule), number)| (RuleIndex(number), *outcome, rule))
        .collect()
}

/// The worst that was found. Nothing at all would be a fault.
pub(crate) fn worst(findings: &Findings) -> Outcome {
    findings
        .0
        .iter()
        .map(|finding| finding.outcome)
        .max()
        .unwrap()
}

/// The built-in rules that were found.
pub(crate) fn builtins(findings: &Findings) -> Vec<&'static str> {
    let id = |by| match by {
        By::Builtin(id) => Some(id),
        By::Rule(_) => None,
    };
    findings
        .0
        .iter()
        .filter_map(|finding| id(finding.by))
        .collect()
}

/// A policy over paths in the making. Every rule holds for reading and for writing.
#[derive(Clone, Debug)]
pub(crate) struct Paths {
    pub(crate) rules: Vec<(Outcome, RuleSpec)>,
    pub(crate) settings: PathSettings<'static>,
    pub(crate) files: FakeFiles,
}

impl Paths {
    /// Rules in the workspace `/w`.
    pub(crate) fn new(allow: &[&str], deny: &[&str]) -> Self {
        let rules = |outcome, patterns: &[&str]| -> Vec<_> {
            patterns.iter().map(|text| (outcome, rule(text))).collect()
        };
        let mut all = rules(Outcome::Allow, allow);
        all.extend(rules(Outcome::Deny, deny));
        Self {
            rules: all,
            settings: PathSettings {
                workspace: Some("/w"),
                case_insensitive: false,
                protected: ProtectedSpec::Builtin,
                own_files: vec!["/w/own/policy.toml".into()],
                home: Some("/home/u".into()),
            },
            files: FakeFiles::new(),
        }
    }

    pub(crate) fn with_rule(mut self, outcome: Outcome, rule: RuleSpec) -> Self {
        self.rules.push((outcome, rule));
        self
    }

    pub(crate) fn with_file(mut self, path: &str, look: Look) -> Self {
        self.files.insert(path, look);
        self
    }

    pub(crate) fn with_link(self, path: &str, target: &str) -> Self {
        self.with_file(path, Look::Link(target.into()))
    }

    pub(crate) fn compile(&self) -> PathRules {
        let rules = numbered(&self.rules);
        PathRules::compile(&rules, &rules, &self.settings)
            .unwrap()
            .0
    }

    pub(crate) fn findings(&self, access: Access, path: &str, cwd: Option<&str>) -> Findings {
        let mut findings = Findings::default();
        let query = PathQuery { access, path, cwd };
        let active = |_: RuleIndex| true;
        self.compile()
            .judge(query, &self.files, &active, &mut findings);
        findings
    }

    pub(crate) fn read(&self, path: &str) -> Outcome {
        worst(&self.findings(Access::Read, path, None))
    }

    pub(crate) fn write(&self, path: &str) -> Outcome {
        worst(&self.findings(Access::Write, path, None))
    }
}
