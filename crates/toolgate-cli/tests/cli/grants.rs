//! `toolgate grants`.

use crate::kit::Project;

const GRANTS: &str = r#"{
  "version": 1,
  "grants": [
    {
      "id": 1, "decision": "allow", "tool": {"name": "send_email"}, "payload": {"to": "ann"},
      "exact": false, "layer": "policy", "rule": "tools.ask: send_*", "named": true,
      "scope": {"principal": "bob", "one_session": false, "agent": ["root"]}, "delegable": true,
      "uses": 3, "given_by": "bob", "note": "fine\u001b[2K",
      "given": {"secs_since_epoch": 1700000000, "nanos_since_epoch": 0}
    },
    {
      "id": 7, "decision": "deny", "tool": {"name": "push", "server": "git"}, "payload": {},
      "exact": true, "layer": "policy", "rule": "x", "named": true,
      "scope": {"one_session": false}, "delegable": false,
      "expires": {"secs_since_epoch": 1700000001, "nanos_since_epoch": 0},
      "given": {"secs_since_epoch": 1700000000, "nanos_since_epoch": 0}
    }
  ]
}"#;

fn project() -> Project {
    let project = Project::empty();
    project.write("grants.json", GRANTS);
    project
}

#[test]
fn grants_are_listed_and_shown() {
    let project = project();
    project
        .run(&["grants", "list", "grants.json"])
        .code(0)
        .says("g1    yes  send_email  {\"to\":\"ann\"}  3 uses left")
        .says("g7    no   git/push  {}  expired");
    project
        .run(&["grants", "show", "grants.json", "g1"])
        .code(0)
        .says("whatever the other arguments are")
        .says("principal bob, agent root and those that work for it")
        .says("`tools.ask: send_*` of policy")
        .says("2023-11-14T22:13:20Z by bob")
        .says("fine\\u{1b}[2K");
    let ran = project
        .run(&["grants", "list", "--json", "grants.json"])
        .code(0);
    assert_eq!(ran.json()[1]["id"], 7);
}

#[test]
fn what_is_revoked_is_gone_and_the_rest_can_be_read_by_a_memory() {
    let project = project();
    project
        .run(&["grants", "revoke", "grants.json", "g1"])
        .code(0)
        .says("revoked 1 grant");
    let left = project
        .run(&["grants", "list", "--json", "grants.json"])
        .json();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["id"], 7);
    let memory = toolgate::Grants::new();
    memory.import(&project.read("grants.json")).unwrap();
    project
        .run(&["grants", "revoke", "--all", "grants.json"])
        .code(0);
    project
        .run(&["grants", "list", "grants.json"])
        .says("there are no grants");
}

#[test]
fn an_unknown_id_revokes_nothing() {
    let project = project();
    project
        .run(&["grants", "revoke", "grants.json", "g1", "g2"])
        .code(2)
        .complains("no grant in grants.json is called `g2`");
    assert_eq!(project.read("grants.json"), GRANTS);
    project
        .run(&["grants", "show", "grants.json", "x"])
        .code(2)
        .complains("`x`");
    project.run(&["grants", "revoke", "grants.json"]).code(2);
}

#[test]
fn what_is_no_export_is_named() {
    let project = project();
    project.write("bad.json", "{\"version\": 1}");
    project
        .run(&["grants", "list", "bad.json"])
        .code(2)
        .complains("bad.json:1:");
    project.write("new.json", "{\"version\": 2, \"grants\": []}");
    project
        .run(&["grants", "list", "new.json"])
        .code(2)
        .complains("version 2");
    project
        .run(&["grants", "list", "none.json"])
        .code(2)
        .complains("none.json cannot be read");
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let project = project();
    let path = project.path().join("grants.json");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    project
        .run(&["grants", "revoke", "grants.json", "g1"])
        .code(0);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}
