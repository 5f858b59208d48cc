//! `toolgate lint`.

use crate::kit::{POLICY, Project};

#[test]
fn a_clean_policy_is_clean() {
    Project::new(POLICY).run(&["lint"]).code(0);
}

#[test]
fn what_changes_nothing_is_a_warning_with_its_place() {
    let twice = "[write]\nallow = [\"src/**\", \"src/**\"]\n";
    Project::new(twice)
        .run(&["lint"])
        .code(1)
        .says("toolgate.toml:2:20")
        .says("toolgate.toml:2:10 says the same");
    let asked = "[tools]\nallow = [\"a\"]\nask = [\"a\"]\n";
    Project::new(asked)
        .run(&["lint"])
        .code(1)
        .says("the same is asked about at toolgate.toml:3:8");
    let shadowed = "[shell]\nallow = [\"git log *\"]\ndeny = [\"git *\"]\n";
    Project::new(shadowed)
        .run(&["lint"])
        .code(1)
        .says("toolgate.toml:2:10");
}

#[test]
fn what_is_dangerous_is_pointed_out_and_no_mistake() {
    let dangerous =
        "default = \"allow\"\ndangerous_default_allow = true\n[env.ci]\ndefault = \"deny\"\n";
    Project::new(dangerous)
        .run(&["lint"])
        .code(0)
        .says("note[dangerous]")
        .says("toolgate.toml:1:11");
}

#[test]
fn every_environment_is_looked_at() {
    let policy = "[env.ci.tools]\nallow = [\"a\", \"a\"]\n";
    Project::new(policy)
        .run(&["lint"])
        .code(1)
        .says("toolgate.toml:2:");
}

#[test]
fn a_policy_that_cannot_be_used_is_an_error() {
    let contradiction = "[tools]\nallow = [\"a\"]\ndeny = [\"a\"]\n";
    let project = Project::new(contradiction);
    project.run(&["lint"]).code(2).says("error[");
    let ran = project.run(&["lint", "--json"]).code(2);
    assert_eq!(ran.json()[0]["severity"], "error");
    assert_eq!(ran.json()[0]["line"], 2);
    project
        .run(&["lint", "-p", "none.toml"])
        .code(2)
        .says("none.toml");
    let ran = project
        .run(&["check", "-p", "none.toml", "--", "ls"])
        .code(2);
    ran.complains("the policy cannot be read: no such file or directory\n");
}
