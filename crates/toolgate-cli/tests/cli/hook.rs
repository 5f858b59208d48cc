//! `toolgate hook`, through the real command.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::kit::{POLICY, Project, Ran, run};

#[expect(clippy::needless_pass_by_value, reason = "it is written in place")]
fn input(project: &Project, tool: &str, args: Value) -> Value {
    json!({
        "session_id": "s", "cwd": project.path(), "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": args,
    })
}

fn hook(project: &Project, args: &[&str], input: &Value) -> Ran {
    project.run_with(&[&["hook"], args].concat(), &input.to_string())
}

#[track_caller]
fn decision(ran: &Ran) -> (String, String) {
    assert_eq!(ran.code, 0, "{ran:#?}");
    let output = &ran.json()[0]["hookSpecificOutput"];
    assert_eq!(output["hookEventName"], "PreToolUse");
    let text = |key: &str| output[key].as_str().unwrap().to_owned();
    (text("permissionDecision"), text("permissionDecisionReason"))
}

#[test]
fn a_call_is_allowed_asked_or_denied_with_its_reason() {
    let project = Project::new(POLICY);
    let bash = |line: &str| {
        let input = input(
            &project,
            "Bash",
            json!({"command": line, "description": "d"}),
        );
        decision(&hook(&project, &["--trust-project"], &input))
    };
    assert_eq!(bash("git status").0, "allow");
    assert_eq!(bash("git push").0, "ask");
    let (decision, reason) = bash("git status && rm x");
    assert_eq!(decision, "deny");
    assert!(
        reason.contains("nothing is deleted here (toolgate.toml:7:"),
        "{reason}"
    );
}

#[test]
fn a_rule_may_restrict_a_tool_by_the_name_that_the_agent_gives_it() {
    let project = Project::new(&POLICY.replace(
        "deny = [\"send_*\"]",
        "deny = [\"Bash\"]\nask = [\"Read\"]\nallow = [\"Write\"]",
    ));
    let decide = |tool: &str, args: Value| {
        decision(&hook(
            &project,
            &["--trust-project"],
            &input(&project, tool, args),
        ))
        .0
    };
    let readme = project.path().join("README.md");
    assert_eq!(decide("Bash", json!({"command": "git status"})), "deny");
    assert_eq!(decide("Read", json!({"file_path": readme})), "ask");
    // It does not allow by that name: what counts is which file is written.
    assert_eq!(
        decide("Write", json!({"file_path": readme, "content": ""})),
        "ask"
    );
}

#[test]
fn paths_of_the_project_are_its_own() {
    let project = Project::new(POLICY);
    let write = |path: &Path| {
        let args = json!({"file_path": path, "content": "x"});
        decision(&hook(
            &project,
            &["--trust-project"],
            &input(&project, "Write", args),
        ))
        .0
    };
    assert_eq!(write(&project.path().join("src/main.rs")), "allow");
    assert_eq!(write(&project.path().join("README.md")), "ask");
    assert_eq!(write(&project.path().join(".env")), "deny");
    // Nobody writes the policy that holds them.
    assert_ne!(write(&project.path().join("toolgate.toml")), "allow");
}

#[test]
fn a_policy_that_came_with_the_project_can_only_restrict() {
    let project = Project::new(POLICY);
    let decide = |args: &[&str], line: &str| {
        decision(&hook(
            &project,
            args,
            &input(&project, "Bash", json!({"command": line})),
        ))
        .0
    };
    assert_eq!(decide(&[], "git status"), "ask");
    assert_eq!(decide(&[], "rm x"), "deny");
    let call = input(&project, "Bash", json!({"command": "git status"}));
    let (_, reason) = decision(&hook(&project, &[], &call));
    assert!(reason.contains("`--trust-project`"), "{reason}");
    let call = input(&project, "Bash", json!({"command": "make"}));
    let (_, reason) = decision(&hook(&project, &["--trust-project"], &call));
    assert!(!reason.contains("vouched"), "{reason}");
    assert_eq!(
        decide(&["--policy", "toolgate.toml"], "git status"),
        "allow"
    );
    // One's own policy allows, and that of the project still restricts.
    project.write(
        "home/.config/toolgate/policy.toml",
        "[shell]\nallow = [\"make\", \"rm *\"]\n",
    );
    assert_eq!(decide(&[], "make"), "allow");
    assert_eq!(decide(&[], "rm x"), "deny");
}

