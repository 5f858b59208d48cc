//! What holds for every path.

use proptest::prelude::*;

use super::{
    fixture::{Paths, worst},
    *,
};
use crate::finding::Outcome;

fn accesses() -> impl Strategy<Value = Access> {
    prop_oneof![
        Just(Access::Read),
        Just(Access::Write),
        Just(Access::Remove)
    ]
}

/// Paths that are made of what matters.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "/",
        "/",
        "/",
        "..",
        ".",
        "w",
        "W",
        "src",
        ".env",
        "secrets",
        "link",
        "up",
        "~",
        "$HOME",
        "%2e",
        "\\",
        ":",
        " ",
        "\0",
        "\u{200b}",
        "\u{ff0e}",
        "\u{2215}",
        "C:",
        "file://",
        "proc/self/root",
        "a",
        "\u{e9}",
        "*",
        "{a,b}",
    ]);
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

fn usual() -> Paths {
    Paths::new(&["/w/**"], &["/w/.env", "/w/secrets/**"])
        .with_link("/w/link", "secrets")
        .with_link("/w/up", "..")
}

fn changed_case(text: &str, upper: &[bool]) -> String {
    let change = |(c, upper): (char, &bool)| if *upper { c.to_ascii_uppercase() } else { c };
    text.chars().zip(upper.iter().cycle()).map(change).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn anything_is_judged(path in any::<String>(), cwd in prop::option::of(any::<String>()), access in accesses()) {
        worst(&usual().findings(access, &path, cwd.as_deref()));
    }

    #[test]
    fn anything_made_of_what_matters_is_judged_the_same_every_time(path in pieces(), cwd in prop::option::of(pieces()), access in accesses()) {
        let findings = usual().findings(access, &path, cwd.as_deref());
        prop_assert_eq!(findings.0, usual().findings(access, &path, cwd.as_deref()).0);
    }

    #[test]
    fn a_deny_cannot_be_written_around(
        target in prop::sample::select(vec!["/w/.env", "/w/secrets/key", "/w/secrets", "/w/secrets/a/b"]),
        detours in prop::collection::vec(prop::sample::select(vec!["/.", "/", "/x/..", "/x/./y/../.."]), 4),
        upper in prop::collection::vec(any::<bool>(), 1..8),
        end in prop::sample::select(vec!["", "/", "/.", "//", "/x/.."]),
    ) {
        let mut path = String::new();
        for (name, detour) in lexical::components(target).zip(detours) {
            path.push_str(detour);
            path.push('/');
            path.push_str(&changed_case(name, &upper));
        }
        path.push_str(end);
        prop_assert_eq!(usual().read(&path), Outcome::Deny, "{}", path);
    }

    #[test]
    fn a_further_rule_never_widens(path in pieces(), access in accesses(), ask: bool,
        pattern in prop::sample::select(vec!["/w/src", "**/a", "/w/*", "/w/**", "link", "/w/s*/**/a", "~/.ssh"]))
    {
        let before = worst(&usual().findings(access, &path, None));
        let outcome = if ask { Outcome::Ask } else { Outcome::Deny };
        let further = usual().with_rule(outcome, fixture::rule(pattern));
        prop_assert!(worst(&further.findings(access, &path, None)) >= before, "{}", path);
    }

    #[test]
    fn what_is_allowed_is_in_the_workspace_by_name_and_by_target(path in pieces()) {
        let paths = usual();
        if paths.read(&path) == Outcome::Allow {
            let whereabouts = paths.compile().whereabouts(&path, None, &paths.files);
            prop_assert_eq!(whereabouts, Whereabouts::Inside, "{}", path);
        }
    }

    #[test]
    fn the_order_of_rules_does_not_matter(path in pieces(), access in accesses(), turn in 0usize..3) {
        let mut turned = usual();
        turned.rules.rotate_left(turn);
        prop_assert_eq!(worst(&turned.findings(access, &path, None)), worst(&usual().findings(access, &path, None)));
    }
}

#[test]
fn long_paths_take_no_time() {
    for unit in [
        "a/", "../", "%2e", "{", "$A", "~", "\u{ff0e}", "%41%", "\\", "\0", ":", "a. ",
    ] {
        let started = std::time::Instant::now();
        let path = unit.repeat((1 << 16) / unit.len());
        assert_eq!(usual().read(&path), Outcome::Ask, "{unit:?}");
        let huge = unit.repeat((1 << 20) / unit.len());
        assert_eq!(usual().read(&huge), Outcome::Deny, "{unit:?}");
        assert!(started.elapsed().as_secs() < 2, "{:?}", started.elapsed());
    }
    let long = "a/".repeat(3_000);
    assert_eq!(
        usual().read(&format!("{long}{}.env", "../".repeat(3_000))),
        Outcome::Deny
    );
}
