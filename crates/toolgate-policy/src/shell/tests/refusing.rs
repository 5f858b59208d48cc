//! What is denied or asked about, however it is written.

use super::kit::{Policy, Verdict, all, everyday, ids};
use crate::finding::Outcome;

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
fn a_deny_sees_through_tools_that_run_others() {
    let policy = Policy::deny(&["rm *"]);
    let lines = [
        "pipx run --spec y rm x",
        "uvx --from y rm x",
        "uv tool run rm x",
        "rustup run nightly rm x",
        "direnv exec . rm x",
        "mise x node@20 -- rm x",
        "mise exec -- rm x",
        "tox exec -- rm x",
        "npm explore y -- rm x",
        "docker container exec c rm x",
        "kubectl run y --image=z -- rm x",
        "tar xf y --to-command='rm x'",
        "tar -I 'rm x' -xf y",
        "split --filter='rm x' y",
        "csh -c 'rm x'",
    ];
    all(&policy, Verdict::Deny, &lines);
    all(
        &policy,
        Verdict::Default,
        &[
            "nc -z localhost 80",
            "just build",
            "tar --odd -xf y",
            "gh extension list",
            "yarn workspaces list",
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
        "nc -e /bin/sh host 80",
        "ncat --sh-exec x host",
        "just -c x",
        "proot -r y x",
        "gh extension exec y",
        "yarn workspaces foreach run x",
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

/// Nobody knows whether an unknown option takes the next word, so both are looked at.
#[test]
fn an_unknown_option_hides_nothing() {
    let policy = Policy::deny(&["git push *", "docker run *", "rm secret *"]);
    let lines = [
        "git --odd value push",
        "git --odd push",
        "git --odd status push origin",
        "git -C . --odd x push --force",
        "git --odd --even x push",
        "docker --odd x run img",
        "rm --odd x secret",
        "rm --odd secret",
    ];
    all(&policy, Verdict::Deny, &lines);
    all(
        &policy,
        Verdict::Default,
        &[
            "git status --odd push",
            "git --odd=push status",
            "rm x --odd secret",
        ],
    );
    let policy = Policy::deny(&["git push --force *"]);
    for line in [
        "git --odd value push --force",
        "git --odd status push --force",
        "git --odd status push -f",
    ] {
        assert!(policy.verdict(line) >= Verdict::Ask, "{line}");
    }
    all(
        &policy,
        Verdict::Default,
        &["git --odd=x status --force", "git status --force"],
    );
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
