//! `toolgate check`.

use crate::kit::{POLICY, Project};

#[test]
fn the_exit_code_tells_decisions_apart() {
    let project = Project::new(POLICY);
    let check = |line: &str| project.run(&["check", "--", line]);
    check("git status -s")
        .code(0)
        .says("allow  shell  git status -s");
    check("git push").code(10).says("ask  ");
    check("rm -rf x")
        .code(20)
        .says("nothing is deleted here  toolgate.toml:7:");
    check("git status && rm x").code(20);
    check("make").code(10).says("so the default holds: ask");
}

#[test]
fn words_behind_the_dashes_are_words() {
    let project = Project::new(POLICY);
    let words = ["check", "--", "ls", "a; rm x"];
    project.run(&words).code(0).says("ls 'a; rm x'");
    project.run(&["check", "--", "ls a; rm x"]).code(20);
}

#[test]
fn a_call_can_be_named_by_tool_and_arguments() {
    let project = Project::new(POLICY);
    let write = |path: &str| {
        let path = format!("path={path}");
        project.run(&[
            "check",
            "--tool",
            "write_file",
            "--arg",
            &path,
            "--arg",
            "content=x",
        ])
    };
    write("src/main.rs").code(0);
    write(".env").code(20);
    write("README.md").code(10);
    project
        .run(&[
            "check",
            "--tool",
            "exec",
            "--arg-json",
            r#"argv=["git","status"]"#,
        ])
        .code(0);
    project
        .run(&["check", "-t", "fetch", "-a", "url=https://docs.rs/x"])
        .code(0);
    project.run(&["check", "-t", "send_mail"]).code(20);
}

#[test]
fn a_tool_of_a_server_is_not_ours() {
    let project = Project::new(POLICY);
    let ours = ["check", "--tool", "shell", "--arg", "command=git status"];
    project.run(&ours).code(0);
    project
        .run(&[&ours[..], &["--server", "x"]].concat())
        .code(10);
}

#[test]
fn a_stream_is_decided_line_by_line_and_the_strictest_counts() {
    let project = Project::new(POLICY);
    let calls = "{\"tool\": \"shell\", \"args\": {\"command\": \"ls\"}}\n\n\
                 {\"tool\": \"shell\",\n \"args\": {\"command\": \"git push\"}}\n";
    let ran = project.run_with(&["check", "--json"], calls).code(10);
    let lines = ran.json();
    assert_eq!(lines[0]["effect"], "allow");
    assert_eq!(lines[0]["reasons"][0]["rule"], "shell.allow: ls *");
    assert_eq!(lines[1]["effect"], "ask");
    assert_eq!(lines[1]["call"]["args"]["command"], "git push");
}

#[test]
fn what_cannot_be_read_is_named_and_is_no_decision() {
    let project = Project::new(POLICY);
    let bad = "{\"tool\": \"shell\", \"args\": {\"command\": \"ls\", \"command\": \"rm x\"}}\n\
               {\"tool\": \"shell\", \"args\": {\"command\": \"ls\"}}\n";
    project
        .run_with(&["check"], bad)
        .code(2)
        .complains("standard input line 1: the call cannot be read")
        .says("allow  shell  ls");
    let ran = project.run_with(&["check", "--json"], bad).code(2);
    assert!(ran.json()[0]["error"].as_str().unwrap().contains("line 1"));
    project.run(&["check"]).code(2).complains("no call");
    project
        .run(&["check", "--calls", "nowhere.json"])
        .code(2)
        .complains("nowhere.json cannot be read: no such file");
    project
        .run(&["check", "-t", "x", "-a", "path"])
        .code(2)
        .complains("has no `=`");
    project
        .run(&["check", "-t", "x", "-a", "p=1", "-a", "p=2"])
        .code(2)
        .complains("`p` is given twice");
    project
        .run(&["check", "-t", "x", "--arg-json", "p=oops"])
        .code(2)
        .complains("is not JSON");
}

#[test]
fn the_policy_is_found_above_or_named() {
    let project = Project::new(POLICY);
    project.write("deep/down/file", "");
    let below = project.path().join("deep/down");
    crate::kit::run(&below, &["check", "--", "rm x"], b"").code(20);

    let other = project.write("other.toml", "[shell]\nallow = [\"rm x\"]\n");
    project
        .run(&["check", "--policy", other.to_str().unwrap(), "--", "rm x"])
        .code(0);
}

