//! Where paths lead, and how they may be written.

use super::*;

#[test]
fn what_a_rule_allows_is_allowed() {
    for path in [
        "src/lib.rs",
        "./src/lib.rs",
        "/w/src/../README.md",
        "/w/.env.example",
        "/w/secrets.md",
        "a b.md",
    ] {
        assert_eq!(usual().read(path), Outcome::Allow, "{path}");
    }
    assert_eq!(
        Paths::new(&["src/**"], &[]).read("/w/other/src/x"),
        Outcome::Uncovered
    );
    assert_eq!(Paths::new(&["*"], &[]).read("/w/a/b"), Outcome::Uncovered);
    assert_eq!(usual().read("/w2/a"), Outcome::Uncovered);
}

#[test]
fn traversal_leads_where_it_leads() {
    for path in [
        "src/../.env",
        "./.env",
        "/w/./.env",
        "//w/.env",
        "/w/src/../../w/.env",
        "/w/.env/",
        "/w/.env/.",
    ] {
        assert_eq!(usual().read(path), Outcome::Deny, "{path}");
    }
    for path in [
        "/w/src/../../etc/passwd",
        "../../../etc/passwd",
        "/../../etc/passwd",
    ] {
        assert_eq!(usual().read(path), Outcome::Uncovered, "{path}");
    }
}

#[test]
fn links_are_followed() {
    let paths = usual()
        .with_link("/w/out", "/etc")
        .with_link("/w/notes", ".env")
        .with_link("/w/inner", "/w/src")
        .with_link("/w/a", "b")
        .with_link("/w/b", "a");
    assert_eq!(paths.read("/w/out/passwd"), Outcome::Uncovered);
    assert_eq!(paths.read("/w/notes"), Outcome::Deny);
    assert_eq!(paths.read("/w/inner/lib.rs"), Outcome::Allow);
    assert_eq!(paths.read("/w/inner/../.env"), Outcome::Deny);
    assert_eq!(
        paths.read("/w/out/../x"),
        Outcome::Uncovered,
        "the system reads `/x`"
    );
    assert_asks(&paths, Access::Read, "/w/a", "path.unresolved");
}

#[test]
fn the_parent_of_a_link_is_the_parent_of_its_target() {
    let paths = usual().with_link("/w/src/l", "/w/secrets/deep/x");
    assert_eq!(
        paths.read("/w/src/l/../key"),
        Outcome::Deny,
        "the system reads `/w/secrets/deep/key`"
    );
}

#[test]
fn a_rule_holds_by_name_even_if_the_name_is_a_link() {
    let paths = usual().with_link("/w/secrets", "/w/src");
    assert_eq!(paths.read("/w/secrets/key"), Outcome::Deny);
}

#[test]
fn the_workspace_may_be_a_link_itself() {
    let paths = usual()
        .with_link("/w", "/data/real")
        .with_file("/data/real/src/x", Look::File { links: 1 });
    assert_eq!(paths.read("/w/src/x"), Outcome::Allow);
    assert_eq!(paths.read("/data/real/.env"), Outcome::Deny);
    let paths = paths
        .with_link("/data/real/l", "/data/real/.env")
        .with_link("/w/l", "/data/real/.env");
    assert_eq!(paths.read("/w/l"), Outcome::Deny);
}

#[test]
fn what_is_not_a_file_is_asked_about() {
    let paths = usual()
        .with_file("/w/pipe", Look::Special)
        .with_file("/w/broken", Look::Error)
        .with_file("/w/twice", Look::File { links: 2 });
    assert_asks(&paths, Access::Read, "/w/pipe", "path.special-file");
    assert_asks(&paths, Access::Read, "/w/broken", "path.unresolved");
    assert_asks(&paths, Access::Read, "/w/broken/x", "path.unresolved");
    assert_asks(&paths, Access::Write, "/w/twice", "path.hard-link");
    assert_asks(&paths, Access::Read, "/w/twice", "path.hard-link");
    let all = Paths::new(&["/w/**"], &[]).with_file("/w/twice", Look::File { links: 2 });
    assert_eq!(
        all.read("/w/twice"),
        Outcome::Allow,
        "nothing is hidden from reading"
    );
}

