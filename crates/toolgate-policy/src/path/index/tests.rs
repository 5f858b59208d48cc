use proptest::prelude::*;

use super::{
    super::pattern::{Anchors, Purpose},
    *,
};

const AT: Anchors<'_> = Anchors {
    workspace: Some("/w"),
    home: None,
    folded: false,
};

fn pattern(text: &str, purpose: Purpose) -> Pattern {
    Pattern::parse(text, purpose, AT).unwrap()
}

fn rule(number: usize) -> Entry {
    Entry::Rule(Outcome::Deny, RuleIndex(u32::try_from(number).unwrap()))
}

fn index(patterns: &[&str], purpose: Purpose) -> Index {
    let mut index = Index::default();
    for (number, text) in patterns.iter().enumerate() {
        index.insert(&pattern(text, purpose), rule(number));
    }
    index.finish();
    index
}

fn found(index: &Index, path: &str) -> Vec<usize> {
    let mut found = Vec::new();
    index.walk(path, |entry| {
        if let Entry::Rule(_, rule) = entry {
            found.push(rule.0 as usize);
        }
    });
    found.sort_unstable();
    found.dedup();
    found
}

/// The same as an index, the plain way: every pattern is tried, one after the other.
mod model {
    use super::*;

    pub(super) fn matches(pattern: &Pattern, path: &str) -> bool {
        let names: Vec<&str> = lexical::components(path).collect();
        at(&pattern.segments, &names, pattern.deep)
    }

    fn at(segments: &[Segment], names: &[&str], deep: bool) -> bool {
        match (segments, names) {
            ([], _) => deep || names.is_empty(),
            ([Segment::Any, rest @ ..], _) => {
                (0..=names.len()).any(|n| at(rest, &names[n..], deep))
            }
            (_, []) => false,
            ([Segment::Name(name), rest @ ..], [first, names @ ..]) => {
                **name == **first && at(rest, names, deep)
            }
            ([Segment::Glob(glob), rest @ ..], [first, names @ ..]) => {
                glob.matches(first) && at(rest, names, deep)
            }
        }
    }
}

#[test]
fn stars_are_one_level_and_two_are_any() {
    let index = index(
        &["/w/*", "/w/a/**", "/w/**/x", "/w/*.rs", "/*/b"],
        Purpose::Allow,
    );
    assert_eq!(found(&index, "/w/a"), [0, 1]);
    assert_eq!(found(&index, "/w/a/b"), [1]);
    assert_eq!(found(&index, "/w/x"), [0, 2]);
    assert_eq!(found(&index, "/w/a/b/x"), [1, 2]);
    assert_eq!(found(&index, "/w/m.rs"), [0, 3]);
    assert_eq!(found(&index, "/w/b"), [0, 4]);
    assert_eq!(found(&index, "/w"), Vec::<usize>::new());
    assert_eq!(found(&index, "/w2/a"), Vec::<usize>::new());
}

#[test]
fn says_what_is_below() {
    let index = index(&["/w/a/secret", "/w/b/**/key"], Purpose::Restrict);
    let below = |path| index.walk(path, |_| ());
    assert!(below("/w/a").rule && below("/w").rule && below("").rule);
    assert!(!below("/w/b").rule && below("/w/b").rule_somewhere && below("/w/b/c").rule_somewhere);
    assert_eq!(below("/w/c"), Below::default());
    assert_eq!(below("/w/a/secret"), Below::default());
}

#[test]
fn the_nearest_pattern_begins_like_the_path() {
    let index = index(&["/w/src/**", "/x/y"], Purpose::Allow);
    assert_eq!(index.nearest("/w/docs/x"), Some((rule(0), 1)));
    assert_eq!(index.nearest("/x/z"), Some((rule(1), 1)));
}

#[test]
fn hostile_patterns_and_paths_take_no_time() {
    let deep = format!("/{}b", "**/a/".repeat(500));
    let wide = format!("/{}", "*a".repeat(1_000));
    let index = index(&[&deep, &wide], Purpose::Allow);
    let started = std::time::Instant::now();
    assert_eq!(found(&index, &"/a".repeat(2_000)), Vec::<usize>::new());
    assert_eq!(found(&index, &format!("/{}", "a".repeat(500_000))), [1]);
    assert!(
        started.elapsed().as_millis() < 2_000,
        "{:?}",
        started.elapsed()
    );
}

const NAMES: &str = "(a|b|ab|aba|\\*|a\\*|\\*b|a\\*b|\\*a\\*|\\*\\*)";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn finds_what_the_model_finds(
        patterns in prop::collection::vec(prop::collection::vec(NAMES, 1..5), 0..20),
        path in prop::collection::vec("[ab]{1,3}", 0..6),
        restrict: bool,
    ) {
        let purpose = if restrict { Purpose::Restrict } else { Purpose::Allow };
        let texts: Vec<String> = patterns.iter().map(|names| format!("/{}", names.join("/"))).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let path: String = path.iter().flat_map(|name| ["/", name]).collect();
        let expected: Vec<usize> = texts
            .iter()
            .enumerate()
            .filter(|(_, text)| model::matches(&pattern(text, purpose), &path))
            .map(|(number, _)| number)
            .collect();
        prop_assert_eq!(found(&index(&texts, purpose), &path), expected);
    }
}
