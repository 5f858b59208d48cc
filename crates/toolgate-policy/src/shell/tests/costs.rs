//! What a judgement costs: it must not grow with the number of rules, nor faster than the line.

use std::time::{Duration, Instant};

use super::kit::{Policy, findings};
use crate::{finding::Outcome, shell::ShellRules};

/// Lines that make the reader or the rules work as hard as they can.
fn hostile(length: usize) -> Vec<(&'static str, String)> {
    let fill = |unit: &str| unit.repeat(length / unit.len());
    vec![
        ("commands", fill("a;")),
        ("denied commands", fill("rm x;")),
        ("words", format!("git {}", fill("a "))),
        ("options", format!("git push {}", fill("-a "))),
        ("letters", format!("rm -{}", fill("r"))),
        ("one word", fill("a")),
        ("quotes", fill("'")),
        ("double quotes", fill("\"\"")),
        ("escapes", fill("\\a")),
        ("substitutions", fill("$(")),
        ("backticks", fill("`a")),
        ("parameters", fill("${a")),
        ("groups", fill("(")),
        ("closing", fill(")")),
        ("here-documents", fill("<<A\n")),
        (
            "here-documents of one line",
            format!(
                "{}\n{}",
                "a <<A ".repeat(length / 16),
                "A\n".repeat(length / 16)
            ),
        ),
        ("redirections", fill(">a ")),
        ("assignments", fill("a=b ")),
        ("globs", format!("rm {}", fill("a* "))),
        ("wrappers", fill("env ")),
        ("find", format!("find {}", fill("-exec rm ; "))),
        ("nested shells", format!("sh -c '{}'", fill("rm a;"))),
        ("env -S", format!("env -S '{}'", fill("rm "))),
        ("eval", format!("eval {}", fill("rm a "))),
        ("directories", fill("cd a;")),
        ("chains of directories", fill("cd a&&")),
        ("keywords", fill("if ")),
        ("letters beyond ASCII", fill("é")),
        ("time", fill("time ")),
        ("starred", format!("aws {}", fill("a "))),
        ("loose words", format!("parallel {}", fill("rm "))),
        ("loose options", format!("parallel {}", fill("git -a "))),
        ("loose globs", format!("parallel git {}", fill("a* "))),
        ("hidden words", format!("ssh h {}", fill("git "))),
        (
            "loose texts",
            format!(
                "parallel {}",
                format!("'{}' ", "rm x;".repeat(length / 320)).repeat(60)
            ),
        ),
        (
            "an unknown option of a wrapper",
            format!("sudo --frob {}", fill("git a ")),
        ),
        (
            "wrappers around options",
            format!("{}git {}", "env ".repeat(7), fill("-a ")),
        ),
        (
            "wrappers that are not sure",
            format!("{}git {}", "sudo --frob ".repeat(7), fill("-a ")),
        ),
        ("other words", format!("git {}", distinct(length))),
        (
            "other options",
            format!("git push {}", distinct(length).replace('w', "-")),
        ),
        ("other programs", distinct(length).replace(' ', ";")),
        ("variables", fill("PAGER=rm ")),
        (
            "configurations",
            format!("git {} log", fill("-c alias.a=!rm ")),
        ),
    ]
}

/// Words of which no two are the same.
fn distinct(length: usize) -> String {
    let words: Vec<String> = (0..length / 8).map(|n| format!("w{n:06x}")).collect();
    words.join(" ")
}

fn policy() -> ShellRules {
    Policy::allow(&["git *", "a *", "rm *", "echo *"])
        .and(
            Outcome::Deny,
            &[
                "rm -rf x",
                "git push --force *",
                "aws * b * c * d *",
                "* --no-such *",
                "aws a*a*a*b",
            ],
        )
        .and(Outcome::Ask, &["git commit *"])
        .workspace_only("/w", crate::spec::OutsideSpec::Ask)
        .compile()
        .unwrap()
}

fn time(rules: &ShellRules, line: &str) -> Duration {
    let start = Instant::now();
    std::hint::black_box(findings(rules, line));
    start.elapsed()
}

/// The bound leaves room for a build without optimisation on a busy machine; what is quadratic takes
/// minutes.
#[test]
fn a_long_line_takes_no_longer_than_its_length() {
    let rules = policy();
    for (name, line) in hostile(127 * 1024) {
        let took = time(&rules, &line);
        println!("{name}: {took:?}");
        assert!(took < Duration::from_secs(1), "{name} took {took:?}");
    }
}

fn many(count: usize) -> ShellRules {
    let names = |prefix: &str| -> Vec<String> {
        (0..count / 4).map(|n| format!("{prefix}{n} *")).collect()
    };
    let (own, sub, denied, denied_sub) = (
        names("tool"),
        names("git sub"),
        names("bad"),
        names("git bad"),
    );
    let mut policy = Policy::allow(&["ls *", "git log *", "cargo test *"]);
    for (outcome, names) in [
        (Outcome::Allow, own),
        (Outcome::Allow, sub),
        (Outcome::Deny, denied),
        (Outcome::Deny, denied_sub),
    ] {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        policy = policy.and(outcome, &names);
    }
    policy.compile().unwrap()
}

#[test]
fn the_number_of_rules_costs_nothing() {
    let best = |rules: &ShellRules| {
        let line = "git log --oneline -n 20 | ls src && cargo test -p core";
        (0..50)
            .map(|_| (0..100).map(|_| time(rules, line)).sum::<Duration>())
            .min()
            .unwrap_or_default()
    };
    let few = many(10);
    let start = Instant::now();
    let lots = many(10_000);
    println!("10,000 rules were compiled in {:?}", start.elapsed());
    let (few, lots) = (best(&few), best(&lots));
    println!("100 lines: {few:?} with 10 rules, {lots:?} with 10,000");
    assert!(lots < few * 2, "{few:?} {lots:?}");
}
