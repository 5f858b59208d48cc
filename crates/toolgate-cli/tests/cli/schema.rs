//! `toolgate schema` and `toolgate completions`.

use crate::kit::Project;

#[test]
fn the_schema_is_one_and_a_policy_may_point_to_it() {
    let project = Project::empty();
    let ran = project.run(&["schema"]).code(0);
    let schema: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert!(schema["properties"]["shell"].is_object());

    let toml = "#:schema ./toolgate.schema.json\n[shell]\nallow = [\"ls\"]\n";
    Project::new(toml).run(&["check", "--", "ls"]).code(0);
    let json = r#"{"$schema": "./toolgate.schema.json", "shell": {"allow": ["ls"]}}"#;
    project.write("toolgate.json", json);
    project.run(&["check", "--", "ls"]).code(0);
}

#[test]
fn shells_get_their_completions() {
    let project = Project::empty();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        project.run(&["completions", shell]).code(0).says("explain");
    }
    project
        .run(&["completions", "tcsh"])
        .code(2)
        .complains("tcsh");
}
