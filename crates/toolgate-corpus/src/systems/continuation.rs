//! Asking whether an agent may go on.

use serde::Deserialize;

use super::hpd::Response;
use crate::{
    Finding, Missing, Skip,
    case::{Case, Invalid},
};

/// What such a case is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(rename = "max_iterations")]
    _max_iterations: u64,
    #[serde(default, rename = "extension_amount")]
    _extension_amount: Option<u64>,
    #[serde(default, rename = "state_limit")]
    _state_limit: Option<u64>,
    #[serde(default)]
    response: Option<Response>,
}

/// Reads a case.
pub(super) fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    given.response.as_ref().map_or(Ok(()), Response::check)?;
    match &case.call {
        Some(call) if call.iteration.is_some() && call.tool.is_none() => {
            Ok(Finding::Skipped(Skip::Missing(Missing::Continuation)))
        }
        _ => Err(Invalid::new("`call` is not an iteration")),
    }
}
