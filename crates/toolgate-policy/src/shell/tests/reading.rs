//! How lines are read.

use crate::shell::{
    line::{Dialect, Kind, ProblemKind},
    parse::parse,
};

/// The commands of a line as lists of words; a word that is not literal is shown as `?`.
fn commands(text: &str) -> Vec<Vec<String>> {
    let line = parse(text, Dialect::Bash);
    let show = |word: &crate::shell::line::Word<'_>| match word.kind {
        Kind::Opaque => "?".to_owned(),
        _ => word.text.clone().into_owned(),
    };
    line.commands
        .iter()
        .map(|command| line.words(command).iter().map(show).collect())
        .collect()
}

fn problem(text: &str) -> Option<ProblemKind> {
    parse(text, Dialect::Bash)
        .problem
        .map(|problem| problem.kind)
}

#[track_caller]
fn reads(text: &str, expected: &[&[&str]]) {
    assert_eq!(problem(text), None, "{text:?}");
    assert_eq!(commands(text), expected, "{text:?}");
}

#[test]
fn quotes_and_escapes_are_taken_off() {
    reads("r\"\"m -rf build", &[&["rm", "-rf", "build"]]);
    reads("r\\m 'a b'\"c d\"e\\ f", &[&["rm", "a bc de f"]]);
    reads("echo '' \"\"", &[&["echo", "", ""]]);
    reads(
        "echo \"a\\\"b\\\\c\\$d\\`e\\n\"",
        &[&["echo", "a\"b\\c$d`e\\n"]],
    );
    reads("grep \"foo$\" f", &[&["grep", "foo$", "f"]]);
    reads(
        "git commit -m 'it'\\''s'",
        &[&["git", "commit", "-m", "it's"]],
    );
    reads(
        "git commit -m \"a\nb\"",
        &[&["git", "commit", "-m", "a\nb"]],
    );
}

#[test]
fn operators_part_commands() {
    reads(
        "a&&b||c;d&e|f|&g\nh",
        &[
            &["a"],
            &["b"],
            &["c"],
            &["d"],
            &["e"],
            &["f"],
            &["g"],
            &["h"],
        ],
    );
    reads("a &&\n\nb\n\n", &[&["a"], &["b"]]);
    reads("a;\nb &\nc", &[&["a"], &["b"], &["c"]]);
    reads("rm\\\n -rf", &[&["rm", "-rf"]]);
    reads("\tls \t -la ", &[&["ls", "-la"]]);
}

#[test]
fn plain_signs_stay() {
    reads(
        "echo foo#bar a~b HEAD^ stash@{0} {} a:b 100% x=y !",
        &[&[
            "echo",
            "foo#bar",
            "a~b",
            "HEAD^",
            "stash@{0}",
            "{}",
            "a:b",
            "100%",
            "x=y",
            "!",
        ]],
    );
    reads("[ -f x ]", &[&["[", "-f", "x", "]"]]);
    reads("ls src/*.rs", &[&["ls", "src/*.rs"]]);
}

#[test]
fn redirections_are_no_words() {
    for text in [
        "ls 2>&1",
        "ls >/dev/null 2>&1",
        "2>/dev/null ls",
        "ls &>/dev/null",
        "ls >&2",
        "ls </dev/null",
        "ls 2>&-",
    ] {
        reads(text, &[&["ls"]]);
    }
    reads("ls a2>x", &[&["ls", "a2"]]);
    reads("ls 2 >x", &[&["ls", "2"]]);
    reads("ls \\2>x", &[&["ls", "2"]]);
}

