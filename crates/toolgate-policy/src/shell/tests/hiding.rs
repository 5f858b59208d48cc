//! Commands inside others, from which a rule that denies must not be hidden.

use super::kit::{Policy, Verdict};

/// Lines that run `rm x` or `git push`, and show it.
const SHOWN: &str = include_str!("hiding/shown.txt");
/// Lines that may run anything, and do not show what.
const UNSEEN: &str = include_str!("hiding/unseen.txt");
/// Lines that look alike and run nothing else.
const HARMLESS: &str = include_str!("hiding/harmless.txt");

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.starts_with('#'))
}

#[track_caller]
fn check(text: &'static str, is_right: impl Fn(Verdict) -> bool) {
    let policy = Policy::deny(&["rm *", "git push *"]);
    let wrong: Vec<String> = lines(text)
        .map(|line| (line, policy.verdict(line)))
        .filter(|(_, verdict)| !is_right(*verdict))
        .map(|(line, verdict)| format!("{verdict:?}: {line}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_shown_is_denied() {
    check(SHOWN, |verdict| verdict == Verdict::Deny);
}

#[test]
fn what_cannot_be_seen_is_asked_about() {
    check(UNSEEN, |verdict| verdict == Verdict::Ask);
}

#[test]
fn what_runs_nothing_else_is_left_alone() {
    check(HARMLESS, |verdict| verdict == Verdict::Default);
}

/// What is handed out twice on every level must not add up over the levels.
#[test]
fn nesting_takes_bounded_time() {
    let policy = Policy::deny(&["rm *", "git push *"]);
    let units = [
        "bwrap --x ",
        "perl -e ",
        "perl -e e ",
        "git -c a=",
        "runuser 'e ",
        "su --x -c ",
        "awk e\\ `",
        "sudo --x git -c alias.x=! ",
        "python -c 'system(\"perl -e ",
        "vim -c !vim\\ -c\\ !",
    ];
    for unit in units {
        let line = unit.repeat(100_000 / unit.len());
        let start = std::time::Instant::now();
        let _ = policy.verdict(&line);
        let quoted = format!("bwrap --x 'perl -e e {line}'");
        let _ = policy.verdict(&quoted);
        let took = start.elapsed();
        assert!(took.as_secs() < 4, "{unit} took {took:?}");
    }
}

/// Wrappers whose words are tried one by one are still followed as they were.
#[test]
fn trying_every_word_loosens_nothing() {
    let policy = Policy::deny(&["rm *", "git push *"]);
    for outer in [
        "setpriv",
        "bwrap",
        "systemd-run",
        "numactl -a 0",
        "perf",
        "valgrind",
    ] {
        for inner in [
            "sh -c 'a;rm'",
            "tar xf y --to-command=rm",
            "env -S rm",
            "fd y -xrm",
        ] {
            let line = format!("{outer} {inner}");
            assert_eq!(policy.verdict(&line), Verdict::Deny, "{line}");
        }
    }
    for line in [
        "systemd-run --frob ls",
        "bwrap --frob ls",
        "numactl --frob 0 ls",
    ] {
        assert_eq!(policy.verdict(line), Verdict::Ask, "{line}");
    }
}
