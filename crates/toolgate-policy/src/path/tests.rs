//! What is decided about paths, kind by kind.

mod reading;
mod rules;

use super::{
    fixture::{Paths, builtins, located, numbered, rule, rule_except, worst},
    *,
};
use crate::{finding::Outcome, spec::ProtectedSpec};

/// What most tests are about: a workspace that may be read, with two secrets in it.
fn usual() -> Paths {
    Paths::new(&["/w/**"], &["/w/.env", "/w/secrets/**"])
}

#[track_caller]
fn assert_asks(paths: &Paths, access: Access, path: &str, id: &str) {
    let findings = paths.findings(access, path, None);
    assert_eq!(worst(&findings), Outcome::Ask, "{path:?}: {findings:?}");
    assert!(builtins(&findings).contains(&id), "{path:?}: {findings:?}");
}

#[test]
fn what_grants_permissions_is_not_written_unasked() {
    let paths = Paths::new(&["/**"], &[]);
    let files = [
        "/w/.claude/settings.json",
        "/w/a/.CLAUDE",
        "/w/.vscode/tasks.json",
        "/w/.git/hooks/pre-commit",
        "/w/sub/.git/config",
        "/w/AGENTS.md",
        "/w/agents.md",
        "/w/.github/agents/x.md",
        "/w/.cargo/config.toml",
        "/w/.npmrc",
        "/w/.envrc",
        "/home/u/.bashrc",
        "/home/u/.ssh/authorized_keys",
        "/etc/cron.d/x",
        "/w/x.code-workspace",
        "/w/toolgate.toml",
        "/w/.aider.conf.yml",
        "/w/.github/workflows/ci.yml",
    ];
    for path in files {
        assert_asks(&paths, Access::Write, path, "path.protected");
        assert_asks(&paths, Access::Remove, path, "path.protected");
        assert_eq!(paths.read(path), Outcome::Allow, "{path}");
    }
    for path in [
        "/w/src/.hidden",
        "/w/docs/agents.rst",
        "/w/.github/README.md",
        "/w/cargo/config.toml",
        "/w/.gitignore",
    ] {
        assert_eq!(paths.write(path), Outcome::Allow, "{path}");
    }
    let linked = paths.clone().with_link("/w/late", "/w/.claude");
    assert_asks(
        &linked,
        Access::Write,
        "/w/late/settings.json",
        "path.protected",
    );

    let mut none = paths;
    none.settings.protected = ProtectedSpec::None;
    assert_eq!(none.write("/w/.npmrc"), Outcome::Allow);
}

#[test]
fn own_files_are_never_written() {
    let mut paths = Paths::new(&["/**"], &[]);
    paths.settings.protected = ProtectedSpec::None;
    for path in [
        "/w/own/policy.toml",
        "own/POLICY.toml",
        "/w/own/policy.toml/x",
    ] {
        let findings = paths.findings(Access::Write, path, None);
        assert_eq!(worst(&findings), Outcome::Deny, "{path}");
        assert!(builtins(&findings).contains(&"path.own-file"), "{path}");
    }
    assert_eq!(paths.read("/w/own/policy.toml"), Outcome::Allow);
    assert_eq!(
        worst(&paths.findings(Access::Remove, "/w/own", None)),
        Outcome::Deny
    );
    assert_asks(&paths, Access::Write, "/w/own", "path.directory");
    assert_eq!(
        paths.with_link("/w/x", "own").write("/w/x/policy.toml"),
        Outcome::Deny
    );
}

#[test]
fn what_is_below_goes_with_a_directory() {
    let paths = Paths::new(&["/w/**"], &["/w/conf/key", "**/.env"])
        .with_file("/w/dir/x", Look::File { links: 1 });
    assert_asks(&paths, Access::Read, "/w/conf", "path.directory");
    assert_eq!(paths.read("/w/dir"), Outcome::Allow);
    assert_asks(&paths, Access::Remove, "/w/dir", "path.directory");
    assert_eq!(
        worst(&paths.findings(Access::Remove, "/w/dir/x", None)),
        Outcome::Allow
    );
}

#[test]
fn the_working_directory_moves_the_path_and_not_the_rules() {
    let paths = Paths::new(&["/w/pkg/src/**", "/etc/x"], &["/w/pkg/.env", "/w/top"]);
    let at = |path, cwd| worst(&paths.findings(Access::Read, path, Some(cwd)));
    assert_eq!(at("src/x", "/w/pkg"), Outcome::Allow);
    assert_eq!(at("src/x", "pkg"), Outcome::Allow);
    assert_eq!(at(".env", "pkg"), Outcome::Deny);
    assert_eq!(
        at("top", "pkg"),
        Outcome::Deny,
        "a tool may ignore the working directory"
    );
    assert_eq!(at("x", "/etc"), Outcome::Ask);
    assert_eq!(at("x", "../etc"), Outcome::Ask);
    assert_eq!(at("/w/pkg/src/x", "/etc"), Outcome::Allow);
    assert_eq!(at("src/x", "pkg\u{200b}"), Outcome::Ask);

    let linked = paths.clone().with_link("/w/pkg", "/etc");
    assert_eq!(
        worst(&linked.findings(Access::Read, "src/x", Some("pkg"))),
        Outcome::Uncovered
    );
}

#[test]
fn without_a_workspace_relative_paths_are_asked_about() {
    let mut paths = Paths::new(&["/**"], &["**/.env"]);
    paths.settings.workspace = None;
    assert_asks(&paths, Access::Read, "x", "path.no-workspace");
    assert_eq!(paths.read(".env"), Outcome::Deny);
    assert_eq!(paths.read("/x"), Outcome::Allow);
}

#[test]
fn whereabouts_are_by_name_and_by_target() {
    let paths = usual()
        .with_link("/w/out", "/etc")
        .with_file("/w/bad", Look::Error);
    let rules = paths.compile();
    let at = |path| rules.whereabouts(path, None, &paths.files);
    assert_eq!(at("src/x"), Whereabouts::Inside);
    assert_eq!(at("."), Whereabouts::Inside);
    assert_eq!(at("../x"), Whereabouts::Outside);
    assert_eq!(at("out/x"), Whereabouts::Outside);
    assert_eq!(at("bad/x"), Whereabouts::Unclear);
    assert_eq!(at("~/x"), Whereabouts::Unclear);
    assert_eq!(
        rules.whereabouts("x", Some("/etc"), &paths.files),
        Whereabouts::Outside
    );
}
