//! Measures what Toolgate costs, next to what would be used instead.
//!
//! ```sh
//! cargo run --release -p toolgate-bench -- ratios
//! ```
//!
//! `docs/benchmarks.md` says what is measured, and what came out.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_precision_loss,
    reason = "a measurement, to be read by people: where it goes wrong it has to stop"
)]

mod callgrind;
mod cases;
#[cfg(feature = "engines")]
mod crowds;
#[cfg(feature = "engines")]
mod engines;
mod instructions;
#[cfg(feature = "engines")]
mod measure;
mod page;
#[cfg(feature = "engines")]
mod peers;
#[cfg(feature = "engines")]
mod plot;
mod random;
#[cfg(feature = "engines")]
mod ratios;
mod stacks;
mod table;
mod workload;

use std::{fmt, process::ExitCode};

/// Runs one command. Fails if what it measures is worse than it should be.
///
/// # Panics
///
/// If something cannot be measured, or engines disagree.
#[must_use]
pub fn run(words: &[&str]) -> ExitCode {
    let passed = match *words {
        #[cfg(feature = "engines")]
        ["ratios"] => ratios::run(false),
        #[cfg(feature = "engines")]
        ["ratios", "--write"] => ratios::run(true),
        #[cfg(feature = "engines")]
        ["bytes", what, count] => crowds::print_bytes(what, count.parse().unwrap()),
        #[cfg(feature = "engines")]
        ["peers-python"] => peers::run(false),
        #[cfg(feature = "engines")]
        ["peers-python", "--write"] => peers::run(true),
        ["instructions"] => instructions::check(),
        ["instructions", "--write"] => instructions::write(),
        ["instructions", callgrind::INSIDE] => instructions::inside(""),
        ["instructions", callgrind::INSIDE, name] => instructions::inside(name),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match passed {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// One thing to measure, for whoever works on it.
pub struct Piece(cases::Case);

impl Piece {
    /// Everything whose instructions are counted, too.
    #[must_use]
    pub fn all() -> Vec<Self> {
        cases::counted().into_iter().map(Self).collect()
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Makes one run of it, ready to be measured.
    pub fn prepare(&mut self) -> impl FnMut() + use<> {
        (self.0.prepare)()
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Piece").field(&self.name()).finish()
    }
}

const USAGE: &str = "\
usage: toolgate-bench COMMAND

  ratios                measures everything side by side, and compares with the aims
  ratios --write        the same, and writes the figures and plots into docs/
  peers-python          measures two Python packages side by side with ours
  peers-python --write  the same, and writes the figures into docs/
  instructions          counts instructions for each call, and compares them with the baseline
  instructions --write  writes the baseline";
