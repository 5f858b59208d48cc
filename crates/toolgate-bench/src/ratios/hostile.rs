//! What somebody may send to make a policy slow.

use std::hint::black_box;

use toolgate::{Effect, Policy};

use crate::{cases::Case, stacks, workload::Call};

/// Long lines, deep nesting, and patterns that backtrack if anything does.
pub(super) fn cases() -> Vec<Case> {
    let policy = stacks::load(
        r#"
        [shell]
        allow = ["git status *", "ls *"]
        deny = ["rm -rf *", "a*a*a*a*a*a*b *", "* a* a* a* a* a* b *"]
        [write]
        allow = ["/workspace/**/a/**/a/**/a/**/a/**/b/**", "/workspace/*a*a*a*a*a*a*b"]
        deny = ["/workspace/**/x/**/x/**/x/**/y"]
        "#,
    );
    let megabyte = 1 << 20;
    let lines = [
        ("1 MiB of words", "ls ".repeat(megabyte / 3)),
        ("1 MiB of commands", "ls;".repeat(megabyte / 3)),
        ("1 MiB of open brackets", "(".repeat(megabyte)),
        ("1 MiB of open substitutions", "$(".repeat(megabyte / 2)),
        ("1 MiB of quotes", "'\"".repeat(megabyte / 2)),
        ("1 MiB of one word", format!("ls {}", "a".repeat(megabyte))),
        ("1 MiB of wrappers", "env ".repeat(megabyte / 4)),
        ("hostile shell pattern", "a".repeat(60_000)),
        ("hostile words", format!("x {}", "a ".repeat(30_000))),
    ];
    let paths = [
        (
            "hostile path pattern",
            format!("/workspace/{}", "a/".repeat(30_000)),
        ),
        ("hostile glob", format!("/workspace/{}", "a".repeat(60_000))),
    ];
    let lines = lines.map(|(name, line)| (name, Call::line(&line)));
    let paths = paths.map(|(name, path)| (name, Call::write(&path)));
    let case = |(name, call): (&str, Call)| {
        let call = stacks::reviewing(&call);
        assert_ne!(policy.decide(&call).effect(), Some(Effect::Allow), "{name}");
        let policy = policy.clone();
        Case::shared(format!("hostile: {name}"), 1, move || {
            drop(black_box(policy.decide(black_box(&call))));
        })
    };
    lines.into_iter().chain(paths).map(case).collect()
}

/// The names of all cases.
pub(super) const PREFIX: &str = "hostile: ";
