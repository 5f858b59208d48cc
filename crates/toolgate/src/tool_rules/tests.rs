use serde_json::json;

use super::*;
use crate::{Args, Effect, round::Token};

fn decide(rules: &ToolRules, tool: impl Into<ToolId>) -> Decision {
    rules.decide(
        &ToolCall::new(tool, Args::new().with("to", "a").with("n", 1)).review(Token(0, 0), 8),
    )
}

#[test]
fn of_all_entries_that_match_the_strictest_wins() {
    let rules = ToolRules::new([
        ("*", ToolConfig::undecided()),
        ("send_*", ToolConfig::pre_approved()),
        ("*_email", ToolConfig::needs_approval()),
        ("send_bulk_email", ToolConfig::blocked().because("spam")),
    ])
    .unwrap();
    assert_eq!(decide(&rules, "other").effect(), None);
    assert_eq!(decide(&rules, "send_sms").effect(), Some(Effect::Allow));
    assert_eq!(decide(&rules, "send_email").effect(), Some(Effect::Ask));
    let bulk = decide(&rules, "send_bulk_email");
    assert_eq!(bulk.effect(), Some(Effect::Deny));
    assert_eq!(bulk.votes()[0].reason(), Some("spam"));
    assert_eq!(
        bulk.votes()[0].rule().map(Rule::id),
        Some("send_bulk_email")
    );
}

#[test]
fn a_rule_for_own_tools_does_not_mean_those_of_a_server() {
    let rules = ToolRules::new([
        ("push", ToolConfig::pre_approved()),
        ("mcp:git*/push", ToolConfig::blocked()),
    ])
    .unwrap();
    assert_eq!(decide(&rules, "push").effect(), Some(Effect::Allow));
    assert_eq!(
        decide(&rules, ToolId::new("push").on_server("github")).effect(),
        Some(Effect::Deny)
    );
    assert_eq!(
        decide(&rules, ToolId::new("push").on_server("other")).effect(),
        None
    );
    assert_eq!(decide(&rules, "mcp:github/push").effect(), None);
}

#[test]
fn the_payload_is_what_the_entries_say() {
    let payload = |config: ToolConfig| {
        let rules = ToolRules::new([("t", config)]).unwrap();
        let payload = rules
            .of(&"t".into())
            .payload(&Args::new().with("to", "a").with("n", 1));
        serde_json::to_value(payload).unwrap()
    };
    assert_eq!(
        payload(ToolConfig::needs_approval()),
        json!({"to": "a", "n": 1})
    );
    assert_eq!(
        payload(ToolConfig::needs_approval().remember_by(["to", "cc"])),
        json!({"to": "a"})
    );
    assert_eq!(
        payload(ToolConfig::needs_approval().exclude_keys(["n"])),
        json!({"to": "a"})
    );
    assert_eq!(
        payload(ToolConfig::needs_approval().remember_by::<&str>([])),
        json!({})
    );
}

#[test]
fn calls_without_any_key_to_remember_by_are_not_all_one() {
    let rules =
        ToolRules::new([("t", ToolConfig::needs_approval().remember_by(["path"]))]).unwrap();
    let payload = |args: Args| rules.of(&"t".into()).payload(&args);
    let misspelt = Args::new().with("file", "notes.txt");
    assert_eq!(payload(misspelt.clone()), misspelt);
}

#[test]
fn a_key_that_one_entry_asks_for_is_kept_whatever_another_excludes() {
    let rules = ToolRules::new([
        ("t", ToolConfig::needs_approval().remember_by(["n"])),
        ("*", ToolConfig::undecided().exclude_keys(["n"])),
    ])
    .unwrap();
    let payload = rules
        .of(&"t".into())
        .payload(&Args::new().with("n", 1).with("x", 2));
    assert_eq!(payload, Args::new().with("n", 1));
}

#[test]
fn a_bad_table_names_the_entry() {
    let config = ToolConfig::blocked;
    for (entries, wrong) in [
        (vec![("", config())], ""),
        (vec![("a b", config())], "a b"),
        (vec![("mcp:x", config())], "mcp:x"),
        (vec![("t", config()), ("u", config()), ("t", config())], "t"),
        (
            vec![("t", config().remember_by(["k"]).exclude_keys(["k"]))],
            "t",
        ),
    ] {
        let error = ToolRules::new(entries).unwrap_err();
        assert_eq!(error.entry(), wrong);
        assert!(error.to_string().starts_with("tool rule `"), "{error}");
    }
}

#[test]
fn a_bad_file_is_refused() {
    let read = |json| serde_json::from_str::<ToolRules>(json).map_err(|error| error.to_string());
    assert!(read(r#"{"t": {"decision": "blocked", "capabilities": ["fs.read"]}}"#).is_ok());
    for (json, says) in [
        (r#"{"t": {"decision": "block"}}"#, "block"),
        (r#"{"t": {"preapproved": true}}"#, "preapproved"),
        (
            r#"{"t": {"decision": "blocked"}, "t": {}}"#,
            "tool rule `t`",
        ),
        (
            r#"{"t": {"decision": "blocked", "decision": "pre_approved"}}"#,
            "duplicate",
        ),
        (r#"{"t": {"capabilities": ["fs read"]}}"#, "fs read"),
        (r#"{"t[": {}}"#, "t["),
        ("[]", "a table of rules"),
    ] {
        let error = read(json).unwrap_err();
        assert!(error.contains(says), "{json}: {error}");
    }
}

#[test]
fn an_override_means_the_tool_whatever_its_definition() {
    let rules = ToolRules::default();
    let tool = ToolId::new("t").on_server("s");
    rules.require_for(tool.clone());
    let defined = tool
        .clone()
        .defined_as(crate::DefinitionDigest::new([1; 32]));
    assert_eq!(decide(&rules, defined).effect(), Some(Effect::Ask));
    assert_eq!(decide(&rules, "t").effect(), None);
    rules.clear_override(tool.clone());
    assert_eq!(decide(&rules, tool).effect(), None);
}
