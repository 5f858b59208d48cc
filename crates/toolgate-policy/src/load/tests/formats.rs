//! The same policy in three formats.

use super::*;

const TOML: &str = r#"
#:schema ./toolgate.schema.json
version = 1
default = "ask"
deadline = "1h30m"

[shell]
allow = [
    "git status *",
    { pattern = "cargo *", id = "cargo", reason = "builds", match = ["cargo test"], expires = 2026-12-31 },
]
workspace_only = true

[[tools.allow]]
tool = "delete_item"
when = { id = { eq = 1 }, "/a/b" = { one_of = [true, "no", 1.5] }, n = { min = 1, max = 5 } }
match = [{ id = 1, deep = [{ x = "y" }] }]

[tools.send_email]
decision = "needs_approval"
remember_by = ["to"]

[env.ci]
mode = "strict"
"#;

const JSON: &str = r#"{
  "$schema": "./toolgate.schema.json",
  "version": 1, "default": "ask", "deadline": "1h30m",
  "shell": {
    "allow": ["git status *", { "pattern": "cargo *", "id": "cargo", "reason": "builds",
      "match": ["cargo test"], "expires": "2026-12-31" }],
    "workspace_only": true },
  "tools": {
    "allow": [{ "tool": "delete_item",
      "when": { "id": { "eq": 1 }, "/a/b": { "one_of": [true, "no", 1.5] },
        "n": { "min": 1, "max": 5 } },
      "match": [{ "id": 1, "deep": [{ "x": "y" }] }] }],
    "send_email": { "decision": "needs_approval", "remember_by": ["to"] } },
  "env": { "ci": { "mode": "strict" } }
}"#;

const YAML: &str = r#"
$schema: ./toolgate.schema.json
version: 1
default: ask
deadline: 1h30m
shell:
  allow:
    - git status *
    - pattern: cargo *
      id: cargo
      reason: builds
      match: [cargo test]
      expires: 2026-12-31
  workspace_only: true
tools:
  allow:
    - tool: delete_item
      when:
        id: { eq: 1 }
        /a/b: { one_of: [true, "no", 1.5] }
        n: { min: 1, max: 5 }
      match: [{ id: 1, deep: [{ x: y }] }]
  send_email:
    decision: needs_approval
    remember_by: [to]
env:
  ci:
    mode: strict
"#;

/// What a policy says, without where it says so.
pub(super) fn without_places(spec: &PolicySpec) -> String {
    let all = format!("{spec:?}");
    let mut parts = all.split("place: Place {");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.split_once('}').unwrap().1;
    }
    // Sections keep their place too.
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("Place {") {
        out += before;
        rest = after.split_once('}').unwrap().1;
    }
    out + rest
}

#[test]
fn all_formats_say_the_same() {
    let toml = without_places(&right(TOML, Format::Toml));
    assert!(
        toml.contains("delete_item") && toml.contains("2027-01-01T00:00:00Z"),
        "{toml}"
    );
    assert_eq!(toml, without_places(&right(JSON, Format::Json)));
    assert_eq!(toml, without_places(&right(YAML, Format::Yaml)));
}

#[test]
fn the_format_of_a_text_is_guessed() {
    assert_eq!(Format::guess(TOML), Format::Toml);
    assert_eq!(Format::guess(JSON), Format::Json);
    assert_eq!(Format::guess(YAML), Format::Yaml);
    assert_eq!(Format::guess("[shell]\ndeny = []"), Format::Toml);
    assert_eq!(Format::guess("[[shell.allow]] # x\n"), Format::Toml);
    assert_eq!(Format::guess("[\"a\"]"), Format::Json);
    assert_eq!(Format::guess("shell:\n  deny: []"), Format::Yaml);
    assert_eq!(Format::guess("a: b=c"), Format::Yaml);
    assert_eq!(Format::guess("a = \"b: c\""), Format::Toml);
    assert_eq!(Format::guess("---\na: 1"), Format::Yaml);
    assert_eq!(Format::guess("null"), Format::Json);
    assert_eq!(Format::guess(""), Format::Toml);
}

