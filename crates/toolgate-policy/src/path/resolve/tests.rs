use super::{super::files::FakeFiles, *};

fn link(target: &str) -> Look {
    Look::Link(target.into())
}

#[track_caller]
fn assert_leads(files: &FakeFiles, path: &str, expected: &str) {
    let found = resolve(path, Some("/w"), files).unwrap();
    assert_eq!(found.path, expected, "{path}");
}

#[test]
fn follows_links_component_by_component() {
    let files = FakeFiles::new()
        .with("/w/abs", link("/etc"))
        .with("/w/rel", link("sub/dir"))
        .with("/w/sub/dir/up", link("../../x"))
        .with("/w/dangling", link("/nowhere/at/all"))
        .with("/w/chain", link("rel"));
    assert_leads(&files, "/w/abs/a/b", "/etc/a/b");
    assert_leads(&files, "/w/rel/a", "/w/sub/dir/a");
    assert_leads(&files, "/w/chain/up/y", "/w/x/y");
    assert_leads(&files, "/w/dangling", "/nowhere/at/all");
    assert_leads(&files, "/w/none/../rel", "/w/sub/dir");
    assert_leads(&files, "/w/rel/..", "/w/sub");
    assert_leads(&files, "/w/../etc", "/etc");
    assert_leads(&files, "/../..", "");
}

#[test]
fn says_what_is_at_the_end() {
    let files = FakeFiles::new()
        .with("/w/file", Look::File { links: 1 })
        .with("/w/pipe", Look::Special)
        .with("/w/link", link("pipe"));
    let end = |path| resolve(path, Some("/w"), &files).unwrap().end;
    assert_eq!(end("/w/file"), Look::File { links: 1 });
    assert_eq!(end("/w/link"), Look::Special);
    assert_eq!(end("/w/none"), Look::Missing);
    assert_eq!(end("/w/file/none"), Look::Missing);
    assert_eq!(end("/w/none/.."), Look::Directory);
    assert_eq!(end("/w"), Look::Directory);
}

#[test]
fn gives_up_on_loops_and_errors() {
    let mut files = FakeFiles::new()
        .with("/w/self", link("self"))
        .with("/w/bad", Look::Error)
        .with("/w/mount", Look::Special);
    for n in 0..=MOST_LINKS {
        files.insert(&format!("/w/l{n}"), link(&format!("l{}", n + 1)));
    }
    let result = |path: &str| resolve(path, Some("/w"), &files).map(|found| found.path);
    assert_eq!(result("/w/self"), Err(Unresolved::TooManyLinks));
    assert_eq!(result("/w/l0"), Err(Unresolved::TooManyLinks));
    assert_eq!(result("/w/l1").as_deref(), Ok("/w/l41"));
    assert_eq!(result("/w/bad/x"), Err(Unresolved::Error));
    assert_eq!(result("/w/mount/x"), Err(Unresolved::Error));
}
