//! What is decided about URLs, kind by kind.

use super::*;
use crate::{
    finding::Outcome,
    path::fixture::{builtins, located, numbered, rule, rule_except, worst},
    spec::{FetchSpec, RuleSpec},
};

struct Fetch {
    spec: FetchSpec,
    rules: Vec<(Outcome, RuleSpec)>,
}

impl Fetch {
    fn new(allow: &[&str], deny: &[&str]) -> Self {
        let allow = allow.iter().map(|text| (Outcome::Allow, rule(text)));
        let deny = deny.iter().map(|text| (Outcome::Deny, rule(text)));
        Self {
            spec: FetchSpec::default(),
            rules: allow.chain(deny).collect(),
        }
    }

    fn compile(&self) -> HostRules {
        HostRules::compile(&self.spec, &numbered(&self.rules))
            .unwrap()
            .0
    }

    fn findings(&self, url: &str) -> Findings {
        let mut findings = Findings::default();
        self.compile()
            .judge(url, &|_: RuleIndex| true, &mut findings);
        findings
    }

    fn judge(&self, url: &str) -> Outcome {
        worst(&self.findings(url))
    }
}

fn usual() -> Fetch {
    Fetch::new(
        &["docs.rs", "*.rust-lang.org", "localhost", "127.0.0.1"],
        &["*.internal", "evil.example"],
    )
}

#[test]
fn known_hosts_are_allowed() {
    for url in [
        "https://docs.rs/x",
        "https://docs.rs:443/",
        "https://DOCS.rs",
        "https://doc.rust-lang.org/std/?a=b#c",
    ] {
        assert_eq!(usual().judge(url), Outcome::Allow, "{url}");
    }
    for url in [
        "https://rust-lang.org/",
        "https://evilrust-lang.org/",
        "https://rust-lang.org.example/",
        "https://a.docs.rs/",
    ] {
        assert_eq!(usual().judge(url), Outcome::Uncovered, "{url}");
    }
}

#[test]
fn odd_urls_are_asked_about() {
    let cases = [
        ("https://u:p@docs.rs/", "host.odd-user-info"),
        ("https://docs.rs\t/", "host.odd-character"),
        ("https://d\u{43e}cs.rs/", "host.odd-character"),
        ("https://docs.rs./", "host.odd-host"),
        ("https:///docs.rs", "host.odd-url"),
        ("", "host.odd-url"),
        ("https://docs.rs:22/", "host.port"),
        ("http://docs.rs/", "host.scheme"),
        ("ftp://docs.rs/", "host.scheme"),
        ("file:///etc/passwd", "host.odd-url"),
        ("https://localhost/", "host.private"),
        ("https://127.0.0.1/", "host.private"),
        ("https://[::ffff:169.254.169.254]/", "host.private"),
        ("https://0x7f.1/", "host.private"),
        ("https://2852039166/", "host.private"),
    ];
    for (url, id) in cases {
        let findings = usual().findings(url);
        assert_eq!(worst(&findings), Outcome::Ask, "{url}");
        assert!(builtins(&findings).contains(&id), "{url}: {findings:?}");
    }
    assert_eq!(
        usual().judge(&format!("https://docs.rs/{}", "a".repeat(9_000))),
        Outcome::Deny
    );
}

#[test]
fn a_deny_holds_in_every_spelling() {
    let urls = [
        "https://x.internal/",
        "http://X.INTERNAL:8/",
        "https://evil.example./",
        "https://docs.rs@evil.example/",
        "https://evil.example\\@docs.rs/",
        "evil.example",
        "https:/evil.example",
        "https://evil\u{3002}example/",
        "https://x%2einternal/",
    ];
    for url in urls {
        assert_eq!(usual().judge(url), Outcome::Deny, "{url}");
    }
    let metadata = Fetch::new(&[], &["169.254.169.254"]);
    for url in [
        "https://169.254.169.254/",
        "http://2852039166/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://0xa9.254.43518/",
    ] {
        assert_eq!(metadata.judge(url), Outcome::Deny, "{url}");
    }
    let all = Fetch::new(&["docs.rs"], &["*"]);
    assert_eq!(all.judge("https://docs.rs/"), Outcome::Deny);
    assert_eq!(all.judge(""), Outcome::Deny);
}

#[test]
fn a_policy_may_name_schemes_and_ports_and_private_hosts() {
    let mut fetch = usual();
    fetch.spec.schemes = Some(vec![located("http".into())]);
    fetch.spec.ports = Some(vec![located(8080)]);
    fetch.spec.dangerous_private = true;
    assert_eq!(fetch.judge("http://localhost:8080/"), Outcome::Allow);
    assert_eq!(fetch.judge("http://127.0.0.1/"), Outcome::Allow);
    assert_eq!(fetch.judge("http://127.0.0.1:8081/"), Outcome::Ask);
    assert_eq!(fetch.judge("https://docs.rs/"), Outcome::Ask);
    assert_eq!(fetch.judge("http://10.0.0.1/"), Outcome::Uncovered);
}

