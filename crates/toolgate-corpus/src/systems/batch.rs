//! Several calls of one model response, in the Python systems.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::{
    Finding, Missing, Skip,
    case::{Call, Case, Invalid},
};

/// What such a case is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    batch: Vec<Call>,
    #[serde(rename = "decision")]
    _decision: Asks,
    handler: BTreeMap<String, Answers>,
    #[serde(default, rename = "tool_b_duration_s")]
    _tool_b_duration_s: Option<f64>,
}

/// Which calls are asked about.
#[derive(Debug, Deserialize)]
enum Asks {
    #[serde(rename = "ask for every tool")]
    ForEveryTool,
}

/// What somebody says to the call of one tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    #[serde(rename = "answer")]
    _answer: Word,
    #[serde(rename = "after_s")]
    _after_s: f64,
}

/// An answer in a word.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Approve,
    Deny,
}

/// Reads a case. A batch is more than its calls: they are settled first, and then run.
pub(super) fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let calls: Result<Vec<_>, _> = given.batch.iter().map(Call::tool_use).collect();
    let tools: Vec<_> = calls?.into_iter().map(|call| call.tool).collect();
    if given.handler.keys().any(|tool| !tools.contains(tool)) {
        return Err(Invalid::new("an answer for a tool that is not called"));
    }
    match case.call.as_ref().and_then(|call| call.batch.as_ref()) {
        Some(batch) if *batch == tools => Ok(Finding::Skipped(Skip::Missing(Missing::Batches))),
        _ => Err(Invalid::new("`call` is not the batch that is given")),
    }
}
