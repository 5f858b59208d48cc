//! What is allowed, and what is not although it looks alike.

use super::kit::{Policy, Verdict, all, all_with, build_files, everyday, ids};
use crate::{
    finding::Outcome,
    spec::{DialectSpec, OutsideSpec},
};

#[test]
fn every_command_of_a_line_has_to_be_allowed() {
    all(
        &everyday(),
        Verdict::Allow,
        &[
            "ls && pwd",
            "ls | cat",
            "ls; pwd",
            "ls\npwd",
            "ls & pwd",
            "ls || pwd",
            "ls |& cat",
        ],
    );
    let lines = [
        "ls && wget x",
        "ls || rm x",
        "ls; rm x",
        "ls & rm x",
        "ls | sh x",
        "ls&&rm x",
        "ls\nrm x",
        "wget x && ls",
    ];
    all(&everyday(), Verdict::Default, &lines);
}

#[test]
fn what_the_shell_works_out_is_asked_about() {
    let lines = [
        "echo $(id)",
        "echo `id`",
        "echo $x",
        "echo ${x@P}",
        "echo $((1))",
        "cat <(id)",
        "echo ~",
        "echo {a,b}",
        "echo $'a'",
        "echo \"$x\"",
        "cat <<<x",
        "cat <<E\nE",
        "ls # x",
        "ls *",
        "l? x",
        "(ls)",
        "{ ls; }",
        "! ls",
        "if ls; then ls; fi",
        "ls\r",
        "ls\u{a0}-la",
        "echo '\u{202e}'",
        "ls &&",
        "echo \"hi",
        "ls \\",
    ];
    all(&everyday(), Verdict::Ask, &lines);
}

#[test]
fn an_empty_line_is_asked_about() {
    for line in ["", " ", "\n\n", "\t"] {
        assert_eq!(
            ids(&everyday().findings(line)),
            ["shell.empty", "shell.uncovered"],
            "{line:?}"
        );
    }
}

#[test]
fn redirections_are_accesses_to_files() {
    let policy = everyday();
    all_with(
        &policy,
        &mut build_files,
        Verdict::Allow,
        &[
            "ls 2>&1",
            "ls >/dev/null 2>&1",
            "ls 2>/dev/null",
            "ls &>/dev/null",
            "cat </dev/null",
            "ls > build/x",
            "cd build && ls >x",
        ],
    );
    all_with(
        &policy,
        &mut build_files,
        Verdict::Default,
        &[
            "ls > x",
            "ls >> build/../x",
            "ls >| x",
            "ls &> x",
            "ls >& x",
            "ls 1>x",
            "cat < x",
            "ls <> build2/x",
            "> x",
            "cd x && ls > build/y",
        ],
    );
    all_with(
        &policy,
        &mut build_files,
        Verdict::Ask,
        &[
            "cat < /dev/tcp/x/80",
            "ls > ~/x",
            "ls > {a,b}",
            "ls > build/x*",
            "ls {fd}>x",
            "cd $x; ls > build/y",
        ],
    );
}

#[test]
fn variables_need_to_be_named() {
    all(
        &everyday(),
        Verdict::Allow,
        &["CI=1 ls", "RUST_LOG=debug CI='a b' ls", "env CI=1 ls"],
    );
    all(
        &everyday(),
        Verdict::Default,
        &[
            "LD_PRELOAD=x ls",
            "PATH=x ls",
            "CI=1 X=2 ls",
            "CI+=1 ls",
            "PATH=x",
            "CI=1",
            "env PATH=x ls",
            "env -i ls",
            "export X=1",
            "ci=1 ls",
        ],
    );
}

#[test]
fn wrappers_are_stripped_where_that_changes_nothing() {
    all(
        &everyday(),
        Verdict::Allow,
        &[
            "timeout 5 ls",
            "timeout -k 5 10s ls",
            "time ls -la",
            "nice -n 5 ls",
            "time timeout 5 ls",
            "time -p ls",
        ],
    );
    all(
        &everyday(),
        Verdict::Default,
        &[
            "timeout 5 rm x",
            "/usr/bin/timeout 5 ls",
            "sudo ls",
            "xargs ls",
            "time -o x ls",
            "time -v ls",
            "nohup ls",
            "timeout ls",
            "env -C / ls",
            "timeout 5",
        ],
    );
    assert!(everyday().transparent(&["sudo"]).compile().is_err());
}

#[test]
fn wildcards_on_wrappers_and_interpreters_cover_nothing() {
    let policy = Policy::allow(&[
        "env *",
        "sh *",
        "xargs *",
        "python3 *",
        "busybox *",
        "ssh *",
        "sudo *",
        "node *",
        "nice *",
    ]);
    let lines = [
        "env rm x",
        "sh x",
        "xargs rm",
        "python3 x.py",
        "busybox rm",
        "ssh host rm",
        "sudo rm",
        "node x.js",
        "nice rm",
        "gosu rm",
        "torsocks rm",
        "python3.99 x",
    ];
    all(&policy, Verdict::Default, &lines);
    let mut rule = super::kit::rule("sh *");
    rule.dangerous_wildcard = true;
    let policy = Policy::default().with_rule(Outcome::Allow, rule);
    all(
        &policy,
        Verdict::Allow,
        &["sh x", "sh -c 'rm x'", "sh -e x"],
    );
}

