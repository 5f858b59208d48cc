//! The corpus of the repository, and the command that runs one.

#![expect(clippy::unwrap_used, reason = "a test that cannot start has failed")]

use std::{
    path::PathBuf,
    process::{Command, Output},
};

use serde_json::{Value, json};
use toolgate_corpus::{Finding, attacks, seed_behaviour};

fn recorded() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    root.join("../../tests/corpus/seed-behaviour.jsonl")
}

fn attacking() -> String {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(root.join("../../tests/corpus/attacks.jsonl")).unwrap()
}

fn corpus(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_corpus"))
        .args(words)
        .output()
        .unwrap()
}

/// A file of its own for each test, which is gone with the build.
fn file(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn last_line(output: &Output) -> String {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn nothing_recorded_fails() {
    let text = std::fs::read_to_string(recorded()).unwrap();
    let report = seed_behaviour(&text).unwrap();

    assert_eq!(report.failed(), 0, "{report}");
    assert!(report.passed() >= 216, "{report}");
    assert_eq!(report.entries().count(), text.lines().count());
}

#[test]
fn no_attack_succeeds_and_nothing_harmless_is_refused() {
    let text = attacking();
    let report = attacks(&text).unwrap();

    assert_eq!(report.failed(), 0, "{report}");
    assert_eq!(report.refused(), 0, "{report}");
    assert!(report.passed() >= 1_009, "{report}");
    assert_eq!(report.allowed(), 0, "{report}");
    assert_eq!(report.allowed_out_of_scope(), report.skipped(), "{report}");
    assert_eq!(report.entries().count(), text.lines().count());
}

/// A runner that never noticed anything would pass every case, whatever it says.
#[test]
fn no_attack_comes_out_in_both_ways() {
    let turned = |line: &str| {
        let mut case: Value = serde_json::from_str(line).unwrap();
        case["must"] = match case["must"].as_str() {
            Some("allow") => json!("not_allow"),
            _ => json!("allow"),
        };
        case.as_object_mut().unwrap().remove("tags");
        case.to_string()
    };
    let text: Vec<_> = attacking().lines().map(turned).collect();
    let report = attacks(&text.join("\n")).unwrap();

    let passed: Vec<_> = report
        .entries()
        .filter(|(_, finding)| **finding == Finding::Passed)
        .map(|(id, _)| id)
        .collect();
    // What is out of scope is allowed. In the others, the call that was approved runs; they are about
    // the next one like it.
    let out_of_scope = ["P02-012", "P02-013"];
    let about_the_next = ["H04-003", "R02-001", "R02-002"];
    let known = |id: &&str| out_of_scope.contains(id) || about_the_next.contains(id);
    assert!(passed.iter().all(known), "{passed:?}");
    assert_eq!(passed.len(), out_of_scope.len() + about_the_next.len());
}

#[test]
fn what_is_skipped_says_why() {
    let text = std::fs::read_to_string(recorded()).unwrap();
    let report = seed_behaviour(&text).unwrap();
    let shown = report.to_string();

    for (id, finding) in report.entries() {
        let skipped = shown
            .lines()
            .any(|line| line.starts_with(&format!("skipped {id}: ")));
        assert_eq!(skipped, matches!(finding, Finding::Skipped(_)), "{id}");
    }
}

#[test]
fn the_command_succeeds_if_nothing_fails() {
    let output = corpus(&["seed-behaviour", recorded().to_str().unwrap()]);

    assert_eq!(output.status.code(), Some(0));
    assert!(last_line(&output).contains(" passed, 0 failed, "));
}

#[test]
fn the_command_fails_if_a_case_does() {
    let text = std::fs::read_to_string(recorded()).unwrap();
    let broken = text.replacen(r#""outcome":"executed""#, r#""outcome":"blocked""#, 400);
    let path = file("broken.jsonl", &broken);

    let output = corpus(&["seed-behaviour", &path]);

    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(said.contains("failed pam-002-allow"), "{said}");
    assert!(said.contains(r#"expected "blocked""#), "{said}");
}

#[test]
fn the_command_refuses_what_it_cannot_run() {
    let missing = file("missing.jsonl", "");
    std::fs::remove_file(&missing).unwrap();
    for words in [
        &[][..],
        &["seed-behaviour"],
        &["attacks", &missing],
        &["seed-behaviour", &missing],
        &["seed-behaviour", &missing, "more"],
    ] {
        let output = corpus(words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty());
    }
}

#[test]
fn a_line_that_is_no_case_fails() {
    let path = file("malformed.jsonl", "{\"id\":\"x\"\n\n[1]\n");

    let output = corpus(&["seed-behaviour", &path]);

    assert_eq!(output.status.code(), Some(1));
    assert_eq!(last_line(&output), "0 passed, 2 failed, 0 skipped");
}
