//! `toolgate mcp`.

use crate::kit::{POLICY, Project};

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
