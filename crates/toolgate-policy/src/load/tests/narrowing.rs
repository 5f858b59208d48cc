//! A policy that nobody vouched for can only restrict.

use std::fs;

use super::*;

/// Permits in every way there is, and restricts a little.
const PERMISSIVE: &str = r#"
default = "allow"
dangerous_default_allow = true
dangerous_allow_all = true
mode = "dangerous_approve_all"
protected = "dangerous_none"
workspace = "/"
trusted_servers = ["evil"]
auto_allow_read_only = true
secrets = ["s"]
registry = ["t"]
allowed_servers = ["a"]

[shell]
allow = ["*", { pattern = "bash *", dangerous_wildcard = true }]
ask = ["ls *"]
deny = [{ pattern = "rm *", id = "no-rm" }]
env_allow = ["LD_PRELOAD"]
transparent_wrappers = ["sudo"]
redirect_allow = ["/**"]
workspace_only = true

[read]
allow = ["/**"]
deny = [".env"]

[write]
allow = ["/**"]

[fetch]
allow = ["*.evil"]
deny = ["x.org"]
schemes = ["http"]
ports = [80]
dangerous_private = true

[capabilities]
allow = ["fs.write"]
deny = ["pay"]

[tools]
allow = ["t"]
ask = ["u"]

[tools.t]
decision = "pre_approved"
kind = "plain"
ignore_args = ["a"]
exclude_keys = ["b"]
remember_by = ["c"]
capabilities = ["x"]

[tools.u]
decision = "blocked"
kind = "shell"

[env.ci]
dangerous_loosen = true
dangerous_lift = ["no-rm"]
mode = "interactive"
shell.workspace_only = false
shell.allow = ["dd *"]
shell.deny = ["mv *"]
tools.u.decision = "needs_approval"
"#;

fn narrowed(environment: Option<&str>) -> Layers {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("toolgate.toml");
    fs::write(&path, PERMISSIVE).unwrap();
    let mut loader = Loader::new().project(&path, false);
    if let Some(name) = environment {
        loader = loader.environment(name);
    }
    loader.load().unwrap()
}

/// What a narrowed policy comes to, written out by hand.
#[test]
fn only_restrictions_are_left() {
    let layers = narrowed(None);
    let left = "\
workspace_only = true
shell.ask ls *
shell.deny rm *
read.deny .env
fetch.deny x.org
capabilities.deny pay
tools.ask u
";
    assert_eq!(outline(&layers.list[0].spec), left);
    let spec = &layers.list[0].spec;
    assert!(spec.default.is_none() && spec.mode.is_none() && spec.protected.is_none());
    assert!(spec.dangerous_default_allow.is_none() && spec.dangerous_allow_all.is_none());
    assert!(spec.workspace.is_none() && spec.auto_allow_read_only.is_none());
    assert!(spec.trusted_servers.is_empty());
    assert_eq!(
        (spec.secrets.len(), spec.registry.as_ref().unwrap().len()),
        (1, 1)
    );
    assert_eq!(spec.allowed_servers.as_ref().unwrap().len(), 1);
    let fetch = spec.fetch.as_ref().unwrap();
    assert!(fetch.schemes.is_none() && fetch.ports.is_none() && !fetch.dangerous_private);
    let shell = spec.shell.as_ref().unwrap();
    assert!(shell.env_allow.is_empty() && shell.transparent_wrappers.is_empty());
    assert!(shell.redirect_allow.is_empty());
    let tools = &spec.tools.as_ref().unwrap().entries;
    let (t, u) = (&tools[0], &tools[1]);
    assert!(t.decision.is_none() && t.kind.is_none() && t.remember_by.is_none());
    assert!(t.ignore_args.is_empty() && t.exclude_keys.is_empty());
    assert_eq!(
        u.decision.as_ref().unwrap().value,
        toolgate::ToolDecision::Blocked
    );
    assert!(u.kind.is_some());
}

fn outline(spec: &PolicySpec) -> String {
    use std::fmt::Write;
    let mut out = String::new();
    let only = spec
        .shell
        .as_ref()
        .and_then(|shell| shell.workspace_only.as_ref());
    if let Some(only) = only {
        let _ = writeln!(out, "workspace_only = {}", only.value);
    }
    for (name, lists) in check::sections(spec) {
        let lists = [
            ("allow", &lists.allow),
            ("ask", &lists.ask),
            ("deny", &lists.deny),
        ];
        for (list, rules) in lists {
            for rule in rules {
                let _ = writeln!(out, "{name}.{list} {}", rule.pattern.value);
            }
        }
    }
    out
}

#[test]
fn each_thing_left_out_is_noted() {
    let layers = narrowed(None);
    let notes: Vec<_> = layers
        .notes()
        .iter()
        .map(|note| note.message.as_str())
        .collect();
    assert_eq!(notes.len(), 26, "{notes:#?}");
    assert!(
        notes
            .iter()
            .all(|note| note.ends_with("since nobody vouched for this policy"))
    );
    let first = layers.notes().to_string();
    assert!(
        first.starts_with("note[untrusted]: `default = \"allow\"` is left out"),
        "{first}"
    );
}

#[test]
fn an_environment_loosens_nothing() {
    let layers = narrowed(Some("ci"));
    let left = "\
workspace_only = true
shell.ask ls *
shell.deny rm *
shell.deny mv *
read.deny .env
fetch.deny x.org
capabilities.deny pay
tools.ask u
";
    let spec = &layers.list[0].spec;
    assert_eq!(outline(spec), left);
    assert!(spec.mode.is_none());
    let blocked = spec.tools.as_ref().unwrap().entries[1]
        .decision
        .as_ref()
        .unwrap();
    assert_eq!(blocked.value, toolgate::ToolDecision::Blocked);
}

#[test]
fn a_workspace_below_is_kept() {
    for (path, kept) in [
        (".", true),
        ("src", true),
        ("./a/b", true),
        ("..", false),
        ("a/../..", false),
        ("/", false),
        ("~", false),
        ("~/x", false),
        ("$HOME", false),
        ("C:\\", false),
        ("\\\\server\\x", false),
    ] {
        let mut spec = right(&format!("workspace = '{path}'\n"), Format::Toml);
        let notes = narrow::narrow(&mut spec, None);
        assert_eq!(spec.workspace.is_some(), kept, "{path}");
        assert_eq!(notes.is_empty(), kept, "{path}");
    }
}
