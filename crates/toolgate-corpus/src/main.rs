//! Runs a corpus file against the library.
//!
//! ```text
//! corpus seed-behaviour FILE
//! corpus attacks FILE
//! ```
//!
//! Exits with 0 if nothing failed, 1 if a case failed, 2 if there was nothing to run.

use std::{env, fs, process::ExitCode};

use toolgate_corpus::{attacks, seed_behaviour};

/// What is said to whoever calls it wrongly.
const USAGE: &str = "usage: corpus (seed-behaviour | attacks) FILE";

fn main() -> ExitCode {
    let words: Vec<_> = env::args_os().skip(1).collect();
    let [corpus, file] = words.as_slice() else {
        return unusable(USAGE);
    };
    let run = match corpus.to_str() {
        Some("seed-behaviour") => seed_behaviour,
        Some("attacks") => attacks,
        _ => return unusable(USAGE),
    };
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return unusable(&format!("cannot read {}: {error}", file.display())),
    };
    match run(&text) {
        Ok(report) => {
            println!("{report}");
            ExitCode::from(u8::from(report.failed() > 0))
        }
        Err(error) => unusable(&format!("cannot start: {error}")),
    }
}

/// Says why nothing was run.
fn unusable(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::from(2)
}