#[test]
fn places_are_those_of_the_file() {
    for (text, format, line, column) in [
        (
            "default = \"ask\"\n\n[shell]\n  deny = [\"é\", \"rm *\"]\n",
            Format::Toml,
            4,
            16,
        ),
        (
            "{\"shell\":\n {\"deny\": [\"é\", \"rm *\"]}}",
            Format::Json,
            2,
            17,
        ),
        (
            "# é\r\nshell:\r\n  deny:\r\n    - é\r\n    - rm *\r\n",
            Format::Yaml,
            5,
            7,
        ),
    ] {
        let spec = right(text, format);
        let rule = &spec.shell.as_ref().unwrap().rules.deny[1];
        let place = &rule.pattern.place;
        assert_eq!((place.line, place.column), (line, column), "{format:?}");
        let length = if format == Format::Yaml { 4 } else { 6 };
        assert_eq!(place.length, length, "{format:?}");
        assert_eq!(&*place.file, "policy");
    }
}

#[test]
fn an_empty_table_is_a_policy_if_it_is_written() {
    assert!(load("p", "{}", Format::Json).is_ok());
    assert!(load("p", "{}", Format::Yaml).is_ok());
    for format in [Format::Toml, Format::Json, Format::Yaml] {
        for text in ["", " \n\t\r\n", "\u{feff}", "\u{feff}default = \"ask\""] {
            assert!(load("p", text, format).is_err(), "{format:?} {text:?}");
        }
    }
    for text in ["# nothing\n", "---\n", "null\n", "~", "...\n"] {
        assert!(load("p", text, Format::Yaml).is_err(), "{text:?}");
        assert!(load("p", text, Format::Toml).is_err(), "{text:?}");
    }
}

#[test]
fn numbers_keep_their_type() {
    use crate::spec::TestSpec;
    let eq = |text: &str, format| {
        let spec = right(text, format);
        spec.tools.unwrap().rules.allow[0].when[0]
            .test
            .value
            .clone()
    };
    let toml = |n: &str| format!("tools.allow = [{{ tool = \"t\", when.a.eq = {n} }}]\n");
    let json = |n: &str| {
        format!(
            "{{\"tools\":{{\"allow\":[{{\"tool\":\"t\",\"when\":{{\"a\":{{\"eq\":{n}}}}}}}]}}}}"
        )
    };
    for (written, value) in [
        ("1", serde_json::json!(1)),
        ("1.0", serde_json::json!(1.0)),
        ("-5", serde_json::json!(-5)),
        (
            "9007199254740993",
            serde_json::json!(9_007_199_254_740_993_u64),
        ),
        ("\"1\"", serde_json::json!("1")),
        ("true", serde_json::json!(true)),
    ] {
        let expected = TestSpec::Eq(value);
        assert_eq!(eq(&toml(written), Format::Toml), expected, "{written}");
        assert_eq!(eq(&json(written), Format::Json), expected, "{written}");
        assert_eq!(eq(&json(written), Format::Yaml), expected, "{written}");
    }
    assert_eq!(eq(&toml("0xff"), Format::Toml), TestSpec::Eq(255.into()));
    assert_eq!(eq(&json("0xff"), Format::Yaml), TestSpec::Eq(255.into()));
    for odd in ["inf", "nan", "99999999999999999999"] {
        assert!(load("p", &toml(odd), Format::Toml).is_err(), "{odd}");
    }
    for odd in [
        "1e999",
        "99999999999999999999",
        "01",
        "+1",
        "1.",
        ".5",
        "0x1",
        "NaN",
    ] {
        assert!(load("p", &json(odd), Format::Json).is_err(), "{odd}");
    }
    for odd in [".inf", "99999999999999999999", "01"] {
        assert!(load("p", &json(odd), Format::Yaml).is_err(), "{odd}");
    }
}