#[test]
fn without_a_policy_there_is_no_decision() {
    let nothing = Project::empty();
    nothing
        .run(&["check", "--", "ls"])
        .code(2)
        .complains("toolgate init");
    let two = Project::new(POLICY);
    two.write("toolgate.json", "{}");
    two.run(&["check", "--", "ls"])
        .code(2)
        .complains("keep one of them");
    Project::new("[shel]\nallow = [\"ls\"]\n")
        .run(&["check", "--", "ls"])
        .code(2)
        .complains("toolgate.toml:1:2");
}

#[test]
fn a_policy_of_ones_own_counts_beside_that_of_the_project() {
    let project = Project::new(POLICY);
    project.write(
        "home/.config/toolgate/policy.toml",
        "[shell]\ndeny = [\"git status *\"]\n",
    );
    project.run(&["check", "--", "git status"]).code(20);
    project
        .run(&["check", "--policy", "toolgate.toml", "--", "git status"])
        .code(0);
}

#[test]
fn an_environment_can_be_strict() {
    let project = Project::new(POLICY);
    project
        .run(&["check", "--env", "ci", "--", "git push"])
        .code(20)
        .says("the mode is `strict`");
    project.run(&["check", "--env", "ci", "--", "ls"]).code(0);
    project
        .run(&["check", "--env", "cj", "--", "ls"])
        .code(2)
        .complains("cj");
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_write_can_only_restrict() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new(POLICY);
    let open = std::fs::Permissions::from_mode(0o666);
    std::fs::set_permissions(project.path().join("toolgate.toml"), open).unwrap();
    project
        .run(&["check", "--", "git status"])
        .code(10)
        .complains("chmod go-w");
    project.run(&["check", "--", "rm x"]).code(20);
}

#[test]
fn what_cannot_be_seen_is_written_out() {
    let project = Project::new(POLICY);
    let ran = project.run(&["check", "--", "ls \u{202e}\u{1b}[2K"]);
    assert!(
        !ran.out.contains('\u{1b}') && !ran.out.contains('\u{202e}'),
        "{ran:?}"
    );
    let painted = project.run(&["check", "--color", "always", "--", "ls"]);
    assert!(painted.out.contains("\u{1b}[1m"), "{painted:?}");
}

#[test]
fn quiet_says_nothing() {
    let ran = Project::new(POLICY)
        .run(&["check", "-q", "--", "rm x"])
        .code(20);
    assert_eq!(ran.out, "");
}

#[test]
fn a_line_of_an_audit_is_a_call() {
    let line = r#"{"time_us":1,"tool":{"name":"shell"},"origin":{},
        "outcome":{"end":"allowed","by":"human"},"rules":[],"runs":1,"waited_us":0,"ran_us":0,
        "digest":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd""#;
    let project = Project::new(POLICY);
    let with = format!("{line},\"args\":{{\"command\":\"rm x\"}}}}");
    project.run_with(&["check"], &with).code(20);
    let without = format!("{line}}}");
    project
        .run_with(&["check"], &without)
        .code(2)
        .complains("has no arguments");
}

#[test]
fn help_teaches() {
    let project = Project::empty();
    project.run(&["--help"]).code(0).says("toolgate init");
    project
        .run(&["check", "--help"])
        .code(0)
        .says("toolgate check -- git push")
        .says("10 ask, 20 deny");
    project.run(&["chek"]).code(2).complains("check");
}

#[test]
fn a_policy_that_is_none_says_what_to_do() {
    let project = Project::empty();
    project.write("empty.toml", "");
    project.write("mark.toml", "\u{feff}[shell]\nallow = [\"ls\"]\n");
    std::fs::write(project.path().join("binary.toml"), b"\xff\xfe").unwrap();
    std::fs::create_dir(project.path().join("folder")).unwrap();
    for (file, help) in [
        ("none.toml", "names are seen from the current directory"),
        ("folder", "name the file itself"),
        ("empty.toml", "`toolgate init` writes one"),
        ("mark.toml", "save it without one"),
        ("binary.toml", "save it as UTF-8"),
    ] {
        let ran = project.run(&["check", "-p", file, "--", "ls"]).code(2);
        ran.complains(&format!("help: {help}"));
    }
}
