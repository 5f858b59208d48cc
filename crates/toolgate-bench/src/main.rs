//! `cargo run --release -p toolgate-bench -- COMMAND`

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    toolgate_bench::run(&words)
}