#[test]
fn what_is_not_literal_has_its_reason() {
    use ProblemKind::*;
    for (text, kind) in [
        ("echo $x", Expansion),
        ("echo \"$x\"", Expansion),
        ("echo $'x'", Expansion),
        ("echo $", Expansion),
        ("echo ${x}", Substitution),
        ("echo $(x)", Substitution),
        ("echo `x`", Substitution),
        ("cat <(x)", Substitution),
        ("{a,b}", Brace),
        ("echo {1..3}", Brace),
        ("echo a{b,c}d", Brace),
        ("echo ~", Tilde),
        ("echo a=~/x", Tilde),
        ("echo a:~", Tilde),
        ("l* -l", Glob),
        ("ls *", Glob),
        ("ls -*", Glob),
        ("echo > x*", Glob),
        ("time l*", Glob),
        ("ls # x", Comment),
        ("cat <<E\nE", Here),
        ("cat <<<x", Here),
        ("a &\\\n>x b", Continuation),
        ("a ;&>x b", MissingCommand),
        ("ls 2>&\\-", Redirect),
        ("ls >&'2'", Redirect),
        ("}\\\n", Keyword),
        ("%1", Keyword),
        ("'%x' y", Keyword),
        ("(ls)", Group),
        ("f() { x; }", Group),
        ("a=(b)", Group),
        ("echo @(a)", Group),
        ("if x; then y; fi", Keyword),
        ("! ls", Keyword),
        ("{ ls; }", Keyword),
        ("[[ a ]]", Keyword),
        ("time ! ls", Keyword),
        ("coproc ls", Keyword),
        ("for x in y; do z; done", Keyword),
        ("ls\r", OddCharacter),
        ("ls\u{a0}x", OddCharacter),
        ("ls\u{2028}x", OddCharacter),
        ("ls \u{0}", OddCharacter),
        ("echo '\u{1b}'", OddCharacter),
        ("echo \"\u{202e}\"", OddCharacter),
        ("echo \\\u{7}", OddCharacter),
        ("echo 'x", Unfinished),
        ("echo \"x", Unfinished),
        ("echo \\", Unfinished),
        ("ls &&", MissingCommand),
        ("&& ls", MissingCommand),
        ("ls &&& x", MissingCommand),
        ("ls;;x", MissingCommand),
        ("ls |", MissingCommand),
        ("; ls", MissingCommand),
        ("ls & ; x", MissingCommand),
        ("ls | | x", MissingCommand),
        ("ls >", Redirect),
        ("ls > ;", Redirect),
        ("ls 22>x", Redirect),
        ("ls {x}>y", Redirect),
        ("ls <&x", Redirect),
        ("ls > > x", Redirect),
        ("e\\\ncho", Continuation),
        ("ls >\\\nx", Continuation),
    ] {
        let found = problem(text);
        assert_eq!(found, Some(kind), "{text:?}");
    }
}

#[test]
fn commands_are_seen_wherever_they_are() {
    for text in [
        "echo $(rm x)",
        "echo `rm x`",
        "echo \"$(rm x)\"",
        "cat <(rm x)",
        "(rm x)",
        "{ rm x; }",
        "! rm x",
        "if true; then rm x; fi",
        "while rm x; do y; done",
        "for i in a; do rm x; done",
        "f() { rm x; }",
        "function f { rm x; }",
        "coproc rm x",
        "echo ${y:-$(rm x)}",
        "echo $((1)); rm x",
        "case a in a) rm x;; esac",
        "cat <<E\na\nE\nrm x",
        "cat <<E\n$(rm x)\nE",
        "cat <<'E' | y\n$(a)\nE\nrm x",
        "# a\nrm x",
        "echo $(echo $(rm x))",
        "echo \"a`rm x`b\"",
        "ls > $(rm x)",
        "echo ${ rm x; }",
        "a=$(rm x)",
        "ls &&& rm x",
        "a=(b); rm x",
        "time if rm x; then y; fi",
        "select i in a; do rm x; done",
        "ls\r; rm x",
        "echo 'a\\'; rm x; echo '",
    ] {
        assert!(
            problem(text).is_some() || text.contains("echo 'a"),
            "{text:?}"
        );
        let found = commands(text)
            .iter()
            .any(|words| words.windows(2).any(|pair| pair == ["rm", "x"]));
        assert!(found, "{text:?}: {:?}", commands(text));
    }
}

#[test]
fn words_go_on_behind_a_substitution() {
    let all = commands("rm $(ls) -rf");
    assert!(
        all.contains(&vec!["rm".to_owned(), "?".to_owned(), "-rf".to_owned()]),
        "{all:?}"
    );
}

#[test]
fn depth_and_length_do_no_harm() {
    for text in [
        "$(".repeat(100_000),
        "(".repeat(100_000),
        "`".repeat(100_001),
        "'".repeat(100_001),
        "${".repeat(100_000),
        "\"$(".repeat(50_000),
        "<<A\n".repeat(50_000),
        "a;".repeat(100_000),
        "{ ".repeat(100_000),
    ] {
        let _ = parse(&text, Dialect::Bash);
    }
}
