//! Rules over shell commands, old and new.
//!
//! There the first rule whose words a line begins with decides. Here the strictest decides, so that
//! a rule that asks or denies excepts what an earlier one is about. What the policy decides becomes
//! a capability of the call, as in the newer source, and a rule over capabilities asks or allows. A
//! deny stays a deny, whatever the configuration of the tool says.

use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{
    BlockedKind, Capabilities, CapabilityRules, Decision, Describe, DescribeError, Description,
    Effect, GateLayer, ReviewLayer, Reviewing, ToolBlocked, ToolCall, ToolEntries,
};
use toolgate_policy::{FakeFiles, FilePolicy, Format, Settings, parse_policy};

use super::{
    config::{self, Config},
    finding,
};
use crate::{
    Finding,
    bench::{Bench, Stack, lock},
    case::{Case, Invalid},
    compare::compare,
    fault::Fault,
    seen::{Seen, Told, Voice},
};

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Version {
    /// What no rule is about is asked about.
    Old,
    /// What no rule is about is blocked, and so is a line that is not made of words alone.
    New,
}

/// What such a case is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    rules: Vec<Rule>,
    default: Option<Verdict>,
    #[serde(default)]
    config: Option<Config>,
}

/// A rule over commands that begin like its pattern.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    pattern: String,
    #[serde(default)]
    allowed: Option<bool>,
    #[serde(default)]
    approval_required: Option<bool>,
    #[serde(default)]
    approval_required_if_args: Vec<String>,
}

/// What holds for a command without a rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Verdict {
    #[serde(default)]
    allowed: Option<bool>,
    #[serde(default)]
    approval_required: Option<bool>,
}

/// What a shell may read as more than words.
const METACHARACTERS: &[&str] = &["|", ">", "<", ";", "&", "`", "$(", "${"];

/// Runs a case.
pub(super) async fn run(case: &Case, version: Version) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let (call, expectation) = case.only_call()?;
    let command = call.args.get("command").and_then(Value::as_str);
    let Some(command) = command.map(str::to_owned) else {
        return Err(Invalid::new("`args` has no `command`"));
    };
    let labels = Arc::default();
    let lines = Lines {
        policy: policy(&given, version)?,
        version,
        seen: Arc::clone(&labels),
    };
    let bench = bench(&given, lines).map_err(|fault| Invalid::new(fault.to_string()))?;
    let attempt = bench.call(&call, None).await;
    let mut seen = Seen::new(&attempt, &Shell { command });
    seen.set("capabilities", lock(&labels).clone());
    Ok(finding(compare(&expectation, &seen)?))
}

fn bench(given: &Given, lines: Lines) -> Result<Bench, Fault> {
    let tool_rules = config::rules(given.config.as_ref())?;
    let rules: CapabilityRules = serde_json::from_value(json!({
        "proc.exec": "pre_approved",
        "proc.exec.pre_approved": "pre_approved",
        "proc.exec.needs_approval": "needs_approval",
        "proc.exec.unlisted": "blocked",
    }))
    .map_err(|error| Fault::raised("ValueError", error.to_string()))?;
    let denied = lines.clone();
    Ok(Stack::new(&GateLayer::new(), None)
        .policy(Capabilities::new(rules).with_tool_rules(tool_rules.clone()))
        .policy(move |call: &ToolCall<Reviewing>| denied.deny(call))
        .build(
            &ReviewLayer::new()
                .describe(lines)
                .with_tool_rules(tool_rules),
        ))
}

/// The rules, as a policy of Toolgate.
fn policy(given: &Given, version: Version) -> Result<FilePolicy, Invalid> {
    let (mut allow, mut ask, mut deny) = (Vec::new(), Vec::new(), Vec::new());
    let mut before: Vec<&str> = Vec::new();
    for rule in &given.rules {
        let words = &*rule.pattern;
        let is_part = |other: &&&str| {
            other
                .strip_prefix(words)
                .is_some_and(|more| more.starts_with(' '))
        };
        let except: Vec<_> = before
            .iter()
            .filter(is_part)
            .map(|other| format!("{other} *"))
            .collect();
        let strict = |text: String| json!({"pattern": text, "except": except});
        match effect(rule.allowed, rule.approval_required) {
            Effect::Allow => allow.push(json!(format!("{words} *"))),
            Effect::Ask => ask.push(strict(format!("{words} *"))),
            Effect::Deny => deny.push(strict(format!("{words} *"))),
        }
        let if_args = rule.approval_required_if_args.iter();
        ask.extend(if_args.map(|arg| strict(format!("{words} {arg} *"))));
        before.push(words);
    }
    let default = match (&given.default, version) {
        (None, Version::Old) => Effect::Ask,
        (None, Version::New) => Effect::Deny,
        (Some(default), _) => effect(default.allowed, default.approval_required),
    };
    let text = json!({
        "default": default,
        "dangerous_default_allow": default == Effect::Allow,
        "shell": {"allow": allow, "ask": ask, "deny": deny},
    });
    let settings = Settings::new().with_files(FakeFiles::new());
    let policy = parse_policy(&text.to_string(), Format::Json);
    let policy = policy.and_then(|policy| policy.compile(None, &settings));
    policy.map_err(|problems| Invalid::new(problems.to_string()))
}

fn effect(allowed: Option<bool>, approval_required: Option<bool>) -> Effect {
    match (allowed, approval_required) {
        (Some(false), _) => Effect::Deny,
        (_, Some(false)) => Effect::Allow,
        _ => Effect::Ask,
    }
}

/// Says what a command line can do, by what the policy decides about it.
#[derive(Clone)]
struct Lines {
    policy: FilePolicy,
    version: Version,
    /// What was said last.
    seen: Arc<Mutex<Vec<String>>>,
}

impl Lines {
    fn effect(&self, call: &ToolCall<Reviewing>) -> Effect {
        let line = call.args().get("command").and_then(Value::as_str);
        let no_words = |line: &str| line.trim().is_empty() || metacharacter(line).is_some();
        if self.version == Version::New && line.is_some_and(no_words) {
            return Effect::Deny;
        }
        let call = ToolCall::new(call.tool().clone(), call.args().clone());
        self.policy.effect(&call)
    }

    fn deny(&self, call: &ToolCall<Reviewing>) -> Decision {
        match self.effect(call) {
            Effect::Deny => Decision::deny("the policy denies the command"),
            _ => Decision::abstain(),
        }
    }
}

fn metacharacter(line: &str) -> Option<&'static str> {
    METACHARACTERS
        .iter()
        .copied()
        .find(|text| line.contains(text))
}

impl Describe for Lines {
    fn describe(
        &self,
        call: &ToolCall<Reviewing>,
        _: &ToolEntries<'_>,
    ) -> Result<Description, DescribeError> {
        let class = match self.effect(call) {
            Effect::Allow => "proc.exec.pre_approved",
            Effect::Ask => "proc.exec.needs_approval",
            Effect::Deny => "proc.exec.unlisted",
        };
        let names = ["proc.exec", class];
        *lock(&self.seen) = names.map(str::to_owned).into();
        let labels = config::capability_list(&json!(names))?;
        Ok(Description::new().with(labels))
    }
}

/// How the source puts a refusal.
struct Shell {
    command: String,
}

impl Voice for Shell {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        if blocked.kind() != BlockedKind::Denied {
            return Told::otherwise(blocked);
        }
        let reason = match metacharacter(&self.command) {
            Some(text) => format!("Command contains blocked metacharacter '{text}'."),
            None => format!("Command not in whitelist: {}", self.command),
        };
        Told::blocked("ShellBlockedError", reason)
    }
}
