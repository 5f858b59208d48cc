//! Policies out of the configuration of other systems.

mod llm_do;
mod write;

use crate::Diagnostics;

pub use self::llm_do::import_llm_do;

/// A policy made out of something else.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The policy, in TOML.
    pub toml: String,
    /// What could not be carried over as it was, each with its place. None of it permits more than
    /// before.
    pub losses: Diagnostics,
}

#[cfg(test)]
mod tests;
