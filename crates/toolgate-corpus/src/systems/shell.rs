//! Rules over shell commands, old and new.

use serde::Deserialize;

use super::config::Config;
use crate::{
    Finding, Missing, Skip,
    case::{Case, Invalid},
};

/// What such a case is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(rename = "rules")]
    _rules: Vec<Rule>,
    #[serde(rename = "default")]
    _default: Option<Default>,
    #[serde(default, rename = "config")]
    _config: Option<Config>,
}

/// A rule over commands that begin like its pattern.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(rename = "pattern")]
    _pattern: String,
    #[serde(default, rename = "allowed")]
    _allowed: Option<bool>,
    #[serde(default, rename = "approval_required")]
    _approval_required: Option<bool>,
    #[serde(default, rename = "approval_required_if_args")]
    _approval_required_if_args: Vec<String>,
}

/// What holds for a command without a rule.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Default {
    #[serde(default, rename = "allowed")]
    _allowed: Option<bool>,
    #[serde(default, rename = "approval_required")]
    _approval_required: Option<bool>,
}

/// Reads a case.
pub(super) fn run(case: &Case) -> Result<Finding, Invalid> {
    let _: Given = case.given()?;
    let (call, _) = case.only_call()?;
    match call.args.get("command") {
        Some(command) if command.is_string() => Ok(Finding::Skipped(Skip::Missing(Missing::Shell))),
        _ => Err(Invalid::new("`args` has no `command`")),
    }
}
