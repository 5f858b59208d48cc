//! The classes of attacks on shell rules, and what is ordinary beside each.

use super::kit::{Policy, Verdict, ids};
use crate::{
    finding::Outcome,
    spec::{DialectSpec, OutsideSpec},
};

fn everyday() -> Policy {
    Policy::allow(&[
        "ls *",
        "echo *",
        "cat *",
        "git status",
        "git log *",
        "pwd",
        "cd *",
    ])
    .env_allow(&["CI", "RUST_LOG"])
    .transparent(&["timeout", "time", "nice", "env"])
}

#[track_caller]
fn all(policy: &Policy, verdict: Verdict, lines: &[&str]) {
    let rules = policy.compile().unwrap();
    for line in lines {
        let found = super::kit::findings(&rules, line);
        assert_eq!(super::kit::worst(&found), verdict, "{line:?} {found:?}");
    }
}

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
        assert_eq!(ids(&everyday().findings(line)), ["shell.empty"], "{line:?}");
    }
}

#[test]
fn a_deny_sees_through_quotes_paths_and_case() {
    let policy = Policy::deny(&["rm *"]);
    let lines = [
        "rm x",
        "r\"\"m x",
        "r\\m x",
        "\\rm x",
        "'rm' x",
        "rm\\\n x",
        "  rm\tx",
        "/bin/rm x",
        "./rm x",
        "RM x",
        "rm.exe x",
        "FOO=1 rm x",
        ">y rm x",
        "ls; rm x",
        "ls $(rm x)",
        "if true; then rm x; fi",
        "(rm x)",
        "rm $X",
        "! rm x",
        "rm",
        "rm\r x",
    ];
    let mut lines = lines.to_vec();
    lines.retain(|line| !line.contains('\r'));
    all(&policy, Verdict::Deny, &lines);
    all(
        &policy,
        Verdict::Default,
        &["echo rm", "rmdir x", "xrm y", "echo 'rm x'"],
    );
}

#[test]
fn a_deny_sees_through_wrappers() {
    let policy = Policy::deny(&["rm *"]);
    let lines = [
        "env rm x",
        "env -i FOO=1 rm x",
        "env -u A rm x",
        "env -S 'rm x'",
        "env --split-string='rm x'",
        "env -vS'rm x' y",
        "sudo rm x",
        "sudo -u root rm x",
        "sudo --user=root A=1 rm x",
        "sudo -nu root -- rm x",
        "doas -u a rm x",
        "timeout 5 rm x",
        "timeout -k 5 -s KILL 10 rm x",
        "nice rm x",
        "nice -n 5 rm x",
        "nice -5 rm x",
        "nohup rm x",
        "setsid -f rm x",
        "stdbuf -oL rm x",
        "time rm x",
        "time -p rm x",
        "command rm x",
        "builtin rm x",
        "exec -a y rm x",
        "xargs rm",
        "xargs -0 -n 1 rm",
        "xargs -I{} rm {}",
        "busybox rm x",
        "toybox rm x",
        "strace -f -o y rm x",
        "unshare -r rm x",
        "chroot /y rm x",
        "watch -n 1 rm x",
        "watch 'ls; rm x'",
        "ssh host rm x",
        "ssh -p 22 host 'rm x'",
        "docker exec -it c rm x",
        "docker run --rm -v a:b img rm x",
        "docker compose exec c rm x",
        "kubectl exec -it p -- rm x",
        "kubectl -n y exec p -c z -- rm x",
        "find . -exec rm {} \\;",
        "find . -exec ls {} + -ok rm {} \\;",
        "fd -x rm",
        "sh -c 'rm x'",
        "bash -lc 'ls; rm x'",
        "bash -o pipefail -c 'rm x'",
        "eval rm x",
        "eval 'ls; rm' x",
        "sh -c \"sh -c 'rm x'\"",
        "sudo env nice rm x",
        "parallel rm ::: a",
        "su -c 'rm x' y",
        "flock f rm x",
        "git bisect run rm x",
        "git -C y submodule foreach 'rm x'",
        "git rebase -x 'rm x' main",
        "npx -c 'rm x'",
        "uv run rm x",
        "trap 'rm x' EXIT",
        "coproc rm x",
        "time ! rm x",
        "/usr/bin/env rm x",
        "/lib64/ld-linux-x86-64.so.2 /bin/rm x",
        "ionice -c3 rm x",
    ];
    all(&policy, Verdict::Deny, &lines);
    all(
        &policy,
        Verdict::Default,
        &[
            "env ls",
            "xargs ls",
            "sh -c 'echo rm'",
            "command -v rm",
            "find . -name rm",
            "docker ps",
        ],
    );
}

#[test]
fn a_command_that_cannot_be_seen_is_asked_about() {
    let policy = Policy::deny(&["rm *"]);
    let lines = [
        "ls | sh",
        "sh -s x",
        "bash",
        "sh -c '$0' rm",
        "env -S 'r${x}m y'",
        "sudo --odd rm2 x",
        "tmux new -d x",
        "powershell -enc x",
        "sh -c \"ls `id`\"",
        "eval '$x'",
        "ssh host 'x $y'",
        "env -S '\"a b\" c'",
    ];
    all(&policy, Verdict::Ask, &lines);
    let deep = "env ".repeat(9) + "rm x";
    assert_eq!(
        ids(&policy.findings(&deep)),
        ["shell.too-deep", "shell.uncovered"]
    );
    assert_eq!(policy.verdict(&("env ".repeat(8) + "rm x")), Verdict::Deny);
}