#[test]
fn an_exception_belongs_to_its_rule() {
    let mut fetch = Fetch::new(&["a.corp.example"], &[]);
    fetch.rules.push((
        Outcome::Deny,
        rule_except("*.corp.example", &["a.corp.example"]),
    ));
    fetch.rules.push((
        Outcome::Allow,
        rule_except("*.ok.example", &["no.ok.example"]),
    ));
    assert_eq!(fetch.judge("https://a.corp.example/"), Outcome::Allow);
    assert_eq!(fetch.judge("https://b.corp.example/"), Outcome::Deny);
    assert_eq!(
        fetch.judge("https://b.corp.example@a.corp.example/"),
        Outcome::Deny
    );
    assert_eq!(fetch.judge("https://yes.ok.example/"), Outcome::Allow);
    assert_eq!(fetch.judge("https://no.ok.example/"), Outcome::Uncovered);
}

#[test]
fn all_problems_are_told() {
    let mut fetch = Fetch::new(&["https://docs.rs", "ok.example"], &["a b"]);
    fetch
        .rules
        .push((Outcome::Deny, rule_except("x.example", &["*y"])));
    fetch.spec.schemes = Some(vec![
        located("https://".into()),
        located("file".into()),
        located("https".into()),
    ]);
    fetch.spec.ports = Some(vec![located(0)]);
    let problems = HostRules::compile(&fetch.spec, &numbered(&fetch.rules)).unwrap_err();
    assert_eq!(problems.len(), 6, "{problems:?}");
    let boundless = Fetch::new(&["*.com", "*", "docs.rs"], &["*.internal"]);
    let remarks = HostRules::compile(&boundless.spec, &numbered(&boundless.rules))
        .unwrap()
        .1;
    assert_eq!(remarks.len(), 2, "{remarks:?}");
}

#[test]
fn a_description_says_what_was_read() {
    let mut findings = Findings::default();
    let told = usual()
        .compile()
        .describe("https://doc.rs:8/", &|_: RuleIndex| true, &mut findings);
    assert_eq!(
        (told.host.as_deref(), told.port, told.nearest),
        (Some("doc.rs"), Some(8), Some(RuleIndex(0)))
    );
    let told = usual().compile().describe(
        "https://docs.rs@evil.example",
        &|_: RuleIndex| true,
        &mut findings,
    );
    assert_eq!(told.host, None);
    assert!(
        told.readings.contains(&"evil.example".to_owned())
            && told.readings.contains(&"docs.rs".to_owned())
    );
    assert_eq!(told.matches, [(Outcome::Deny, RuleIndex(5))]);
}

mod properties {
    use proptest::prelude::*;

    use super::*;

    fn urls() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "https",
            "http",
            ":",
            "//",
            "/",
            "\\",
            "@",
            "docs.rs",
            "evil.example",
            "x.internal",
            "127.0.0.1",
            "0x7f",
            ".",
            "[::1]",
            "443",
            "%2e",
            "%00",
            "\0",
            " ",
            "?",
            "#",
            "\u{3002}",
            "\u{ff0f}",
            "xn--",
            "a",
        ]);
        prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn anything_is_judged(url in any::<String>()) {
            usual().judge(&url);
        }

        #[test]
        fn what_is_allowed_is_what_a_url_parser_finds(rest in urls()) {
            for url in [rest.clone(), format!("https://{rest}"), format!("https://docs.rs{rest}")] {
                if usual().judge(&url) == Outcome::Allow {
                    let parsed = url::Url::parse(&url).unwrap();
                    let host = parsed.host_str().unwrap();
                    prop_assert!(host == "docs.rs" || host.ends_with(".rust-lang.org"), "{}", url);
                    prop_assert_eq!((parsed.scheme(), parsed.port()), ("https", None));
                }
            }
        }

        #[test]
        fn a_host_that_a_parser_finds_is_denied(rest in urls()) {
            for url in [rest.clone(), format!("https://{rest}")] {
                let host = url::Url::parse(&url).ok().and_then(|url| url.host_str().map(|host| host.trim_end_matches('.').to_owned()));
                if host.is_some_and(|host| host == "evil.example" || host.ends_with(".internal")) {
                    prop_assert_eq!(usual().judge(&url), Outcome::Deny, "{}", url);
                }
            }
        }

        #[test]
        fn a_further_rule_never_widens(url in urls(), pattern in prop::sample::select(vec!["docs.rs", "*.rs", "*", "127.0.0.1"])) {
            let before = usual().judge(&url);
            let mut further = usual();
            further.rules.push((Outcome::Deny, rule(pattern)));
            prop_assert!(further.judge(&url) >= before);
        }
    }
}
