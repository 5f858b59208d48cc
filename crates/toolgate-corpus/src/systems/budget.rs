//! What a run may cost: not a question of a tool call.

use serde::Deserialize;

use crate::{
    Finding, Outside, Skip,
    case::{Case, Invalid},
};

/// What such a case is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(rename = "budget_limit_usd")]
    _budget_limit_usd: Option<f64>,
    #[serde(default, rename = "spent_usd")]
    _spent_usd: Option<f64>,
    #[serde(default, rename = "model")]
    _model: Option<String>,
    #[serde(default, rename = "tokens_used")]
    _tokens_used: Option<u64>,
    #[serde(default, rename = "context")]
    _context: Option<bool>,
}

/// Reads a case.
pub(super) fn run(case: &Case) -> Result<Finding, Invalid> {
    let _: Given = case.given()?;
    match &case.call {
        Some(call) if call.run.is_some() && call.tool.is_none() => {
            Ok(Finding::Skipped(Skip::Outside(Outside::Budgets)))
        }
        _ => Err(Invalid::new("`call` is not a run")),
    }
}