#[test]
fn case_and_form_hide_nothing() {
    for path in [
        "/w/.ENV",
        "/W/secrets/key",
        "/w/SECRETS/key",
        "/w/.\u{212a}ey/../.env",
        "/w/\u{17f}ecrets/x",
    ] {
        assert_eq!(usual().read(path), Outcome::Deny, "{path}");
    }
    assert_eq!(
        Paths::new(&["src/**"], &[]).read("/w/SRC/x"),
        Outcome::Uncovered
    );
    let mut folded = Paths::new(&["src/**"], &[]);
    folded.settings.case_insensitive = true;
    assert_eq!(folded.read("/w/SRC/x"), Outcome::Allow);
}

#[test]
fn other_readings_are_denied_and_the_rest_is_asked_about() {
    let denied = [
        "/w/.env\u{200b}",
        "/w/\u{ff0e}env",
        "/w/secrets\u{2215}key",
        "/w/.env ",
        "/w/.env.",
        "/w/.env::$DATA",
        "/w/.env:x",
        "\\w\\.env",
        "C:.env",
        "file:///w/.env",
        "/w/%2eenv",
        "/w/.env\0.txt",
        "/proc/self/root/w/.env",
    ];
    for path in denied {
        assert_eq!(usual().read(path), Outcome::Deny, "{path:?}");
    }
    let asked = [
        ("", "path.empty"),
        (".", "path.workspace"),
        ("/w/src/..", "path.workspace"),
        ("/", "path.workspace"),
        ("/w/\u{202e}x", "path.odd-character"),
        ("/w/x\u{1b}[2K", "path.odd-character"),
        ("/w/x.", "path.odd-name"),
        ("/w/GIT~1/config", "path.odd-name"),
        ("..\\x", "path.odd-separator"),
        ("~/x", "path.not-literal"),
        ("/w/~/x", "path.not-literal"),
        ("$HOME/x", "path.not-literal"),
        ("/w/%2e%2e/x", "path.encoded"),
        ("/proc/self/environ", "path.special"),
        ("/dev/fd/0", "path.special"),
    ];
    for (path, id) in asked {
        assert_asks(&usual(), Access::Read, path, id);
    }
}

#[test]
fn a_link_to_a_device_is_special() {
    assert_asks(
        &usual().with_link("/w/x", "/proc/self/fd/3"),
        Access::Read,
        "/w/x",
        "path.special",
    );
    let paths = Paths::new(&["/dev/null"], &[]).with_file("/dev/null", Look::Special);
    assert_eq!(paths.write("/dev/null"), Outcome::Allow);
}

#[test]
fn a_link_to_the_workspace_or_above_is_the_workspace_or_more() {
    let paths = Paths::new(&["/**"], &[])
        .with_link("/w/src/all", "..")
        .with_link("/w/src/more", "/");
    assert_asks(&paths, Access::Read, "/w/src/all", "path.workspace");
    assert_asks(&paths, Access::Read, "/w/src/more", "path.workspace");
}

#[test]
fn patterns_are_what_they_say() {
    let read = |deny: &str, path: &str| Paths::new(&["/w/**"], &[deny]).read(path);
    assert_eq!(read("/w/secrets", "/w/secrets/key"), Outcome::Deny);
    assert_eq!(read("**/.env", "/w/a/b/.env"), Outcome::Deny);
    assert_eq!(read("**/.env", "/w/.env"), Outcome::Deny);
    assert_eq!(read("**/.env", "/elsewhere/.env"), Outcome::Deny);
    assert_eq!(read("/w/*.pem", "/w/.pem"), Outcome::Deny);
    assert_eq!(read("/w/*.pem", "/w/a/b.pem"), Outcome::Allow);
    assert_eq!(read("/w/Secrets", "/w/secrets/key"), Outcome::Deny);
    assert_eq!(read("/w/*.PEM", "/w/a.pem"), Outcome::Deny);
    assert_eq!(read("~/.ssh", "/home/u/.ssh/id"), Outcome::Deny);
    assert_eq!(read("~/.ssh", "~/.ssh/id"), Outcome::Deny);
}