#[test]
fn a_policy_from_elsewhere_speaks_of_the_project_at_hand() {
    let project = Project::empty();
    let elsewhere = Project::new(POLICY);
    let policy = elsewhere.path().join("toolgate.toml");
    let write = |path: &Path| {
        let args = json!({"file_path": path, "content": "x"});
        let named = ["--policy", policy.to_str().unwrap()];
        decision(&hook(&project, &named, &input(&project, "Write", args))).0
    };
    assert_eq!(write(&project.path().join("src/a")), "allow");
    assert_eq!(write(&elsewhere.path().join("src/a")), "ask");
}

#[test]
fn a_search_may_not_read_what_may_not_be_read() {
    let project = Project::new(POLICY);
    project.write("src/a.rs", "");
    project.write(".git/config", "");
    let grep = |path: &str| {
        let args = json!({"pattern": "x", "path": project.path().join(path)});
        decision(&hook(
            &project,
            &["--trust-project"],
            &input(&project, "Grep", args),
        ))
    };
    assert_eq!(grep("").0, "allow");
    project.write(".env", "SECRET=1");
    assert_eq!(grep("src").0, "allow");
    let (decision, reason) = grep("");
    assert_eq!(decision, "deny");
    assert!(reason.contains("narrower path"), "{reason}");
}

#[test]
fn what_cannot_be_read_is_refused_with_a_reason() {
    let project = Project::new(POLICY);
    let whole = input(&project, "Bash", json!({"command": "git status"})).to_string();
    for bad in [
        "",
        "{}",
        "null",
        &whole[..whole.len() - 1],
        &whole.replace("PreToolUse", "PostToolUse"),
        &whole.replace("git status", "git status\",\"command\":\"rm x"),
    ] {
        let ran = project.run_with(&["hook", "--trust-project"], bad).code(2);
        assert_eq!(ran.out, "");
        ran.complains("toolgate refuses this call: ");
    }
}

#[test]
fn without_a_policy_everything_is_refused() {
    let nothing = Project::empty();
    let call = input(&nothing, "Bash", json!({"command": "ls"}));
    hook(&nothing, &[], &call)
        .code(2)
        .complains("there is no policy");
    let broken = Project::new("[shel]\n");
    let call = input(&broken, "Bash", json!({"command": "ls"}));
    hook(&broken, &["--trust-project"], &call)
        .code(2)
        .complains("unknown key");
    hook(&broken, &["--no-such-option"], &call)
        .code(2)
        .complains("--no-such-option");
}

/// One after the other these would take a minute.
const THREADS: usize = 4;
const DAMAGED: usize = 10_000;

#[test]
fn ten_thousand_damaged_inputs_end_with_a_decision_or_with_two() {
    let project = Project::new(POLICY);
    let inputs = [
        input(&project, "Bash", json!({"command": "git status -s"})),
        input(
            &project,
            "Read",
            json!({"file_path": project.path().join("a")}),
        ),
        input(&project, "mcp__a__b", json!({"x": {"y": [1, null, "z"]}})),
    ];
    let inputs = inputs.map(|input| input.to_string());
    std::thread::scope(|scope| {
        for first in 0..THREADS {
            let (project, inputs) = (&project, &inputs);
            scope.spawn(move || {
                for step in (first..DAMAGED).step_by(THREADS) {
                    survive(project, inputs, step);
                }
            });
        }
    });
}

