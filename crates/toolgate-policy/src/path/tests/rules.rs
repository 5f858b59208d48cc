//! What is made of the rules.

use super::super::describe::{PathMatch, Reading};
use super::*;

#[test]
fn an_exception_belongs_to_its_rule() {
    let paths = Paths::new(&["/w/**"], &[])
        .with_rule(
            Outcome::Deny,
            rule_except("secrets/**", &["secrets/public/**"]),
        )
        .with_link("/w/secrets/public/l", "/w/secrets/key");
    assert_eq!(paths.read("/w/secrets/public/x"), Outcome::Allow);
    assert_eq!(
        paths.read("/w/secrets/PUBLIC/x"),
        Outcome::Deny,
        "an exception holds as it is written"
    );
    assert_eq!(paths.read("/w/secrets/public/../key"), Outcome::Deny);
    assert_eq!(paths.read("/w/secrets/public/l"), Outcome::Deny);

    let paths = Paths::new(&[], &[]).with_rule(Outcome::Allow, rule_except("/w/**", &["private"]));
    assert_eq!(paths.read("/w/x"), Outcome::Allow);
    assert_eq!(paths.read("/w/Private/x"), Outcome::Uncovered);
}

#[test]
fn rules_that_are_put_aside_do_not_hold() {
    let paths = usual();
    let rules = paths.compile();
    let mut findings = Findings::default();
    let query = PathQuery {
        access: Access::Read,
        path: ".env",
        cwd: None,
    };
    rules.judge(
        query,
        &paths.files,
        &|rule: RuleIndex| rule.0 == 0,
        &mut findings,
    );
    assert_eq!(worst(&findings), Outcome::Allow);
    let mut findings = Findings::default();
    let query = PathQuery {
        access: Access::Read,
        path: "src",
        cwd: None,
    };
    rules.judge(
        query,
        &paths.files,
        &|rule: RuleIndex| rule.0 != 0,
        &mut findings,
    );
    assert_eq!(worst(&findings), Outcome::Uncovered);
}

#[test]
fn all_problems_are_told() {
    let mut paths = Paths::new(&["/w/[a-z]*", "a/../b", "ok"], &["~root"]);
    paths.rules.push((Outcome::Deny, rule_except("x", &["y?"])));
    let rules = numbered(&paths.rules);
    let problems = PathRules::compile(&rules, &[], &paths.settings).unwrap_err();
    assert_eq!(problems.len(), 4, "{problems:?}");
}

#[test]
fn useless_and_boundless_rules_are_remarked() {
    let remarks = |paths: &Paths| {
        let rules = numbered(&paths.rules);
        PathRules::compile(&rules, &[], &paths.settings)
            .unwrap()
            .1
            .len()
    };
    assert_eq!(remarks(&Paths::new(&["/w/a/**"], &["/w"])), 1);
    assert_eq!(remarks(&Paths::new(&["/**"], &[])), 1);
    assert_eq!(remarks(&Paths::new(&["/w/**"], &["/w/a"])), 0);
    let mut expiring = Paths::new(&["/w/a/**"], &[]);
    let mut deny = rule("/w");
    deny.agents = vec![located("root/x".into())];
    expiring.rules.push((Outcome::Deny, deny));
    assert_eq!(remarks(&expiring), 0);
}

#[test]
fn a_description_says_what_matched_on_what() {
    let paths = usual().with_link("/w/notes", ".env");
    let mut findings = Findings::default();
    let query = PathQuery {
        access: Access::Read,
        path: "./notes",
        cwd: None,
    };
    let told = paths
        .compile()
        .describe(query, &paths.files, &|_: RuleIndex| true, &mut findings);
    assert_eq!(
        (&*told.lexical, told.resolved.as_deref()),
        ("/w/notes", Some("/w/.env"))
    );
    let deny = PathMatch {
        rule: RuleIndex(1),
        outcome: Outcome::Deny,
        on: Reading::Resolved,
    };
    assert!(told.matches.contains(&deny), "{told:?}");
    assert_eq!(told.nearest, None);

    let paths = Paths::new(&["/w/src/**", "/x/**"], &[]);
    let query = PathQuery {
        access: Access::Read,
        path: "/w/docs/a",
        cwd: None,
    };
    let told = paths
        .compile()
        .describe(query, &paths.files, &|_: RuleIndex| true, &mut findings);
    assert_eq!(told.nearest, Some(RuleIndex(0)));
}
