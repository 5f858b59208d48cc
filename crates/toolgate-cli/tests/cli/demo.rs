//! `toolgate demo`, with real tools and answers that were given beforehand.

use std::path::Path;

use crate::kit::Project;

/// The folder that a session left behind.
fn kept(out: &str) -> &Path {
    let line = out
        .lines()
        .find_map(|line| line.strip_prefix("the folder is "));
    Path::new(line.unwrap())
}

fn greeting(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("notes/greeting.txt")).unwrap()
}

#[test]
fn what_is_approved_happens_and_what_is_denied_does_not() {
    let project = Project::empty();
    let ran = project
        .run(&["demo", "--yes-to=write_file,fetch", "--keep"])
        .code(0)
        .says("call   read_file  README.md")
        .says("secrets stay where they are")
        .says("| greetings: use the name")
        .says("- How are you?\n")
        .says("+ How are you, Ann?\n")
        .says("nothing is deleted wholesale");
    let folder = kept(&ran.out);
    assert!(greeting(folder).contains("Ann"));
    assert!(folder.join("build/old.txt").exists());
    assert!(!ran.out.contains("not-a-real-key"), "{}", ran.out);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_declined_does_not_happen() {
    let project = Project::empty();
    let ran = project.run(&["demo", "--yes-to=fetch", "--keep"]).code(0);
    let folder = kept(&ran.out);
    assert!(!greeting(folder).contains("Ann"));
    assert!(ran.out.contains("| greetings: use the name"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_answer_for_the_session_is_asked_for_once() {
    let project = Project::empty();
    project.write("answers", "no, not now\nalways\n");
    let ran = project
        .run(&["demo", "--script", "answers"])
        .code(0)
        .says("you    no, not now")
        .says("you    yes, and for the rest of this session")
        .says("1 answer remembered");
    assert_eq!(
        ran.out.matches("a file is changed").count(),
        1,
        "{}",
        ran.out
    );
}

#[test]
fn the_folder_is_gone_afterwards() {
    let project = Project::empty();
    let temporary = project.path().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let output = crate::kit::command(&project.path())
        .args(["demo", "--yes-to=all"])
        .env("TMPDIR", &temporary)
        .output()
        .unwrap();
    assert!(output.status.success());
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}

#[test]
fn what_is_no_answer_is_named() {
    let project = Project::empty();
    project.write("answers", "yes\nmaybe\n");
    project
        .run(&["demo", "--script", "answers"])
        .code(2)
        .complains("answers:2: this is no answer");
    project
        .run(&["demo", "--script", "none"])
        .code(2)
        .complains("none cannot be read: no such file or directory\nhelp: names are seen from");
    project
        .run(&["demo", "--yes-to=write_file,fetsh"])
        .code(2)
        .complains("`fetsh` is no tool of the session\nhelp: there are read_file,");
}

#[test]
fn without_a_terminal_nobody_is_asked_and_nothing_open_runs() {
    let project = Project::empty();
    let ran = project
        .run(&["demo", "--keep"])
        .code(0)
        .says("ask    may this run?\n       a file is changed")
        .says("`write_file` did not run: this call needs an approval, and nobody is")
        .says("3 calls ran, 6 did not")
        .says("toolgate demo --yes-to=write_file,fetch");
    let folder = kept(&ran.out);
    assert!(!greeting(folder).contains("Ann"));
    std::fs::remove_dir_all(folder).unwrap();
}
