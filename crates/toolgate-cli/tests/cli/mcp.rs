//! `toolgate mcp`.

use crate::kit::{POLICY, Project};
#[cfg(unix)]
use std::{
    io::Read as _,
    process::Stdio,
    time::{Duration, Instant},
};

/// A server that ignores everything, and something that it started.
#[cfg(unix)]
const STUBBORN: &str = "trap '' TERM HUP INT; sleep 60 & echo up > up; exec sleep 60";

#[cfg(unix)]
#[test]
fn no_signal_leaves_a_server_behind() {
    use rustix::process::{Pid, Signal, kill_process};
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let project = Project::new(POLICY);
        let server = ["--", "sh", "-c", STUBBORN];
        let mut gateway = crate::kit::command(&project.path())
            .args(["mcp", "--policy", "toolgate.toml"])
            .args(server)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let since = Instant::now();
        while !project.path().join("up").exists() {
            assert!(since.elapsed() < Duration::from_secs(60), "never came up");
            std::thread::sleep(Duration::from_millis(5));
        }
        let number = Pid::from_raw(gateway.id().cast_signed()).unwrap();
        kill_process(number, signal).unwrap();
        assert!(gateway.wait().unwrap().success(), "{signal:?}");
        // All of them have it, so it ends when none of them is left.
        let since = Instant::now();
        let mut errors = gateway.stderr.take().unwrap();
        errors.read_to_end(&mut Vec::new()).unwrap();
        assert!(since.elapsed() < Duration::from_secs(20), "{signal:?}");
    }
}

#[test]
fn a_gateway_needs_a_server() {
    Project::new(POLICY)
        .run(&["mcp", "--policy", "toolgate.toml"])
        .code(2)
        .complains("there is no server");
}

#[test]
fn other_machines_are_neither_reached_nor_listened_to() {
    let project = Project::new(POLICY);
    let policy = ["mcp", "--policy", "toolgate.toml"];
    let url = ["--url", "https://example.com/mcp"];
    project
        .run(&[policy.as_slice(), &url].concat())
        .code(2)
        .complains("not `http`");
    let listen = ["--listen", "0.0.0.0:0", "--", "true"];
    let refused = project.run(&[policy.as_slice(), &listen].concat());
    refused.code(2).complains("on this machine only");
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    Project::new(POLICY)
        .run(&[
            "mcp",
            "--policy",
            "toolgate.toml",
            "--",
            "/nonexistent/program",
        ])
        .code(2)
        .complains("cannot be started");
}

#[test]
fn grants_need_a_server_with_a_name() {
    let project = Project::new(POLICY);
    let ran = project.run(&[
        "mcp",
        "--policy",
        "toolgate.toml",
        "--grants",
        "g.json",
        "--",
        "true",
    ]);
    ran.code(2).complains("`--name`");
}
