//! From rules as they are written to an index.

use super::{
    Lists, PathRules, Remark,
    fold::fold,
    index::Entry,
    lexical,
    pattern::{Anchors, Pattern, Purpose},
    protected,
};
use crate::{
    finding::{Outcome, RuleIndex},
    spec::{ProtectedSpec, RuleSpec},
};

/// What rules over paths depend on, beside the rules.
#[derive(Clone, Debug)]
pub(crate) struct PathSettings<'a> {
    /// Absolute.
    pub(crate) workspace: Option<&'a str>,
    pub(crate) case_insensitive: bool,
    pub(crate) protected: ProtectedSpec,
    /// The policy, the grants, the audit log: never written. Absolute, or in the workspace.
    pub(crate) own_files: Vec<String>,
    /// What `~/` stands for. Absolute.
    pub(crate) home: Option<String>,
}

/// A rule with its number.
pub(crate) type NumberedRule<'a> = (RuleIndex, Outcome, &'a RuleSpec);

impl PathRules {
    /// Compiles the rules of `[read]` and of `[write]`.
    ///
    /// # Errors
    ///
    /// Returns everything that is wrong with the patterns.
    pub(crate) fn compile(
        read: &[NumberedRule<'_>],
        write: &[NumberedRule<'_>],
        settings: &PathSettings<'_>,
    ) -> Result<(Self, Vec<Remark>), Vec<Remark>> {
        let workspace = settings.workspace.and_then(absolute);
        let home = settings.home.as_deref().and_then(absolute);
        let mut compiler = Compiler {
            anchors: Anchors {
                workspace: workspace.as_deref(),
                home: home.as_deref(),
                folded: false,
            },
            case_insensitive: settings.case_insensitive,
            problems: Vec::new(),
            remarks: Vec::new(),
        };
        let read = compiler.lists(read, |_, _| ());
        let write = compiler.lists(write, |compiler, lists| compiler.builtin(lists, settings));
        let (problems, remarks) = (compiler.problems, compiler.remarks);
        if !problems.is_empty() {
            return Err(problems);
        }
        let rules = Self {
            read,
            write,
            workspace,
            home,
            case_insensitive: settings.case_insensitive,
        };
        Ok((rules, remarks))
    }
}

fn absolute(path: &str) -> Option<String> {
    path.starts_with('/').then(|| lexical::normalize("", path))
}

struct Compiler<'a> {
    anchors: Anchors<'a>,
    case_insensitive: bool,
    problems: Vec<Remark>,
    remarks: Vec<Remark>,
}

impl Compiler<'_> {
    fn lists(
        &mut self,
        rules: &[NumberedRule<'_>],
        builtin: impl FnOnce(&Self, &mut Lists),
    ) -> Lists {
        let mut lists = Lists::default();
        let mut allowed = Vec::new();
        for &(number, outcome, rule) in rules {
            let (purpose, except) = match outcome {
                Outcome::Allow => (Purpose::Allow, Purpose::Restrict),
                _ => (Purpose::Restrict, Purpose::Allow),
            };
            let pattern = self.parse(&rule.pattern, purpose);
            self.except(&mut lists, number, rule, except);
            let Some(pattern) = pattern else {
                continue;
            };
            let entry = Entry::Rule(outcome, number);
            match purpose {
                Purpose::Allow => {
                    lists.allow.insert(&pattern, entry);
                    allowed.push((rule, pattern));
                }
                Purpose::Restrict => lists.restrict.insert(&pattern, entry),
            }
        }
        builtin(self, &mut lists);
        lists.allow.finish();
        lists.restrict.finish();
        self.remark(&lists, rules, &allowed);
        lists
    }

    fn parse(&mut self, text: &crate::Located<String>, purpose: Purpose) -> Option<Pattern> {
        let anchors = Anchors {
            folded: purpose == Purpose::Restrict || self.case_insensitive,
            ..self.anchors
        };
        match Pattern::parse(&text.value, purpose, anchors) {
            Ok(pattern) => Some(pattern),
            Err(why) => {
                self.problems.push((text.place.clone(), why));
                None
            }
        }
    }

    fn except(&mut self, lists: &mut Lists, number: RuleIndex, rule: &RuleSpec, purpose: Purpose) {
        if rule.except.is_empty() {
            return;
        }
        let index = lists.except.entry(number).or_default();
        for text in &rule.except {
            if let Some(pattern) = self.parse(text, purpose) {
                index.insert(&pattern, Entry::Rule(Outcome::Allow, number));
            }
        }
        index.finish();
    }

    fn builtin(&self, lists: &mut Lists, settings: &PathSettings<'_>) {
        let workspace = self.anchors.workspace.unwrap_or("");
        for file in &settings.own_files {
            let mut pattern = Pattern::literal(&lexical::normalize(workspace, file), true);
            pattern.deep = true;
            lists.restrict.insert(&pattern, Entry::Own);
        }
        if settings.protected == ProtectedSpec::None {
            return;
        }
        let anchors = Anchors {
            folded: true,
            ..self.anchors
        };
        for (group, number) in protected::GROUPS.iter().zip(0..) {
            for text in group.patterns {
                if let Ok(pattern) = Pattern::parse(text, Purpose::Restrict, anchors) {
                    lists.restrict.insert(&pattern, Entry::Protected(number));
                }
            }
        }
    }

    /// Says which rules are useless or say too much.
    fn remark(
        &mut self,
        lists: &Lists,
        rules: &[NumberedRule<'_>],
        allowed: &[(&RuleSpec, Pattern)],
    ) {
        let mut always: Vec<RuleIndex> = rules
            .iter()
            .filter(|(_, outcome, rule)| *outcome == Outcome::Deny && always_holds(rule))
            .map(|(number, ..)| *number)
            .collect();
        always.sort_unstable();
        for (rule, pattern) in allowed {
            if pattern.segments.is_empty() && pattern.deep {
                let why = "this allows every file there is; name the directories that are meant";
                self.remarks.push((rule.pattern.place.clone(), why.into()));
            }
            let mut denied = false;
            lists.restrict.walk(&fold(&pattern.known()), |entry| {
                let Entry::Rule(Outcome::Deny, number) = entry else {
                    return;
                };
                denied |= always.binary_search(&number).is_ok();
            });
            if denied {
                let why = "this rule allows nothing, because another one denies all of it";
                self.remarks.push((rule.pattern.place.clone(), why.into()));
            }
        }
    }
}

fn always_holds(rule: &RuleSpec) -> bool {
    rule.except.is_empty()
        && rule.environments.is_empty()
        && rule.agents.is_empty()
        && rule.expires.is_none()
        && rule.when.is_empty()
}