#[test]
fn words_are_compared_whole_and_as_typed() {
    all(
        &everyday(),
        Verdict::Default,
        &[
            "lsof",
            "git logx",
            "git status -s",
            "/bin/ls",
            "./ls",
            "LS",
            "ls.exe",
            "git\\ status",
            "'git status'",
            "git",
            "Git status",
            "git STATUS",
        ],
    );
    all(
        &everyday(),
        Verdict::Allow,
        &["git  status", "'git' \"status\"", "ls", "git log"],
    );
}

#[test]
fn other_shells_are_taken_at_their_word_where_all_agree() {
    let zsh = everyday().dialect(DialectSpec::Zsh);
    all(
        &zsh,
        Verdict::Allow,
        &["ls -la src/a.rs", "ls && pwd", "echo 'a b'", "echo a=b"],
    );
    all(
        &zsh,
        Verdict::Ask,
        &[
            "echo =sh",
            "ls *(+id)",
            "echo a^b",
            "echo a#b",
            "ls src/*",
            "echo {}",
            "echo é",
        ],
    );
    let other = everyday().dialect(DialectSpec::Powershell);
    all(&other, Verdict::Allow, &["ls -la src/a.rs"]);
    all(
        &other,
        Verdict::Ask,
        &[
            "ls; pwd",
            "ls && pwd",
            "echo 'a b'",
            "echo %x%",
            "ls @x",
            "ls -a.b",
            "ls &",
            "echo a=b",
        ],
    );
    let fish = Policy::deny(&["rm *"]).dialect(DialectSpec::Fish);
    all(
        &fish,
        Verdict::Deny,
        &["not rm x", "and rm x", "ls; and rm x", "ls (rm x)"],
    );
}

#[test]
fn paths_stay_in_the_workspace() {
    let policy = everyday().workspace_only("/w", OutsideSpec::Ask);
    let inside = [
        "ls",
        "cat src/x",
        "cat /w/src/x",
        "cat ./a/../b",
        "cd src && cat ../x",
        "cd /w/a && cat ../b",
        "ls src/*.rs",
        "cat /dev/null",
        "cd src; cat x",
        "echo a",
        "cd a/b && cd .. && cat ../x",
    ];
    all(&policy, Verdict::Allow, &inside);
    let outside = [
        "cat /etc/hosts",
        "cat ../x",
        "cat src/../../x",
        "cd .. && cat x",
        "cd src && cat ../../x",
        "cat /w/../etc/x",
        "cat /wx/y",
        "cd",
        "cd -",
        "cd src; cat ../x",
        "cd src || cat ../x",
        "cd src & cat ../x",
        "cd src | cat ../x",
        "ls .*",
        "cat -- /etc/x",
        "ls > /x",
        "cat ~/x",
        "time cat /x",
    ];
    all(&policy, Verdict::Ask, &outside);
    let policy = everyday().workspace_only("/w", OutsideSpec::Deny);
    all(&policy, Verdict::Deny, &outside);
    assert_eq!(policy.in_dir("ls", "/w/src"), Verdict::Allow);
    assert_eq!(policy.in_dir("ls", "src"), Verdict::Allow);
    assert_eq!(policy.in_dir("cat ../x", "src"), Verdict::Allow);
    for dir in ["/", "..", "/w/..", "../..", "src/../.."] {
        assert_eq!(policy.in_dir("ls", dir), Verdict::Deny, "{dir}");
    }
}

#[test]
fn words_that_no_shell_reads_are_compared_as_they_are() {
    let policy = Policy::allow(&["git status", "ls *"]).and(Outcome::Deny, &["rm *"]);
    assert_eq!(policy.argv(&["git", "status"]), Verdict::Allow);
    assert_eq!(policy.argv(&["ls", "$x; `y` *\n"]), Verdict::Allow);
    for argv in [
        &["git ", "status"][..],
        &[" git", "status"],
        &["GIT", "status"],
        &["g\u{456}t", "status"],
        &["git", "status", ""],
    ] {
        assert_eq!(policy.argv(argv), Verdict::Default, "{argv:?}");
    }
    for argv in [&[][..], &["", "rm"], &["ls", "\u{202e}"], &["ls", "\u{1b}"]] {
        assert_eq!(policy.argv(argv), Verdict::Ask, "{argv:?}");
    }
    for argv in [
        &["git\0", "status"][..],
        &["git", "status\0--help"],
        &["rm", "x"],
        &["sh", "-c", "rm x"],
        &["/bin/rm"],
    ] {
        assert_eq!(policy.argv(argv), Verdict::Deny, "{argv:?}");
    }
}

#[test]
fn a_directory_with_an_odd_name_is_asked_about() {
    for dir in ["~", "$HOME", "a\u{202e}b", "a\0b", "-"] {
        assert_eq!(everyday().in_dir("ls", dir), Verdict::Ask, "{dir:?}");
    }
    assert_eq!(everyday().in_dir("ls", "/anywhere"), Verdict::Allow);
}
