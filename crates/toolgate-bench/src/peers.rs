//! Python packages that do the same, in one run with ours.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use serde_json::{Value, json};
use toolgate::Effect;

use crate::{
    cases::{self, at},
    measure::Times,
    page,
    table::{self, Aim, Row},
    workload::{COMMON, Call, Kind, Workload},
};

/// What is installed, each in exactly this version.
const PACKAGES: [&str; 3] = [
    "pydantic-ai-middleware==0.2.4",
    "pydantic-ai-slim==1.71.0",
    "pydantic-ai-blocking-approval==0.9.0",
];

const SCRIPT: &str = include_str!("peers.py");

/// How often both are measured, in turn.
const ROUNDS: usize = 3;

const RULES: usize = 100;

/// Measures, prints the table, and says whether every aim is met.
pub(crate) fn run(write: bool) -> bool {
    let python = install();
    let calls = calls();
    let mut best: Vec<(String, String, f64, f64)> = Vec::new();
    for _ in 0..ROUNDS {
        let theirs = measure(&python, &calls);
        let ours = Times::of(cases::layers(RULES));
        for (path, packages) in theirs.as_object().unwrap() {
            let name = match &**path {
                "allow" => "layers, allow by tool",
                "deny" => "layers, deny",
                "memory hit" => "layers, memory hit",
                _ => "layers, ask answered at once",
            };
            let own = ours.get(&at(name, RULES));
            for (package, ns) in packages.as_object().unwrap() {
                keep(&mut best, path, package, own, ns.as_f64().unwrap());
            }
        }
    }
    let rows: Vec<Row> = best.iter().map(row).collect();
    let table = table::markdown(&rows);
    println!("{table}");
    if write {
        page::write("peers", &table);
    }
    rows.iter().all(Row::is_met)
}

/// Keeps the better of two rounds.
fn keep(
    best: &mut Vec<(String, String, f64, f64)>,
    path: &str,
    package: &str,
    ours: f64,
    theirs: f64,
) {
    let known = best.iter_mut().find(|(p, k, ..)| p == path && k == package);
    match known {
        Some((_, _, own, other)) => (*own, *other) = (own.min(ours), other.min(theirs)),
        None => best.push((path.to_owned(), package.to_owned(), ours, theirs)),
    }
}

fn row((path, package, ours, theirs): &(String, String, f64, f64)) -> Row {
    let package = match &**package {
        "middleware" => PACKAGES[0],
        _ => PACKAGES[2],
    };
    let least = if path.starts_with("ask") { 1.0 } else { 20.0 };
    Row {
        what: format!("{path}, {package}"),
        figure: format!("{} to our {}", table::time(*theirs), table::time(*ours)),
        compared: theirs / ours,
        unit: " ×",
        aim: Some(Aim::AtLeast(least)),
    }
}

fn calls() -> Vec<Call> {
    let calls = Workload::new(COMMON, RULES).all(Effect::Ask);
    calls
        .into_iter()
        .filter(|call| call.kind == Kind::Tool)
        .collect()
}

/// A virtual environment of its own, made once.
fn install() -> PathBuf {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers-python");
    let python = target.join("bin/python");
    let done = target.join("installed");
    if fs::read_to_string(&done).is_ok_and(|packages| packages == PACKAGES.join("\n")) {
        return python;
    }
    let ran = |command: &mut Command| assert!(command.status().unwrap().success(), "{command:?}");
    ran(Command::new("python3").args(["-m", "venv"]).arg(&target));
    ran(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet"])
        .args(PACKAGES));
    fs::write(done, PACKAGES.join("\n")).unwrap();
    python
}

fn measure(python: &Path, calls: &[Call]) -> Value {
    let calls: Vec<_> = calls
        .iter()
        .map(|call| json!({"tool": call.tool, "args": call.args}))
        .collect();
    let mut child = Command::new(python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(Value::from(calls).to_string().as_bytes())
        .unwrap();
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "the script failed");
    let mut figures: Value = serde_json::from_slice(&output.stdout).unwrap();
    figures["figures"].take()
}
