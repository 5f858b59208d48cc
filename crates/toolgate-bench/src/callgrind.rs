//! Counting instructions, by running this program once more under callgrind.
//!
//! Whatever passes through [`callgrind_measured`] is counted, and nothing else. Before each passage
//! callgrind writes down what it counted since the last one.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Says that the program runs under callgrind.
pub(crate) const INSIDE: &str = "--inside";

const FUNCTION: &str = "toolgate_bench::callgrind::callgrind_measured";

/// Runs `work`, and has its instructions counted.
#[inline(never)]
pub(crate) fn callgrind_measured(work: &mut dyn FnMut()) {
    work();
}

/// Whether callgrind can be run at all.
pub(crate) fn is_there() -> bool {
    let version = Command::new("valgrind")
        .arg("--version")
        .stdout(Stdio::null())
        .status();
    version.is_ok_and(|status| status.success())
}

/// Runs `command` of this program. Says what it printed, and how many instructions each passage
/// took.
pub(crate) fn run(command: &str) -> (String, Vec<u64>) {
    let directory = env::temp_dir().join(format!("toolgate-bench-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let out = directory.join("out");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(format!("--toggle-collect={FUNCTION}"))
        .arg(format!("--dump-before={FUNCTION}"))
        .arg(env::current_exe().unwrap())
        .args([command, INSIDE])
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success(), "callgrind failed");
    let printed = String::from_utf8(output.stdout).unwrap();
    let counts = printed
        .lines()
        .enumerate()
        .map(|(n, _)| total(&part(&out, n + 2)))
        .collect();
    fs::remove_dir_all(directory).unwrap();
    (printed, counts)
}

fn part(out: &Path, number: usize) -> PathBuf {
    out.with_extension(number.to_string())
}

fn total(file: &Path) -> u64 {
    let text = fs::read_to_string(file).unwrap();
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    total.unwrap().trim().parse().unwrap()
}
