//! Writing figures into the page about them.

use std::{fs, process::Command};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/benchmarks.md");

/// Puts text between the two marks that bear a name.
pub(crate) fn write(name: &str, text: &str) {
    let page = fs::read_to_string(PAGE).unwrap();
    let (begin, end) = (
        format!("<!-- {name} -->\n"),
        format!("<!-- end of {name} -->"),
    );
    let (before, rest) = page.split_once(&begin).unwrap();
    let (_, after) = rest.split_once(&end).unwrap();
    let text = format!(
        "{before}{begin}\n{}\n\n{text}\n{end}{after}",
        circumstances()
    );
    fs::write(PAGE, text).unwrap();
}

/// When, on what and with what.
fn circumstances() -> String {
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("an unknown processor", |model| {
        model.trim_start_matches(['\t', ' ', ':'])
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let version = Command::new("rustc").arg("--version").output().unwrap();
    let version = String::from_utf8(version.stdout).unwrap();
    let date = jiff::Timestamp::now().strftime("%Y-%m-%d").to_string();
    format!(
        "{date}, {model}, {cores} cores, shared with others; {}.",
        version.trim()
    )
}
