//! `toolgate diff`.

use crate::kit::{POLICY, Project};

const CALLS: &str = r#"{"tool":"shell","args":{"command":"git status"}}
{"tool":"shell","args":{"command":"git push"}}
{"tool":"shell","args":{"command":"git push origin"}}
{"tool":"shell","args":{"command":"rm x"}}
{"tool":"write_file","args":{"path":"src/a","content":""}}
"#;

fn project(new: &str) -> Project {
    let project = Project::empty();
    project.write("old.toml", POLICY);
    project.write("new.toml", new);
    project.write("calls.jsonl", CALLS);
    project
}

const DIFF: [&str; 5] = ["diff", "old.toml", "new.toml", "--history", "calls.jsonl"];

#[test]
fn nothing_changes_if_the_policy_stays() {
    project(POLICY)
        .run(&DIFF)
        .code(0)
        .says("5 calls replayed, 5 the same");
}

#[test]
fn what_changes_is_counted_and_shown() {
    let new = POLICY
        .replace("ask   = [\"git push *\"]", "deny_ = 1")
        .replace("deny_ = 1\n", "")
        .replace("\"cargo test *\"]", "\"git push *\"]")
        .replace("[\"src/**\"]", "[\"lib/**\"]");
    let project = project(&new);
    project
        .run(&DIFF)
        .code(1)
        .says("newly allowed: 2 (was ask)")
        .says("shell  git push\n")
        .says("newly asked about: 1 (was allow)")
        .says("write_file  ");
    let fail_on = |which: &str| {
        project
            .run(&[&DIFF[..], &["--fail-on", which]].concat())
            .code
    };
    assert_eq!(fail_on("looser"), 1);
    assert_eq!(fail_on("stricter"), 1);
    assert_eq!(fail_on("never"), 0);
    let ran = project.run(&[&DIFF[..], &["--json"]].concat());
    assert_eq!(ran.json().len(), 3);
    assert_eq!(ran.json()[0]["old"], "ask");
    assert_eq!(ran.json()[0]["new"], "allow");
}

#[test]
fn only_what_is_named_fails() {
    let project = project(
        &POLICY
            .replace("deny  = [{", "ask   = [{")
            .replace("ask   = [\"git push *\"]\n", ""),
    );
    // `rm x` was denied and would be asked about: that is looser, and nothing is stricter.
    project
        .run(&[&DIFF[..], &["--fail-on", "looser"]].concat())
        .code(1)
        .says("newly asked about: 1 (was deny)");
    project
        .run(&[&DIFF[..], &["--fail-on", "stricter"]].concat())
        .code(0);
}

#[test]
fn an_audit_is_replayed_as_far_as_it_has_arguments() {
    let project = project(
        &POLICY
            .replace("deny  = [{", "ask   = [{")
            .replace("ask   = [\"git push *\"]\n", ""),
    );
    let record = |rest: &str| {
        format!(
            "{{\"time_us\":1,\"tool\":{{\"name\":\"shell\"}},\"origin\":{{}},\
             \"outcome\":{{\"end\":\"allowed\",\"by\":\"human\"}},\"rules\":[],\"runs\":1,\
             \"waited_us\":0,\"ran_us\":0,\"digest\":\"{}\"{rest}}}\n",
            "d".repeat(64)
        )
    };
    let audit = record(",\"args\":{\"command\":\"rm x\"}")
        + &record("")
        + &record(",\"args\":{\"command\":\"ls\"},\"incomplete\":true")
        + "nonsense\n";
    project.write("calls.jsonl", &audit);
    project
        .run(&DIFF)
        .code(1)
        .says("2 calls replayed, 1 the same")
        .says("1 record had no arguments")
        .says("1 record had arguments left out")
        .says("1 record could not be read")
        .complains("calls.jsonl line 4");
    // The change is allowed for, and the rest is not known.
    project
        .run(&[&DIFF[..], &["--fail-on", "never"]].concat())
        .code(2);
    project.write("calls.jsonl", &record(""));
    project
        .run(&DIFF)
        .code(2)
        .complains("no record that could be replayed");
}

#[test]
fn what_cannot_be_loaded_is_named() {
    let project = project("[shel]\n");
    project.run(&DIFF).code(2).complains("new.toml:1:2");
    project
        .run(&["diff", "old.toml", "old.toml", "--history", "none"])
        .code(2)
        .complains("none cannot be read");
}

#[test]
fn a_directory_is_no_history() {
    let project = Project::new(POLICY);
    let ran = project.run(&["diff", "toolgate.toml", "toolgate.toml", "--history", "."]);
    let ran = ran
        .code(2)
        .complains("error: . cannot be read: is a directory");
    assert!(!ran.err.contains("os error"), "{}", ran.err);
}