#[test]
fn options_are_found_in_any_order_and_spelling() {
    let policy = Policy::deny(&["rm -rf *", "git push --force *"]);
    let lines = [
        "rm -rf x",
        "rm -fr x",
        "rm x -r -f",
        "rm -r x -f",
        "rm -vrf x",
        "sudo rm -f -r x",
        "git push --force",
        "git push origin main --force",
        "git -C . push --force",
        "git -c a=b push origin --force",
    ];
    all(&policy, Verdict::Deny, &lines);
    all(
        &policy,
        Verdict::Default,
        &[
            "rm x",
            "rm -r x",
            "rm -f x",
            "rm -- -rf",
            "git push",
            "git push origin force",
        ],
    );
}

#[test]
fn a_rule_without_a_star_is_that_command_alone() {
    let policy = Policy::deny(&["git push", "foo -a bar"]);
    all(
        &policy,
        Verdict::Deny,
        &["git push", "git 'push'", "foo bar -a", "foo -a bar"],
    );
    all(
        &policy,
        Verdict::Default,
        &[
            "git push origin",
            "git",
            "foo bar",
            "foo -ab bar",
            "foo -a bar baz",
        ],
    );
}

#[test]
fn stars_stand_for_words_and_parts_of_words() {
    let policy = Policy::deny(&["aws * delete-* *", "foo * bar", "* --force"]);
    all(
        &policy,
        Verdict::Deny,
        &[
            "aws s3 delete-bucket x",
            "aws --region x ec2 y delete-key",
            "foo bar",
            "foo a b bar",
            "baz --force",
        ],
    );
    all(
        &policy,
        Verdict::Default,
        &["aws s3 ls", "foo bar x", "aws describe-delete", "baz force"],
    );
    assert_eq!(Policy::deny(&["*"]).verdict("ls"), Verdict::Deny);
}

#[test]
fn exceptions_are_narrow() {
    let mut rule = super::kit::rule("aws *");
    rule.except = vec![super::kit::located("aws * describe-* *".to_owned())];
    let policy = Policy::default().with_rule(Outcome::Deny, rule);
    all(
        &policy,
        Verdict::Default,
        &["aws ec2 describe-instances", "aws ec2 describe-x --all"],
    );
    all(
        &policy,
        Verdict::Deny,
        &[
            "aws describe-x",
            "aws a b describe-x",
            "aws ec2 run",
            "/bin/aws ec2 describe-x",
        ],
    );
    assert_eq!(policy.verdict("aws ec2 describe-x $y"), Verdict::Deny);
}

#[test]
fn a_pattern_of_files_may_be_what_is_denied() {
    let policy = Policy::deny(&["cat secrets/key", "rm -rf *"]);
    assert_eq!(
        ids(&policy.findings("cat secrets/*")),
        ["shell.maybe-denied", "shell.uncovered"]
    );
    all(&policy, Verdict::Default, &["cat src/*", "rm src/*.o"]);
    assert_eq!(
        policy.verdict("xargs rm"),
        Verdict::Ask,
        "the words come in later"
    );
}

#[test]
fn redirections_are_accesses_to_files() {
    let policy = everyday().redirect_allow(&["build/**"]);
    all(
        &policy,
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
    all(
        &policy,
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
    all(
        &policy,
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
fn limits_only_ever_restrict() {
    let policy = everyday().and(Outcome::Deny, &["rm *"]);
    assert_eq!(policy.verdict(&"ls;".repeat(256)), Verdict::Allow);
    assert_eq!(policy.verdict(&"ls;".repeat(257)), Verdict::Ask);
    assert_eq!(policy.verdict(&("ls;".repeat(300) + "rm x")), Verdict::Deny);
    assert_eq!(
        policy.verdict(&("echo".to_owned() + &" a".repeat(1100))),
        Verdict::Ask
    );
    assert_eq!(
        policy.verdict(&("echo ".to_owned() + &"a".repeat(70_000))),
        Verdict::Ask
    );
    let long = policy.findings(&("ls ".to_owned() + &"a".repeat(2_000_000)));
    assert_eq!(ids(&long), ["shell.too-long"]);
    assert_eq!(super::kit::worst(&long), Verdict::Deny);
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
fn tables_spell_options_alike() {
    let policy = Policy::deny(&[
        "rm -rf *",
        "git push --force *",
        "find * -delete",
        "git checkout -- *",
    ]);
    let lines = [
        "rm --recursive --force x",
        "rm -R x --forc",
        "rm --rec -f x",
        "git push -f",
        "git --no-pager push -f",
        "find . -name x -delete",
        "find -delete",
        "git checkout -- .",
        "git -C x checkout HEAD -- y",
    ];
    all(&policy, Verdict::Deny, &lines);
    let lines = [
        "rm -r x",
        "git push",
        "find . -name delete",
        "git checkout main",
        "git push --force-with-lease",
    ];
    all(&policy, Verdict::Default, &lines);
}

#[test]
fn a_directory_with_an_odd_name_is_asked_about() {
    for dir in ["~", "$HOME", "a\u{202e}b", "a\0b", "-"] {
        assert_eq!(everyday().in_dir("ls", dir), Verdict::Ask, "{dir:?}");
    }
    assert_eq!(everyday().in_dir("ls", "/anywhere"), Verdict::Allow);
}