/// Feeds one damaged input to the command.
fn survive(project: &Project, inputs: &[String], step: usize) {
    let whole = &inputs[step % inputs.len()];
    let bytes = damaged(whole.as_bytes(), step);
    let ran = run(&project.path(), &["hook", "--trust-project"], &bytes);
    match ran.code {
        0 => {
            // A reader that is not ours has to find a whole input in what was allowed.
            let (decision, _) = decision(&ran);
            let read = serde_json::from_slice::<Value>(&bytes);
            let read = read.unwrap_or_else(|_| panic!("{ran:#?} from {}", bytes.escape_ascii()));
            assert_eq!(read["hook_event_name"], "PreToolUse");
            assert!(["allow", "ask", "deny"].contains(&&*decision));
        }
        2 => assert!(ran.out.is_empty() && !ran.err.is_empty(), "{ran:#?}"),
        _ => panic!("{ran:#?} from {}", bytes.escape_ascii()),
    }
    assert!(!ran.err.contains("mistake"), "{ran:#?}");
}

/// One piece of damage, another for each number.
fn damaged(whole: &[u8], step: usize) -> Vec<u8> {
    const PIECES: [&[u8]; 8] = [b"\"", b"{", b"}", b",", b"\\", b"\xff", b"\0", b"; rm x"];
    let mut bytes = whole.to_vec();
    let at = step.wrapping_mul(0x9e37_79b1) % bytes.len();
    match step % 7 {
        0 => bytes.truncate(at),
        1 => bytes[at] ^= 1 << (step % 8),
        2 => drop(bytes.remove(at)),
        3 => drop(bytes.splice(at..at, PIECES[step % 8].iter().copied())),
        4 => drop(bytes.drain(..at)),
        5 => bytes = [&bytes[at..], &bytes[..at]].concat(),
        _ => bytes = [&bytes[..at], &bytes[at / 2..]].concat(),
    }
    bytes
}

#[test]
fn codex_is_never_told_to_ask() {
    let project = Project::new(POLICY);
    let mut call = input(&project, "Bash", json!({"command": "git push"}));
    call["turn_id"] = json!("1");
    let (said, reason) = decision(&hook(&project, &["--trust-project"], &call));
    assert_eq!(said, "deny");
    assert!(reason.contains("cannot ask"), "{reason}");
    let other = input(&project, "Bash", json!({"command": "git push"}));
    let named = ["--trust-project", "--for", "codex"];
    assert_eq!(decision(&hook(&project, &named, &other)).0, "deny");
}

#[test]
fn an_input_of_a_hook_can_be_explained() {
    let project = Project::new(POLICY);
    let call = input(&project, "Bash", json!({"command": "rm x"})).to_string();
    project
        .run_with(&["explain"], &call)
        .code(20)
        .says("refused by `rm *`");
}

/// The bar is 20 ms for a released build; this one is slower, and its machine may be busy.
#[test]
fn a_thousand_rules_are_loaded_quickly() {
    use std::fmt::Write;
    let mut policy = String::from("[shell]\nallow = [\n");
    for number in 0..500 {
        let _ = writeln!(policy, "  \"git log --max-count={number}\",");
    }
    policy += "]\n[write]\nallow = [\n";
    for number in 0..500 {
        let _ = writeln!(policy, "  \"src/part{number}/**\",");
    }
    policy += "]\n";
    let project = Project::new(&policy);
    let call = input(
        &project,
        "Bash",
        json!({"command": "git log --max-count=7"}),
    );
    let fastest = (0..5).map(|_| {
        let began = Instant::now();
        assert_eq!(
            decision(&hook(&project, &["--trust-project"], &call)).0,
            "allow"
        );
        began.elapsed()
    });
    let fastest = fastest.min().unwrap();
    assert!(fastest < Duration::from_millis(400), "{fastest:?}");
}

#[cfg(unix)]
#[test]
fn an_answer_that_nobody_can_read_is_a_no() {
    use std::process::Command;

    let project = Project::new(POLICY);
    let call = input(&project, "Bash", json!({"command": "ls"}));
    project.write("call.json", &call.to_string());
    for (end, code) in [(">&-", 2), ("> /dev/full", 2), ("> answer", 0)] {
        let line = format!("\"$0\" hook --trust-project < call.json {end}");
        let ran = Command::new("sh")
            .args(["-c", &line, env!("CARGO_BIN_EXE_toolgate")])
            .current_dir(project.path())
            .output()
            .unwrap();
        let err = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(code), "{end}: {err}");
        assert!(
            code == 0 || err.contains("help:") || err.contains("closed"),
            "{err}"
        );
    }
}
