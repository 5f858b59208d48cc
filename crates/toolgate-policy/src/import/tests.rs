//! Configurations, what becomes of them, and what is lost.

use std::fmt::Write;

use super::*;
use crate::{Format, load::load, spec::PolicySpec};

/// The examples of the manual, put together.
const EXAMPLE: &str = r#"
sandbox:
  paths:
    output:
      root: ./output
      mode: rw
      write_approval: true  # Writes require approval
    documents:
      root: ./docs
      mode: ro
      read_approval: true
custom_tools:
  - calculate_fibonacci
  - send_notification
shell_default:
  allowed: false
  approval_required: true
shell_rules:
  - pattern: "git status"
    allowed: true
    approval_required: false
  - pattern: "git commit"
    allowed: true
    approval_required: true
"#;

fn imported(yaml: &str) -> Imported {
    match import_llm_do("worker.yaml", yaml) {
        Ok(imported) => imported,
        Err(wrong) => panic!("{wrong}"),
    }
}

fn spec(yaml: &str) -> PolicySpec {
    let toml = imported(yaml).toml;
    load("policy.toml", &toml, Format::Toml).unwrap().spec
}

/// What a shell section says, in one line.
fn shell(yaml: &str) -> String {
    let shell = spec(yaml).shell.unwrap_or_default().rules;
    let list = |rules: &[crate::spec::RuleSpec]| {
        let one = |rule: &crate::spec::RuleSpec| {
            let except = rule.except.iter().map(|p| p.value.as_str());
            let except: Vec<_> = except.collect();
            match except.is_empty() {
                true => rule.pattern.value.clone(),
                false => format!("{} but {}", rule.pattern.value, except.join(", ")),
            }
        };
        rules.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    format!(
        "allow [{}] ask [{}] deny [{}]",
        list(&shell.allow),
        list(&shell.ask),
        list(&shell.deny)
    )
}

fn rules(list: &[(&str, bool, bool)]) -> String {
    let mut yaml = "shell_rules:\n".to_owned();
    for (pattern, allowed, approval) in list {
        let rule = format!("pattern: \"{pattern}\", allowed: {allowed}");
        let _ = writeln!(yaml, "  - {{ {rule}, approval_required: {approval} }}");
    }
    yaml
}

#[test]
fn the_examples_of_the_manual() {
    assert_eq!(
        imported(EXAMPLE).toml,
        r#"# Imported from the configuration of llm-do.
version = 1
default = "deny"
workspace = "."

[shell]
allow = [
    "git status *",
]
ask = [
    "git commit *",
]

[read]
allow = [
    "output/**",
]
ask = [
    "docs/**",
]
deny = [
    { pattern = "/**", except = ["output/**", "docs/**"], reason = "outside of every sandbox" },
]

[write]
ask = [
    "output/**",
]
deny = [
    { pattern = "/**", except = ["output/**"], reason = "outside of every sandbox that may be written" },
]

[tools]
ask = [
    "calculate_fibonacci",
    "send_notification",
    "worker_call",
    "worker_create",
]
"#
    );
}

#[test]
fn losses_are_told_with_their_places() {
    let losses = imported(EXAMPLE).losses;
    let told: Vec<_> = losses
        .iter()
        .map(|loss| format!("{} {}: {}", loss.place.line, loss.code, loss.message))
        .collect();
    assert_eq!(
        told,
        [
            "8 sandbox-name: paths that began with `documents` have to begin with `./docs`",
            "11 read-approval: every reading of `documents` is asked about",
            "13 custom-tool: `calculate_fibonacci` is asked about",
            "14 custom-tool: `send_notification` is asked about",
        ]
    );
    assert!(!losses.has_errors());
}

#[test]
fn the_default_is_that_of_the_shell() {
    let default = |yaml: &str| imported(yaml).toml.lines().nth(2).unwrap().to_owned();
    assert_eq!(default("shell_rules: []\n"), "default = \"ask\"");
    assert_eq!(default("shell_default: {}\n"), "default = \"ask\"");
    assert_eq!(
        default("shell_default: { allowed: false }\n"),
        "default = \"deny\""
    );
    let open = "shell_default: { allowed: true, approval_required: false }\n";
    assert_eq!(default(open), "default = \"ask\"", "never more than asked");
    assert_eq!(
        imported(open).losses.iter().next().unwrap().code,
        "open-default"
    );
}

#[test]
fn what_is_not_said_of_a_rule_or_a_path_is_as_it_was_there() {
    assert_eq!(
        shell("shell_rules: [{ pattern: ls }]\n"),
        "allow [] ask [ls *] deny []"
    );
    let path = imported("sandbox: { paths: { data: { root: data } } }\n").toml;
    assert!(
        path.contains("[read]\nallow = [\n    \"data/**\""),
        "{path}"
    );
    assert!(path.contains("[write]\ndeny"), "{path}");
}

#[test]
fn the_first_rule_that_matches_decides_as_it_did_there() {
    let earlier_is_looser = rules(&[("git status", true, false), ("git", false, true)]);
    assert_eq!(
        shell(&earlier_is_looser),
        "allow [git status *] ask [] deny [git * but git status *]"
    );
    let asked = rules(&[("git log", true, false), ("git", true, true)]);
    assert_eq!(
        shell(&asked),
        "allow [git log *] ask [git * but git log *] deny []"
    );
}

#[test]
fn a_rule_that_never_came_to_anything_permits_nothing_here() {
    let never = rules(&[("rm", false, true), ("rmdir", true, false)]);
    assert_eq!(shell(&never), "allow [] ask [] deny [rm *]");
    let stricter = rules(&[("git", true, false), ("git push", false, true)]);
    assert_eq!(shell(&stricter), "allow [git *] ask [] deny [git push *]");
}

/// There `git push` also stood for `git pushx`, which `git *` would let through here.
#[test]
fn a_looser_rule_around_a_stricter_one_is_asked_about() {
    let around = rules(&[("git push", false, true), ("git", true, false)]);
    assert_eq!(shell(&around), "allow [] ask [git *] deny [git push *]");
}

#[test]
fn a_rule_with_conditions_that_cannot_be_said_is_asked_about() {
    let yaml = "shell_rules: [{ pattern: stat, approval_required: false, sandbox_paths: [a] }]\n";
    assert_eq!(shell(yaml), "allow [] ask [stat *] deny []");
}

#[test]
fn a_restriction_that_cannot_be_said_is_not_dropped_in_silence() {
    let wrong = import_llm_do("w.yaml", &rules(&[("rm $HOME", false, true)])).unwrap_err();
    assert!(
        wrong.to_string().contains("cannot be carried over"),
        "{wrong}"
    );
    let permission = imported(&rules(&[("ls $HOME", true, false)]));
    assert!(!permission.toml.contains("[shell]"), "{}", permission.toml);
}

#[test]
fn roots_that_are_no_plain_paths_are_left_out() {
    for root in ["../up", "~/x", "a*b", "$HOME"] {
        let yaml = format!("sandbox: {{ paths: {{ d: {{ root: \"{root}\", mode: rw }} }} }}\n");
        let imported = imported(&yaml);
        assert!(!imported.toml.contains("allow"), "{root}");
        assert_eq!(
            imported.losses.iter().next().unwrap().code,
            "sandbox",
            "{root}"
        );
    }
    let dot = imported("sandbox: { paths: { d: { root: ., suffixes: [.md] } } }\n");
    assert!(dot.toml.contains("\"**/*.md\""), "{}", dot.toml);
    let absolute = imported("sandbox: { paths: { d: { root: /data/ } } }\n");
    assert!(absolute.toml.contains("\"/data/**\""), "{}", absolute.toml);
}

#[test]
fn what_has_nothing_to_do_with_approval_is_noted() {
    let losses = imported("model: gpt\nshell_default: {}\n").losses;
    assert_eq!(losses.iter().next().unwrap().code, "not-carried-over");
}

#[test]
fn mistakes_are_refused() {
    for (yaml, code) in [
        ("shell_rule: []\n", "unknown-key"),
        ("shell_rules: [{ patern: x }]\n", "unknown-key"),
        ("shell_rules: [{ allowed: true }]\n", "missing-key"),
        ("shell_rules: [{ pattern: \"\" }]\n", "empty-string"),
        ("shell_rules: [{ pattern: x, allowed: no }]\n", "wrong-type"),
        ("shell_rules: [x]\n", "wrong-type"),
        ("sandbox: { paths: { a: {} } }\n", "missing-key"),
        (
            "sandbox: { paths: { a: { root: x, mode: w } } }\n",
            "unknown-word",
        ),
        ("a: 1\na: 2\n", "duplicate-key"),
        ("", "empty"),
    ] {
        let wrong = import_llm_do("worker.yaml", yaml).unwrap_err();
        assert!(wrong.iter().any(|d| d.code == code), "{yaml}: {wrong}");
    }
}

#[test]
fn strings_survive_being_written() {
    for text in [
        "a\"b",
        "a\\b",
        "ü",
        "a'b",
        "tab\there",
        "nul\u{0}",
        "\u{7f}",
    ] {
        let toml = format!("a = {}", write::string(text));
        let table: toml::Table = toml.parse().unwrap();
        assert_eq!(table["a"].as_str(), Some(text));
    }
}

/// A policy that cannot be used is no policy: its patterns are looked at as well.
#[test]
fn a_root_that_no_pattern_can_name_is_refused() {
    let yaml = "sandbox:\n  paths:\n    a: {root: x./a, mode: rw}\n";
    let wrong = import_llm_do("worker.yaml", yaml).unwrap_err();
    assert!(wrong.has_errors(), "{wrong}");
}
