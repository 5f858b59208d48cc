use super::*;

#[track_caller]
fn assert_odd(paths: &[&str], expected: Odd) {
    for path in paths {
        assert!(
            of_path(path).contains(&expected),
            "{path:?}: {:?}",
            of_path(path)
        );
    }
}

#[test]
fn odd_spellings_are_seen() {
    assert_odd(&[""], Odd::Empty);
    assert_odd(&[&"a/".repeat(3_000), &"a".repeat(256)], Odd::TooLong);
    assert_odd(
        &[
            "a\0",
            "a\n",
            "a\u{1b}[2K",
            "a\u{7f}",
            "a\u{85}",
            "a\u{200b}",
            "a\u{202e}b",
            "a\u{feff}",
            "a\u{ad}",
            "a\u{e0041}",
            "a\u{2028}",
            "a\u{a0}",
            "a\u{fffd}",
            "a\u{3164}",
            ".env\u{fe0f}",
            "a\u{200d}",
            "a\u{e000}",
        ],
        Odd::Character,
    );
    assert_odd(
        &[
            "\u{ff0e}env",
            "a\u{2024}",
            "a\u{2026}",
            "a\u{2215}b",
            "a\u{ff0f}b",
            "a\u{2044}b",
            "a\u{ff3c}b",
            "a\u{ff1a}b",
            "a\u{3002}",
        ],
        Odd::LookAlike,
    );
    assert_odd(
        &[
            "..\\x",
            "\\\\evil\\x",
            "C:x",
            "C:/x",
            "c:\\x",
            "\\\\?\\C:\\w",
        ],
        Odd::Separator,
    );
    assert_odd(
        &[
            "a ", "a.", "a/b./c", "a /b", "...", " a", "a::$DATA", "a:$I30/x", "a/NUL", "con.txt",
            "COM1", "aux", "a/..;/b", "..+",
        ],
        Odd::Name,
    );
    assert_odd(
        &["GIT~1/config", "a/PROGRA~1", "SETTIN~1.JSO", "a~2"],
        Odd::ShortName,
    );
    assert_odd(
        &[
            "~",
            "~/x",
            "~root/x",
            "a/~/b",
            "$HOME/x",
            "a/${X}",
            "$(id)",
            "`id`",
            "%TEMP%/x",
            "$env:TEMP/x",
            "$home/x",
            "a/*",
            "a?",
            "{a,b}",
        ],
        Odd::NotLiteral,
    );
    assert_odd(
        &[
            "file:///x",
            "FILE:/x",
            "https://x",
            "%2e%2e/x",
            "a%2Fb",
            "a%5cb",
            "a%00",
            "a%252e",
            "a%65",
            "..%c0%af",
            "%e0%80%af",
            "%u002e",
            "%U002F",
        ],
        Odd::Encoded,
    );
}

#[test]
fn ordinary_names_are_not_odd() {
    let ordinary = [
        "src/lib.rs",
        "./a/../b",
        "docs/a b c.md",
        "-rf",
        "a#b%20c+d.txt",
        ".hidden",
        "a~",
        "#a#",
        "..a",
        "a..b",
        "100%",
        "50%-off",
        "[id].tsx",
        "[...slug].tsx",
        "$slug.tsx",
        "blog.$id.tsx",
        "a$b",
        "@scope/x",
        "ab:c",
        "10:00:00.log",
        "na\u{ef}ve.md",
        "e\u{301}.md",
        "\u{8cc7}\u{6599}\u{ff11}.md",
        "a(1).txt",
        "a=b,c;d'e\"f!.txt",
        "{a}",
        "C",
        "a/b/",
        "/",
        "file",
        "files:x",
        "control",
        "com",
        "com10",
        "auxiliary",
        "\u{2699}\u{fe0f}.md",
        "\u{1f468}\u{200d}\u{1f469}.md",
        "%C3%A9",
        "..a",
        "caf%c3%a9",
    ];
    for path in ordinary {
        assert_eq!(of_path(path).as_slice(), [], "{path:?}");
    }
}

#[test]
fn devices_and_processes_are_special() {
    for path in [
        "/proc/self/root/x",
        "/proc/1/environ",
        "/proc/thread-self/fd/3",
        "/dev/fd/0",
        "/dev/stdin",
        "/dev/tcp/x/1",
    ] {
        assert_eq!(of_place(path), Some(Odd::Special), "{path}");
    }
    for path in [
        "/proc/cpuinfo",
        "/dev/null",
        "/dev/shm/x",
        "/w/proc/self/x",
        "/dev",
        "",
    ] {
        assert_eq!(of_place(path), None, "{path}");
    }
}
