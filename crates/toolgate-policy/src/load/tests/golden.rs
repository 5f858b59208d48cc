//! What is said about a text, to the letter.
//!
//! `golden/*.txt` hold texts and what is said about them. With `TOOLGATE_BLESS` set they are
//! written anew, to be read before they are committed.

use std::{fmt::Write, fs, path::Path};

use super::*;

const HEAD: &str = "################ ";
const SAID: &str = "---------------- says";

fn format(name: &str) -> Format {
    match name {
        "toml" => Format::Toml,
        "json" => Format::Json,
        "yaml" => Format::Yaml,
        other => panic!("{other} is no format"),
    }
}

/// A file with every answer worked out anew.
fn answered(file: &str) -> String {
    let mut out = String::new();
    for case in file.split(HEAD).skip(1) {
        let (name, rest) = case.split_once('\n').unwrap();
        let text = rest.split(SAID).next().unwrap();
        let format = format(name);
        let said = match load(&format!("policy.{name}"), text, format) {
            Ok(loaded) => loaded.notes,
            Err(wrong) => wrong,
        };
        let _ = write!(out, "{HEAD}{name}\n{text}{SAID}\n{said}\n\n");
    }
    out
}

fn check(name: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/load/tests/golden")
        .join(name);
    let file = fs::read_to_string(&path).unwrap();
    let answered = answered(&file);
    if std::env::var_os("TOOLGATE_BLESS").is_some() {
        fs::write(&path, &answered).unwrap();
    }
    assert!(
        file == answered,
        "{name} says something else now:\n{answered}"
    );
}

#[test]
fn keys_and_values() {
    check("values.txt");
}

#[test]
fn syntax() {
    check("syntax.txt");
}

#[test]
fn policies() {
    check("policies.txt");
}

#[test]
fn colours_are_for_terminals_only() {
    let wrong = load("p.toml", "shel = 1\n", Format::Toml).unwrap_err();
    assert!(!wrong.to_string().contains('\u{1b}'));
    assert_eq!(wrong.render(false), wrong.to_string());
    assert_eq!(
        wrong.render(true),
        "\u{1b}[1;31merror[unknown-key]\u{1b}[0m\u{1b}[1m: unknown key `shel`\u{1b}[0m\n \
         \u{1b}[1;34m-->\u{1b}[0m p.toml:1:1\n  \u{1b}[1;34m|\u{1b}[0m\n\
         \u{1b}[1;34m1 |\u{1b}[0m shel = 1\n  \u{1b}[1;34m|\u{1b}[0m \
         \u{1b}[1;31m^^^^ did you mean `shell`?\u{1b}[0m\n\n1 error"
    );
}

#[test]
fn nothing_in_a_file_reaches_the_terminal_as_it_is() {
    let text = "\"a\u{1b}[2J\u{202e}b\" = 1 # \u{9b}31m\u{7f}\n";
    for format in [Format::Toml, Format::Yaml, Format::Json] {
        let wrong = load("p\u{1b}[1m", text, format).unwrap_err();
        let odd = |c: &char| !(*c == ' ' || *c == '\n' || c.is_ascii_graphic());
        let said = wrong.to_string();
        assert_eq!(said.chars().find(odd), None, "{said:?}");
    }
}

#[test]
fn secrets_are_not_shown() {
    for (text, format) in [
        ("secrets = [\"sk-live-1\", 3]\n", Format::Toml),
        ("secret = [\"sk-live-1\"]\n", Format::Toml),
        ("{\"shel\":1,\"secrets\":[\"sk-live-1\"]}", Format::Json),
        ("{shel: 1, secrets: [sk-live-1]}", Format::Yaml),
    ] {
        let said = load("p", text, format).unwrap_err();
        assert!(!said.to_string().contains("sk-live-1"), "{said}");
        assert!(!format!("{said:?}").contains("sk-live-1"), "{said:?}");
    }
    let spec = right("secrets = [\"sk-live-1\"]\n", Format::Toml);
    assert!(!format!("{spec:?}").contains("sk-live-1"), "{spec:?}");
}

#[test]
fn a_long_line_is_shown_in_part() {
    let text = format!("{{\"a\":\"{}\",\"b\":1}}", "x".repeat(10_000));
    let said = load("p.json", &text, Format::Json).unwrap_err().to_string();
    assert!(
        said.lines().all(|line| line.chars().count() < 140),
        "{said}"
    );
    assert!(said.contains("\"b\":1}"), "{said}");
    let mark = |line: &str| line.contains("^^^") && !line.contains('x');
    assert!(said.lines().any(mark), "{said}");
}
