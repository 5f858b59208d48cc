//! What must hold for whatever Toolgate reads that others wrote.
//!
//! One module for each fuzz target. `check` takes an input and asserts its properties; the targets
//! in `fuzz_targets/` hand it what libFuzzer makes up, and the tests of this package what is in
//! `found/` and in the recorded attacks.

pub mod args;
pub mod costs;
pub mod hosts;
mod kit;
pub mod layers;
pub mod llm_do;
pub mod loader;
pub mod options;
pub mod paths;
pub mod patterns;
pub mod seeds;
pub mod shell;
mod tree;

#[cfg(test)]
mod tests;

/// The name of a target, and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// The targets, each by the name of its module.
pub const TARGETS: [Target; 10] = [
    ("args", args::check),
    ("costs", |bytes| text(bytes, costs::check)),
    ("hosts", |bytes| text(bytes, hosts::check)),
    ("layers", |bytes| text(bytes, layers::check)),
    ("llm_do", |bytes| text(bytes, llm_do::check)),
    ("loader", |bytes| text(bytes, loader::check)),
    ("options", |bytes| text(bytes, options::check)),
    ("paths", |bytes| text(bytes, paths::check)),
    ("patterns", |bytes| text(bytes, patterns::check)),
    ("shell", |bytes| text(bytes, shell::check)),
];

/// Hands on as much of the bytes as is text.
pub fn text(bytes: &[u8], check: impl FnOnce(&str)) {
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => bytes,
        Err(error) => bytes.get(..error.valid_up_to()).unwrap_or_default(),
    };
    if let Ok(text) = std::str::from_utf8(valid) {
        check(text);
    }
}
