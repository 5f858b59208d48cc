//! Whole texts, and what becomes of them.

mod corpus;
mod environments;
mod formats;
mod golden;
mod layers;
mod limits;
mod narrowing;
mod properties;
mod trust;
mod values;

use super::*;

/// A policy that is right.
pub(super) fn right(text: &str, format: Format) -> PolicySpec {
    match load("policy", text, format) {
        Ok(loaded) => loaded.spec,
        Err(wrong) => panic!("{wrong}"),
    }
}

/// The codes of everything that is said about a text.
pub(super) fn codes(text: &str, format: Format) -> Vec<&'static str> {
    let said = match load("policy", text, format) {
        Ok(loaded) => loaded.notes,
        Err(wrong) => {
            assert!(wrong.has_errors());
            wrong
        }
    };
    said.iter().map(|diagnostic| diagnostic.code).collect()
}
