//! Policies of llm-do.
//!
//! What can be imported loads and judges; what cannot says where.

use toolgate_policy::{Format, import_llm_do, parse_policy};

use crate::{kit, layers::calls};

/// Checks the file of a worker.
#[expect(clippy::panic, reason = "what is found has to be seen")]
pub fn check(text: &str) {
    let imported = match import_llm_do("worker.yaml", text) {
        Ok(imported) => imported,
        Err(wrong) => {
            assert!(wrong.has_errors(), "refused without an error");
            return;
        }
    };
    let parsed = parse_policy(&imported.toml, Format::Toml)
        .unwrap_or_else(|wrong| panic!("{}\n{wrong}", imported.toml));
    let policy = parsed
        .compile(None, &kit::settings())
        .unwrap_or_else(|wrong| panic!("{}\n{wrong}", imported.toml));
    for call in calls() {
        let _ = kit::effect(&policy, call);
    }
}
