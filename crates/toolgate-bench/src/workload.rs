//! Rules and calls to measure with. The same in every run.
//!
//! There are rules of six kinds. A call is about one of them; the strictest rule that matches it
//! decides, and somebody is asked about what no rule speaks of.

mod calls;
mod rules;

use std::{collections::HashMap, fmt::Write as _};

use serde_json::{Map, Value};
use toolgate::Effect;

use crate::random::Random;

/// What a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// A tool by its name.
    Tool,
    /// Tools by a name with a star in it.
    ToolGlob,
    /// Something that a call can do.
    Capability,
    /// Paths below a directory, or with an ending.
    Path,
    /// A command.
    Shell,
    /// A host, or all below a domain.
    Host,
}

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) kind: Kind,
    pub(crate) pattern: String,
    pub(crate) effect: Effect,
}

/// One call, and what the rules say of it.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) kind: Kind,
    pub(crate) tool: String,
    pub(crate) capabilities: Vec<String>,
    pub(crate) args: Map<String, Value>,
    pub(crate) expected: Effect,
}

impl Call {
    #[cfg(feature = "engines")]
    /// The path that the call is about, if it is about one.
    pub(crate) fn path(&self) -> Option<&str> {
        self.args.get("path").and_then(Value::as_str)
    }

    /// A command line that is allowed.
    pub(crate) fn line(line: &str) -> Self {
        Self {
            kind: Kind::Shell,
            tool: "shell".to_owned(),
            capabilities: Vec::new(),
            args: [("command".to_owned(), Value::from(line))]
                .into_iter()
                .collect(),
            expected: Effect::Allow,
        }
    }

    /// A write to a path.
    #[cfg(feature = "engines")]
    pub(crate) fn write(path: &str) -> Self {
        Self {
            kind: Kind::Path,
            tool: "write_file".to_owned(),
            args: [("path".to_owned(), Value::from(path))]
                .into_iter()
                .collect(),
            ..Self::line("")
        }
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(&self.args).unwrap()
    }
}

/// How many rules of each kind there are among a hundred.
pub(crate) type Mix = &'static [(Kind, usize)];

/// What every engine can be told.
pub(crate) const COMMON: Mix = &[
    (Kind::Tool, 40),
    (Kind::ToolGlob, 20),
    (Kind::Capability, 20),
    (Kind::Path, 20),
];

/// What a whole policy file says.
pub(crate) const WHOLE: Mix = &[
    (Kind::Tool, 25),
    (Kind::ToolGlob, 15),
    (Kind::Capability, 10),
    (Kind::Path, 20),
    (Kind::Shell, 20),
    (Kind::Host, 10),
];

#[cfg(feature = "engines")]
/// The sizes that everything is measured at.
pub(crate) const SIZES: [usize; 4] = [10, 100, 1_000, 10_000];

/// How many calls are measured over and over.
pub(crate) const HOT: usize = 64;

#[derive(Clone, Debug)]
pub(crate) struct Workload {
    pub(crate) rules: Vec<Rule>,
}

impl Workload {
    pub(crate) fn new(mix: Mix, size: usize) -> Self {
        let mut random = Random::new(size as u64);
        let mut rules = rules::make(mix, size, &mut random);
        random.shuffle(&mut rules);
        Self { rules }
    }

    #[cfg(feature = "engines")]
    /// Calls of all kinds, eight of ten of them allowed.
    pub(crate) fn calls(&self) -> Vec<Call> {
        let mut random = Random::new(self.rules.len() as u64 + 1);
        let effects = [Effect::Allow; 8]
            .into_iter()
            .chain([Effect::Ask, Effect::Deny]);
        let effects = effects.cycle().take(HOT);
        effects
            .map(|effect| self.call(None, effect, &mut random))
            .collect()
    }

    /// Calls that are all decided so.
    pub(crate) fn all(&self, effect: Effect) -> Vec<Call> {
        let mut random = Random::new(self.rules.len() as u64 + 3);
        (0..HOT)
            .map(|_| self.call(None, effect, &mut random))
            .collect()
    }

    /// Calls that rules of one kind allow.
    pub(crate) fn allowed_by(&self, kind: Kind) -> Vec<Call> {
        let mut random = Random::new(self.rules.len() as u64 + 2);
        let call = |_| self.call(Some(kind), Effect::Allow, &mut random);
        (0..HOT).map(call).collect()
    }

    fn call(&self, kind: Option<Kind>, effect: Effect, random: &mut Random) -> Call {
        let is_meant =
            |rule: &&Rule| rule.effect == effect && kind.is_none_or(|kind| rule.kind == kind);
        let meant: Vec<_> = self.rules.iter().filter(is_meant).collect();
        calls::about(random.pick::<&Rule>(&meant), random)
    }

    /// The rules as a policy file.
    pub(crate) fn policy_file(&self) -> String {
        let mut lists: HashMap<(&str, &str), String> = HashMap::new();
        for rule in &self.rules {
            let list = lists
                .entry((section(rule.kind), word(rule.effect)))
                .or_default();
            writeln!(list, "    {},", Value::from(&*rule.pattern)).unwrap();
        }
        let mut text = "workspace = \"/workspace\"\n".to_owned();
        for section in ["tools", "capabilities", "write", "shell", "fetch"] {
            writeln!(text, "\n[{section}]").unwrap();
            for effect in ["allow", "ask", "deny"] {
                if let Some(list) = lists.get(&(section, effect)) {
                    writeln!(text, "{effect} = [\n{list}]").unwrap();
                }
            }
        }
        text
    }
}

fn section(kind: Kind) -> &'static str {
    match kind {
        Kind::Tool | Kind::ToolGlob => "tools",
        Kind::Capability => "capabilities",
        Kind::Path => "write",
        Kind::Shell => "shell",
        Kind::Host => "fetch",
    }
}

fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    }
}
