//! Which tools an agent has: decided before any call.

use serde::Deserialize;

use crate::{
    Finding, Outside, Skip,
    case::{Case, Invalid},
};

/// What such a case is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(rename = "agent_toolsets")]
    _agent_toolsets: Vec<String>,
    #[serde(rename = "run_toolsets")]
    _run_toolsets: Vec<String>,
}

/// Reads a case.
pub(super) fn run(case: &Case) -> Result<Finding, Invalid> {
    let _: Given = case.given()?;
    Ok(Finding::Skipped(Skip::Outside(Outside::Toolsets)))
}
