//! Values that are easy to get wrong.

use super::*;
use crate::spec::{ExampleSpec, TestSpec};

#[test]
fn a_reason_may_have_lines_and_a_pattern_may_not() {
    let text = "[shell]\ndeny = [{ pattern = \"rm *\", reason = \"\"\"\nfirst\nsecond\"\"\" }]\n";
    let spec = right(text, Format::Toml);
    let rule = &spec.shell.unwrap().rules.deny[0];
    assert_eq!(rule.reason.as_ref().unwrap().value, "first\nsecond");
    assert_eq!(
        codes("{\"shell\":{\"deny\":[\"a\\u0000\"]}}", Format::Json),
        ["control-character"]
    );
    assert_eq!(
        codes("{\"shell\":{\"deny\":[\"a\\u001b\"]}}", Format::Json),
        ["control-character"]
    );
}

#[test]
fn secrets_and_examples_may_hold_anything() {
    let spec = right("secrets = [\"-----\\nkey\\n\", \" \"]\n", Format::Toml);
    assert_eq!(spec.secrets[0].value, "-----\nkey\n");
    assert_eq!(spec.secrets[1].value, " ");
    assert_eq!(codes("secrets = [\"\"]\n", Format::Toml), ["empty-string"]);
    let text =
        "[shell]\ndeny = [{ pattern = \"rm *\", match = [\"ls\\nrm x\"], no_match = [\"\"] }]\n";
    let rule = right(text, Format::Toml)
        .shell
        .unwrap()
        .rules
        .deny
        .remove(0);
    assert_eq!(
        rule.matches[0].value,
        ExampleSpec::Text("ls\nrm x".to_owned())
    );
    assert_eq!(rule.no_matches[0].value, ExampleSpec::Text(String::new()));
}

#[test]
fn several_tests_of_one_argument_all_have_to_hold() {
    let text = "tools.allow = [{ tool = \"t\", when.a = { prefix = \"x\", glob = \"*y\" } }]\n";
    let when = right(text, Format::Toml)
        .tools
        .unwrap()
        .rules
        .allow
        .remove(0)
        .when;
    let tests: Vec<_> = when.iter().map(|c| (&*c.at.value, &c.test.value)).collect();
    let (prefix, glob) = (TestSpec::Prefix("x".into()), TestSpec::Glob("*y".into()));
    assert_eq!(tests, [("a", &prefix), ("a", &glob)]);
}

#[test]
fn every_section_knows_where_it_is() {
    let spec = right(
        "[shell]\n[read]\n[tools]\n[fetch]\n[capabilities]\n",
        Format::Toml,
    );
    let line = |place: Option<crate::Place>| place.unwrap().line;
    assert_eq!(line(spec.shell.unwrap().rules.place), 1);
    assert_eq!(line(spec.read.unwrap().rules.place), 2);
    assert_eq!(line(spec.tools.unwrap().rules.place), 3);
    assert_eq!(line(spec.fetch.unwrap().rules.place), 4);
    assert_eq!(line(spec.capabilities.unwrap().place), 5);
}

#[test]
fn tools_may_be_called_like_our_own_words_if_they_are_tables() {
    let spec = right(
        "[tools.alow]\nkind = \"plain\"\n[tools.\"mcp:x/*\"]\n",
        Format::Toml,
    );
    let names: Vec<_> = spec.tools.unwrap().entries;
    assert_eq!(names[0].name.value, "alow");
    assert_eq!(names[1].name.value, "mcp:x/*");
    assert_eq!(
        codes("[tools.allow]\nkind = \"plain\"\n", Format::Toml),
        ["wrong-type"]
    );
}

#[test]
fn nothing_that_permits_has_a_default() {
    let spec = right("version = 1\n", Format::Toml);
    assert!(spec.default.is_none() && spec.mode.is_none() && spec.auto_allow_read_only.is_none());
    assert!(spec.trusted_servers.is_empty());
    for key in ["dangerous_wildcard", "when"] {
        let text = format!("[read]\nallow = [{{ pattern = \"a\", {key} = true }}]\n");
        assert_eq!(codes(&text, Format::Toml), ["unknown-key"], "{key}");
    }
}

#[test]
fn unused_dangerous_words_do_not_slip_in_by_case() {
    for text in [
        "Dangerous_Default_Allow = true\n",
        "default = \"Allow\"\n",
        "mode = \"Yolo\"\n",
        "dangerous-allow-all = true\n",
    ] {
        assert!(load("p", text, Format::Toml).is_err(), "{text}");
    }
}
