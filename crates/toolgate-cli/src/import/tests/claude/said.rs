//! What can be said, and what is reported.

use serde_json::json;
use toolgate::Effect;

use crate::import::{
    System,
    tests::kit::{Act, effect, imported, policy},
};

#[test]
fn what_can_be_said_is_said() {
    let config = r#"{"permissions": {
        "allow": ["Bash(npm run test:*)", "Read(~/.zshrc)", "Edit(src/**)", "mcp__a__b",
                  "WebFetch(domain:docs.rs)", "WebSearch"],
        "ask": ["Bash(git push *)"],
        "deny": ["Read(.env)", "Bash(rm -rf:*)", "Agent(Explore)"],
        "defaultMode": "dontAsk"}}"#;
    let imported = imported(System::Claude, config);
    let told: Vec<_> = imported.losses.iter().map(|loss| &*loss.what).collect();
    assert_eq!(
        told,
        [] as [&str; 0],
        "no word about commands that print `.env`: they are denied"
    );
    // Nobody is asked, whatever a rule says.
    assert!(imported.toml.contains("mode = \"strict\""));
    let policy = policy(&imported);
    for (act, wanted) in [
        (Act::Run("npm run test"), Effect::Allow),
        (Act::Run("git push"), Effect::Ask),
        (Act::Run("sudo rm -rf /"), Effect::Deny),
        (Act::Run("make"), Effect::Deny),
        (Act::Read("/home/u/.zshrc"), Effect::Allow),
        (Act::Read("/w/x/.env"), Effect::Deny),
        (Act::Write("/w/src/a/b"), Effect::Allow),
        (Act::Tool(Some("a"), "b"), Effect::Allow),
        (Act::Tool(None, "WebSearch"), Effect::Allow),
        (Act::Fetch("docs.rs"), Effect::Allow),
    ] {
        assert_eq!(effect(&policy, act), wanted, "{act:?}\n{}", imported.toml);
    }
}

#[test]
fn what_cannot_be_said_is_reported() {
    for (effect, rule, part) in [
        ("allow", "Bash", "every command"),
        ("allow", "Bash(* --version)", "plain words"),
        ("ask", "Bash(*force*)", "is asked about"),
        ("deny", "Bash(*force*)", "is denied"),
        ("deny", "Bash(rm -rf ~/*)", "`rm -rf *`"),
        ("deny", "Foo(a:*)", "is denied now"),
        ("allow", "mcp__a__b__c", "which server"),
        ("allow", "WebFetch", "every host"),
        ("allow", "Write(x)", "Edit(…)"),
        ("deny", "Read([ab])", "is denied"),
        ("deny", "Foo(", "is no rule"),
        ("allow", "Agent(Explore)", "only whole tools"),
    ] {
        let text = json!({"permissions": {effect: [rule]}}).to_string();
        let losses = imported(System::Claude, &text).losses;
        assert_eq!(losses.len(), 1, "{rule}: {losses:?}");
        assert_eq!(losses[0].rule, rule);
        assert!(losses[0].what.contains(part), "{losses:?}");
    }
}

#[test]
fn a_restriction_that_is_no_rule_here_is_not_lost() {
    let config = r#"{"permissions": {
        "allow": ["Bash(git status)", "WebFetch(domain:docs.rs)"],
        "deny": ["Bash(if *)", "WebFetch(domain:EVIL.com)"]}}"#;
    let imported = imported(System::Claude, config);
    let policy = policy(&imported);
    assert_eq!(effect(&policy, Act::Run("git status")), Effect::Deny);
    assert_eq!(effect(&policy, Act::Fetch("docs.rs")), Effect::Deny);
    let lost: Vec<_> = imported.losses.iter().map(|loss| &*loss.rule).collect();
    assert!(lost.contains(&"Bash(if *)") && lost.contains(&"WebFetch(domain:EVIL.com)"));
}

#[test]
fn a_command_does_not_get_at_a_file_that_is_restricted() {
    let config = |deny: &str| {
        let config = json!({"permissions": {
            "allow": ["Bash(cat *)", "Bash(/bin/head:*)", "Bash(git log *)"], "deny": [deny]}});
        imported(System::Claude, &config.to_string())
    };
    for deny in ["Read(.env)", "Edit(src/**)", "Read"] {
        let imported = config(deny);
        assert_eq!(imported.losses.len(), 3, "{:?}", imported.losses);
        assert_eq!(imported.losses[0].rule, deny);
        assert!(imported.losses[1].what.contains(deny));
        let policy = policy(&imported);
        assert_eq!(effect(&policy, Act::Run("cat .env")), Effect::Ask);
        assert_eq!(effect(&policy, Act::Run("git log")), Effect::Allow);
    }
    let policy = policy(&config("WebSearch"));
    assert_eq!(effect(&policy, Act::Run("cat .env")), Effect::Allow);
}
