//! What is said of rules when they are compiled, and of lines when they are explained.

use super::kit::{Policy, Verdict, located, no_files, rule, worst};
use crate::{
    finding::{Findings, Outcome, RuleIndex},
    shell::lint::LintKind,
};

#[test]
fn all_problems_are_reported() {
    let mut policy = Policy::allow(&["", "git * push", "ls *", "*"])
        .and(Outcome::Deny, &["rm [", "(a+)+"])
        .env_allow(&["A-B"])
        .transparent(&["sudo"]);
    let mut excepting = rule("cat *");
    excepting.except = vec![located("cat x".to_owned())];
    policy = policy.with_rule(Outcome::Allow, excepting);
    let mut odd = rule("aws *");
    odd.except = vec![located("aws $x".to_owned())];
    policy = policy.with_rule(Outcome::Deny, odd);
    let problems = policy.compile().unwrap_err();
    assert_eq!(problems.len(), 9, "{problems:?}");
}

#[test]
fn a_star_alone_has_to_be_meant() {
    let mut policy = Policy::allow(&["*"]);
    assert!(policy.compile().is_err());
    policy.allow_all = true;
    assert_eq!(policy.verdict("rm -rf x; sh y"), Verdict::Allow);
    assert_eq!(policy.verdict("rm $x"), Verdict::Ask);
    let policy = policy.and(Outcome::Deny, &["rm *"]);
    assert_eq!(policy.verdict("rm x"), Verdict::Deny);
}

fn lints(policy: &Policy) -> Vec<(u32, LintKind)> {
    let (_, lints) = policy.compile_with_lints().unwrap();
    lints.iter().map(|lint| (lint.rule.0, lint.kind)).collect()
}

#[test]
fn rules_that_are_hardly_meant_are_pointed_out() {
    let policy = Policy::allow(&["no-such-tool *", "python3 *", "env *", "ls *"]);
    let found = lints(&policy);
    assert_eq!(
        found,
        [
            (0, LintKind::WildcardWithoutTable),
            (1, LintKind::WildcardOnInterpreter),
            (2, LintKind::WildcardOnWrapper),
        ]
    );
    let policy = Policy::allow(&[
        "bash -c *",
        "python3 -c *",
        "git gc *",
        "npx tsc --noEmit *",
        "python3 -m pytest *",
        "command -v *",
        "uv run pytest *",
        "git log *",
    ]);
    let found = lints(&policy);
    assert_eq!(
        found,
        [
            (0, LintKind::WildcardOnInterpreter),
            (1, LintKind::WildcardOnInterpreter),
            (2, LintKind::WildcardInVain),
        ]
    );
    let mut meant = rule("python3 *");
    meant.dangerous_wildcard = true;
    assert_eq!(
        lints(&Policy::default().with_rule(Outcome::Allow, meant)),
        []
    );
}

#[test]
fn rules_that_say_nothing_new_are_pointed_out() {
    let policy = Policy::allow(&["git push origin", "git log", "ls *", "ls  *"])
        .and(Outcome::Deny, &["git push *", "git log x"]);
    let found = lints(&policy);
    assert_eq!(
        found,
        [
            (3, LintKind::Duplicate(RuleIndex(2))),
            (0, LintKind::Shadowed(RuleIndex(4)))
        ]
    );
}

#[test]
fn a_rule_that_is_not_in_force_does_nothing() {
    let rules = Policy::allow(&["ls *", "ls"])
        .and(Outcome::Deny, &["rm *"])
        .compile()
        .unwrap();
    let judge = |line: &str, active: &dyn Fn(RuleIndex) -> bool| {
        let mut findings = Findings::default();
        rules.judge(line, None, &active, &mut no_files, &mut findings);
        findings
    };
    assert_eq!(worst(&judge("rm x", &|_| false)), Verdict::Default);
    assert_eq!(worst(&judge("ls", &|_| false)), Verdict::Default);
    let found = judge("ls", &|rule| rule == RuleIndex(1));
    assert_eq!(worst(&found), Verdict::Allow);
    assert_eq!(found.0.len(), 1);
}

#[test]
fn a_line_is_explained() {
    let policy = Policy::allow(&["git log *", "ls *"]).and(Outcome::Deny, &["rm *"]);
    let told = policy.describe("ls 'a b' | git log --output=x; env rm y");
    assert!(told.problem.is_none());
    let words = |n: usize| {
        told.commands[n]
            .words
            .iter()
            .map(|w| w.text.as_str())
            .collect::<Vec<_>>()
    };
    assert_eq!(words(0), ["ls", "a b"]);
    assert_eq!(told.commands[0].words[1].span.start, 3);
    assert_eq!(told.commands[0].covered, Some(RuleIndex(1)));
    assert_eq!(told.commands[1].covered, None);
    assert_eq!(told.commands[1].nearest, Some(RuleIndex(0)));
    assert!(
        told.commands[1]
            .why_not
            .as_ref()
            .is_some_and(|why| why.contains("--output")),
        "{told:?}"
    );
    assert_eq!(
        (words(2), words(3)),
        (vec!["env", "rm", "y"], vec!["rm", "y"])
    );
    assert_eq!(told.commands[3].depth, 1);
    assert_eq!(
        told.commands[3].refused,
        [(RuleIndex(2), Outcome::Deny, true)]
    );
    let told = policy.describe("ls $x");
    let (why, span) = told.problem.unwrap();
    assert_eq!(
        (why.as_str(), span.start),
        ("`$` is expanded by the shell", 3)
    );
}

#[test]
fn findings_quote_no_words() {
    let policy = Policy::allow(&["ls *", "git log *", "cat *"]).and(Outcome::Deny, &["rm *"]);
    for line in [
        "ls --s3cret",
        "git log --s3cret=x",
        "cat $s3cret",
        "s3cret x",
        "cat > s3cret",
        "s3cret=1 ls",
        "sh -c 's3cret $x'",
    ] {
        for finding in policy.findings(line).0 {
            assert!(!finding.why.contains("s3cret"), "{line}: {}", finding.why);
        }
    }
}

#[test]
fn redirections_go_to_the_rules_over_paths() {
    let rules = Policy::allow(&["ls *", "cd *"]).compile().unwrap();
    let mut asked = Vec::new();
    let mut files = |access, path: &str, dir: Option<&str>, _: &mut Findings| {
        asked.push(format!("{access:?} {path} {dir:?}"));
        path == "ok"
    };
    let mut findings = Findings::default();
    rules.judge(
        "cd a && ls >ok 2>/dev/null",
        None,
        &|_| true,
        &mut files,
        &mut findings,
    );
    assert_eq!(worst(&findings), Verdict::Allow);
    rules.judge(
        "ls <> $x >no; cd $y; ls <b",
        None,
        &|_| true,
        &mut files,
        &mut findings,
    );
    assert_eq!(
        asked,
        [
            "Write ok Some(\"a\")",
            "Write no Some(\"\")",
            "Read b Some(\"\")",
            "Read b None"
        ]
    );
}
