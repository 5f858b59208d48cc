//! `toolgate init`.

use crate::kit::Project;

#[test]
fn what_is_written_loads_lints_clean_and_passes_its_own_tests() {
    for (file, kind) in [
        ("Cargo.toml", "Rust"),
        ("package.json", "Node"),
        ("pyproject.toml", "Python"),
        ("README", "plain"),
    ] {
        let project = Project::empty();
        project.write(file, "");
        project
            .run(&["init"])
            .code(0)
            .says(&format!("for a {kind} project"));
        project
            .run(&["lint"])
            .code(0)
            .says("nothing to complain about");
        let ran = project.run(&["test"]).code(0).says("0 failed");
        assert!(!ran.out.contains(" 0 passed"), "{ran:?}");
        project.run(&["check", "--", "git status"]).code(0);
        project.run(&["check", "--", "sudo ls"]).code(20);
        project
            .run(&["check", "--env", "ci", "--", "git push"])
            .code(20);
        assert!(!project.read("toolgate.toml").contains("#@"));
    }
}

#[test]
fn nothing_is_written_over() {
    let project = Project::new("default = \"deny\"\n");
    project.run(&["init"]).code(2).complains("is there already");
    assert_eq!(project.read("toolgate.toml"), "default = \"deny\"\n");
    assert!(!project.path().join("toolgate.tests.toml").exists());
    project.run(&["init", "--force", "--kind", "other"]).code(0);
    project.run(&["test"]).code(0);

    let elsewhere = Project::empty();
    elsewhere.run(&["init", "--stdout"]).code(0).says("[shell]");
    assert!(!elsewhere.path().join("toolgate.toml").exists());
}

#[test]
fn a_directory_that_is_not_there_is_named() {
    Project::empty()
        .run(&["init", "nowhere"])
        .code(2)
        .complains("nowhere/toolgate.toml cannot be written");
}

#[test]
fn a_directory_that_is_not_there_is_not_made() {
    Project::empty()
        .run(&["init", "nowhere"])
        .code(2)
        .complains("nowhere/toolgate.toml cannot be written")
        .complains("help: make the directory first");
}
