//! Cases in a file beside the policy: calls, and what is to become of them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::Value;
use toml::Spanned;
use toolgate::{Args, Effect, ToolCall};
use toolgate_policy::{FilePolicy, Loader};

use super::report::Report;
use crate::{
    call::{agent, from_json, show},
    fail::Fail,
    policy::PolicyArgs,
    style::word,
    verdict::Verdict,
};

/// The cases of one file.
#[derive(Debug)]
pub(super) struct Cases {
    file: PathBuf,
    text: String,
    list: Vec<Spanned<Case>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    case: Vec<Spanned<Case>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: Option<String>,
    call: Option<Value>,
    read: Option<String>,
    write: Option<String>,
    fetch: Option<String>,
    agent: Option<String>,
    env: Option<String>,
    rule: Option<String>,
    expect: Effect,
}

impl Cases {
    pub(super) fn read(file: &Path) -> Result<Self, Fail> {
        let text = fs::read_to_string(file).map_err(|error| Fail::unreadable(file, &error))?;
        let document: Document = toml::from_str(&text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            let place = place(&text, offset);
            Fail::new(format!("{}:{place}: {}", file.display(), error.message()))
                .with_help("`toolgate test --help` shows how cases are written")
        })?;
        Ok(Self {
            file: file.to_owned(),
            text,
            list: document.case,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Runs all of them, each in its environment.
    pub(super) fn run(
        &self,
        args: &PolicyArgs,
        policy: &Path,
        report: &mut Report,
    ) -> Result<(), Fail> {
        let mut policies: BTreeMap<Option<String>, FilePolicy> = BTreeMap::new();
        report.begin(self.len(), &self.file.display().to_string())?;
        for case in &self.list {
            let place = format!("{}:{}", self.file.display(), self.line(case));
            let case = case.get_ref();
            let call = case
                .call()
                .map_err(|why| Fail::new(format!("{place}: {why}")))?;
            let environment = case.env.clone().or_else(|| args.environment.clone());
            if !policies.contains_key(&environment) {
                let args = PolicyArgs {
                    environment: environment.clone(),
                    ..args.clone()
                };
                let loaded = args.compile(Loader::new().project(policy, true))?;
                policies.insert(environment.clone(), loaded);
            }
            if let Some(policy) = policies.get(&environment) {
                let verdict = Verdict::of(policy, &call);
                let wrong = case.wrong(&verdict).map(|why| format!("{place}: {why}"));
                report.take(&case.title(&call), wrong)?;
            }
        }
        Ok(())
    }

    fn line(&self, case: &Spanned<Case>) -> String {
        place(&self.text, case.span().start)
    }
}

impl Case {
    fn call(&self) -> Result<ToolCall, String> {
        let with =
            |tool: &str, key: &str, text: &str| ToolCall::new(tool, Args::new().with(key, text));
        let call = match (&self.call, &self.read, &self.write, &self.fetch) {
            (Some(Value::String(line)), None, None, None) => with("shell", "command", line),
            (Some(Value::Object(call)), None, None, None) => from_json(call)?,
            (None, Some(path), None, None) => with("read_file", "path", path),
            (None, None, Some(path), None) => with("write_file", "path", path),
            (None, None, None, Some(url)) => with("fetch", "url", url),
            _ => {
                return Err(
                    "a case has one of `call`, `read`, `write` and `fetch`; `call` is a \
                            command line, or a table with `tool` and `args`"
                        .to_owned(),
                );
            }
        };
        Ok(match &self.agent {
            Some(path) => {
                let origin = call.origin().clone().with_agent(agent(path));
                call.with_origin(origin)
            }
            None => call,
        })
    }

    fn title(&self, call: &ToolCall) -> String {
        let expected = word(self.expect);
        match &self.name {
            Some(name) => name.clone(),
            None => format!("{} is {expected}", show(call)),
        }
    }

    /// What is wrong, if it is not as it should be.
    fn wrong(&self, verdict: &Verdict) -> Option<String> {
        let why = verdict.sentence();
        if verdict.effect != self.expect {
            let (wanted, got) = (word(self.expect), word(verdict.effect));
            return Some(format!("it should be {wanted}, and is {got}\n{why}"));
        }
        let rule = self.rule.as_deref()?;
        let is_meant = |reason: &crate::verdict::Reason| reason.rule == rule;
        match verdict.reasons.iter().any(is_meant) {
            true => None,
            false => Some(format!("it is not because of `{rule}`\n{why}")),
        }
    }
}

/// The line and the column of a place in a text.
fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    format!("{line}:{column}")
}
