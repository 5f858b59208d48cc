//! `toolgate explain`.

use crate::kit::{POLICY, Project};

#[test]
fn every_vote_is_shown_with_its_rule_and_its_place() {
    let project = Project::new(POLICY);
    project
        .run(&["explain", "--", "git status && rm x"])
        .code(20)
        .says("* deny     `rm *`  toolgate.toml:7:")
        .says("nothing is deleted here")
        .says("[git] [status]")
        .says("allowed by `git status *`")
        .says("[rm] [x]")
        .says("refused by `rm *`");
}

#[test]
fn what_would_change_it_is_named() {
    let project = Project::new(POLICY);
    project
        .run(&["explain", "--", "git status"])
        .code(0)
        .says("what would change it\n  without `git status *`")
        .says("it would be ask");
    project
        .run(&["explain", "--tool", "unheard_of"])
        .code(10)
        .says("a rule that speaks of this tool");
}

#[test]
fn a_rule_that_asks_is_not_said_to_refuse() {
    let ran = Project::new(POLICY)
        .run(&["explain", "--", "git push"])
        .code(10)
        .says("    asked about by `git push *`")
        .says("a rule that allows it, in the place of the one that asks");
    assert!(!ran.out.contains("refused by"), "{}", ran.out);
}

#[test]
fn options_that_are_not_harmless_are_named() {
    let project = Project::new("[shell]\nallow = [\"git log *\"]\n");
    project
        .run(&["explain", "--", "git log --output=x"])
        .code(10)
        .says("not allowed: ")
        .says("--output")
        .says("closest: `git log *`");
}

#[test]
fn paths_and_addresses_are_shown_as_they_were_read() {
    let project = Project::new(POLICY);
    let written = [
        "explain",
        "--tool",
        "write_file",
        "--arg",
        "path=src/../.env",
    ];
    let wanted = format!("written   {}/.env", project.path().display());
    project.run(&written).code(20).says(&wanted);
    project
        .run(&[
            "explain",
            "--tool",
            "fetch",
            "--arg",
            "url=https://user@docs.rs/",
        ])
        .says("read as an address")
        .says("docs.rs");
}

#[test]
fn json_has_everything() {
    let project = Project::new(POLICY);
    let ran = project.run(&["explain", "--json", "--", "rm x"]).code(20);
    let line = &ran.json()[0];
    assert_eq!(line["effect"], "deny");
    assert_eq!(line["explanation"]["votes"][0]["rule"]["id"], "no-rm");
    assert_eq!(line["explanation"]["votes"][0]["rule"]["source"]["line"], 7);
    assert_eq!(
        line["explanation"]["parsed"][0]["commands"][0]["words"][1]["text"],
        "x"
    );
}

#[test]
fn an_agent_can_be_named() {
    let project =
        Project::new("[shell]\nallow = [{ pattern = \"ls *\", agents = [\"root/x\"] }]\n");
    project
        .run(&["explain", "--agent", "root/x", "--", "ls"])
        .code(0)
        .says("by the agent root/x");
    project
        .run(&["explain", "--agent", "root/y", "--", "ls"])
        .code(10);
}
