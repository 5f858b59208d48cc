//! The source systems, one file each.

mod pam;

use crate::{
    Finding,
    case::{Case, Invalid},
};

/// Runs a case as its system means it.
pub(crate) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let name = case.system.split('(').next().unwrap_or_default().trim();
    match name {
        "pydantic-ai-middleware@0.2.4" => pam::run(case).await,
        _ => Err(Invalid::new(format!("unknown system `{}`", case.system))),
    }
}

/// What became of a case in which these things differ.
fn finding(differences: Vec<String>) -> Finding {
    if differences.is_empty() {
        Finding::Passed
    } else {
        Finding::Failed(differences)
    }
}
