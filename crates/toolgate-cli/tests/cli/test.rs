//! `toolgate test`.

use crate::kit::{POLICY, Project};

const CASES: &str = r#"
[[case]]
call   = "git push"
expect = "ask"

[[case]]
name   = "nothing is deleted"
call   = "git status; rm x"
expect = "deny"
rule   = "no-rm"

[[case]]
call   = "git push"
env    = "ci"
expect = "deny"

[[case]]
write  = ".env"
expect = "deny"

[[case]]
fetch  = "https://docs.rs/"
expect = "allow"

[[case]]
call   = { tool = "send_mail", args = { to = "x" } }
agent  = "root/x"
expect = "deny"
"#;

fn with_cases(cases: &str) -> Project {
    let project = Project::new(POLICY);
    project.write("toolgate.tests.toml", cases);
    project
}

#[test]
fn cases_beside_the_policy_are_run() {
    with_cases(CASES)
        .run(&["test"])
        .code(0)
        .says("test shell  git push is ask ... ok")
        .says("test nothing is deleted ... ok")
        .says("test result: ok. 6 passed; 0 failed");
}

#[test]
fn a_case_that_fails_says_where_and_why() {
    with_cases("[[case]]\ncall = \"git push\"\nexpect = \"allow\"\n")
        .run(&["test"])
        .code(1)
        .says("... FAILED")
        .says("toolgate.tests.toml:1:1: it should be allow, and is ask")
        .says("toolgate.toml:6:")
        .says("0 passed; 1 failed");
    with_cases("[[case]]\ncall = \"rm x\"\nexpect = \"deny\"\nrule = \"other\"\n")
        .run(&["test"])
        .code(1)
        .says("it is not because of `other`");
}

#[test]
fn examples_of_rules_are_run_in_every_environment() {
    let good = "[shell]\ndeny = [{ pattern = \"rm *\", match = [\"sudo rm x\"], no_match = [\"ls\"] }]\n\
                [env.ci.shell]\ndeny = [{ pattern = \"ls *\", match = [\"ls -l\"] }]\n";
    Project::new(good)
        .run(&["test"])
        .code(0)
        .says("test `rm *` matches `sudo rm x` ... ok")
        .says("test `rm *` does not match `ls` ... ok")
        .says("test `ls *` matches `ls -l` ... ok")
        .says("3 passed");
    let bad = Project::new("[shell]\ndeny = [{ pattern = \"rm *\", match = [\"ls\"] }]\n");
    bad.write("toolgate.tests.toml", CASES);
    bad.run(&["test"])
        .code(1)
        .says("toolgate.toml:2:38: the rule does not match this example")
        .says("6 not run");
}

#[test]
fn files_of_cases_can_be_named() {
    let project = Project::new(POLICY);
    project.write("more.toml", "[[case]]\ncall = \"ls\"\nexpect = \"deny\"\n");
    project.run(&["test"]).code(0).says("there are none");
    project.run(&["test", "more.toml"]).code(1);
    project
        .run(&["test", "nowhere.toml"])
        .code(2)
        .complains("nowhere.toml cannot be read");
}

#[test]
fn what_is_wrong_with_a_case_is_said() {
    for (cases, part) in [
        (
            "[[case]]\ncall = \"ls\"\nexpect = \"maybe\"\n",
            "toolgate.tests.toml:3:10",
        ),
        ("[[case]]\ncal = \"ls\"\nexpect = \"ask\"\n", "`cal`"),
        (
            "[[case]]\ncall = \"ls\"\nread = \"x\"\nexpect = \"ask\"\n",
            "toolgate.tests.toml:1:1: a case has one of",
        ),
        (
            "[[case]]\ncall = { tool = \"x\" }\nexpect = \"ask\"\n",
            "`args` is missing",
        ),
        (
            "[[case]]\ncall = \"ls\"\nenv = \"cj\"\nexpect = \"ask\"\n",
            "cj",
        ),
    ] {
        with_cases(cases).run(&["test"]).code(2).complains(part);
    }
}
