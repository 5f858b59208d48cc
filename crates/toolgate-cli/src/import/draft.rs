//! A policy in the making.

use serde_json::Value;
use toolgate::Effect;

/// The sections that rules are imported into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Section {
    Shell,
    Read,
    Write,
    Fetch,
    Tools,
}

impl Section {
    pub(super) const ALL: [Self; 5] = [
        Self::Shell,
        Self::Read,
        Self::Write,
        Self::Fetch,
        Self::Tools,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Shell => "shell",
            Self::Read => "read",
            Self::Write => "write",
            Self::Fetch => "fetch",
            Self::Tools => "tools",
        }
    }

    /// The tools that a section is about.
    pub(super) fn tools(self) -> &'static [&'static str] {
        match self {
            Self::Shell => &["shell", "exec"],
            Self::Read => &["read_file", "list_directory"],
            Self::Write => &["write_file", "delete_file", "copy_path", "move_path"],
            Self::Fetch => &["fetch"],
            Self::Tools => &["*"],
        }
    }
}

/// One rule of the policy in the making.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rule {
    pub(super) section: Section,
    pub(super) effect: Effect,
    pub(super) pattern: String,
    /// An argument, and what it has to be one of.
    pub(super) when: Option<(String, Vec<Value>)>,
    pub(super) reason: Option<String>,
    /// As it was written in the other system.
    pub(super) from: String,
}

/// Something that is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Loss {
    /// As it was written.
    pub(crate) rule: String,
    pub(crate) what: String,
}

/// A policy in the making.
#[derive(Debug)]
pub(crate) struct Draft {
    /// What is written at the top.
    pub(super) title: String,
    pub(super) default: Effect,
    pub(super) mode: Option<&'static str>,
    /// Whether commands have to stay in the workspace, because they did before.
    pub(super) inside_only: bool,
    /// Whether commands that do not are denied.
    pub(super) outside_denied: bool,
    /// The tools that the rules over paths are meant for.
    pub(super) allowed: Vec<&'static str>,
    pub(super) rules: Vec<Rule>,
    pub(super) losses: Vec<Loss>,
}

impl Draft {
    pub(super) fn new(title: String) -> Self {
        Self {
            title,
            default: Effect::Ask,
            mode: None,
            inside_only: false,
            outside_denied: false,
            allowed: Vec::new(),
            rules: Vec::new(),
            losses: Vec::new(),
        }
    }

    /// Adds a rule, unless it is there.
    pub(super) fn rule(&mut self, effect: Effect, section: Section, pattern: &str, from: &str) {
        self.push(Rule {
            section,
            effect,
            pattern: pattern.to_owned(),
            when: None,
            reason: None,
            from: from.to_owned(),
        });
    }

    pub(super) fn push(&mut self, rule: Rule) {
        let is_same = |other: &Rule| {
            (other.section, other.effect) == (rule.section, rule.effect)
                && other.pattern == rule.pattern
                && other.when == rule.when
        };
        if !self.rules.iter().any(is_same) {
            self.rules.push(rule);
        }
    }

    pub(super) fn loss(&mut self, rule: &str, what: impl Into<String>) {
        self.losses.push(Loss {
            rule: rule.to_owned(),
            what: what.into(),
        });
    }

    /// Restricts all tools of a section.
    pub(super) fn whole(&mut self, effect: Effect, section: Section, from: &str) {
        for tool in section.tools() {
            self.rule(effect, Section::Tools, tool, from);
        }
    }

    /// What restricts and cannot be said: everything that it could be about is restricted.
    pub(super) fn whole_instead(
        &mut self,
        effect: Effect,
        section: Section,
        from: &str,
        why: &str,
    ) {
        self.whole(effect, section, from);
        let what = match section {
            Section::Tools => "every tool".to_owned(),
            section => format!("everything that `{}` is about", section.name()),
        };
        let now = becomes(effect);
        self.loss(from, format!("{why}, so {what} is {now}"));
    }

    /// Leaves the tools that a rule over paths allows and was not meant for to the default.
    pub(super) fn keep_to_allowed(&mut self) {
        let effect = self.default.max(Effect::Ask);
        for section in [Section::Read, Section::Write] {
            let is_looser = |rule: &Rule| {
                let is_whole = rule.section == Section::Tools;
                let is_whole = is_whole && section.tools().contains(&&*rule.pattern);
                rule.effect < effect && (is_whole || rule.section == section)
            };
            if !self.rules.iter().any(is_looser) {
                continue;
            }
            for tool in section.tools() {
                if !self.allowed.contains(tool) {
                    self.rule(effect, Section::Tools, tool, "a tool of its own");
                }
            }
        }
    }

    /// Makes deny of what asks about more than it did, if the default is to deny. Says whether that
    /// changed anything.
    pub(super) fn deny_what_asks_too_broadly(&mut self) -> bool {
        let (default, losses) = (self.default, &self.losses);
        let is_broad = |rule: &&mut Rule| {
            let is_lossy = losses.iter().any(|loss| loss.rule == rule.from);
            default == Effect::Deny && rule.effect == Effect::Ask && is_lossy
        };
        let broad = self.rules.iter_mut().filter(is_broad);
        broad.map(|rule| rule.effect = Effect::Deny).count() > 0
    }

    /// Takes out rules, and hands them back.
    pub(super) fn take_out(&mut self, is_meant: impl Fn(&Rule) -> bool) -> Vec<Rule> {
        let (out, rest) = std::mem::take(&mut self.rules)
            .into_iter()
            .partition(|rule| is_meant(rule));
        self.rules = rest;
        out
    }
}

/// What becomes of a call that is restricted.
pub(super) fn becomes(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allowed",
        Effect::Ask => "asked about",
        Effect::Deny => "denied",
    }
}
