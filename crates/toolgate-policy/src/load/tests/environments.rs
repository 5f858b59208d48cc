//! Environments over a policy.

use std::time::Duration;

use super::*;
use crate::spec::{DefaultSpec, ModeSpec, RuleSpec};

const POLICY: &str = r#"
default = "deny"
mode = "strict"
deadline = "5m"
secrets = ["a"]

[shell]
allow = ["ls *", { pattern = "cargo *", environments = ["ci"] }]
deny = [{ pattern = "rm *", id = "no-rm" }, { pattern = "dd *", id = "no-dd" }]
env_allow = ["CI"]

[tools.mail]
decision = "needs_approval"
capabilities = ["net.send"]

[env.ci]
deadline = "30s"
secrets = ["b"]

[env.ci.shell]
allow = ["make *"]
env_allow = ["NO_COLOR"]

[env.ci.tools.mail]
decision = "blocked"
capabilities = ["pay"]

[env.ci.fetch]
deny = ["x.org"]

[env.dev]
dangerous_loosen = true
mode = "interactive"
default = "ask"
dangerous_lift = ["no-rm"]
"#;

fn policy(name: Option<&str>) -> PolicySpec {
    right(POLICY, Format::Toml).for_environment(name).unwrap()
}

fn patterns(rules: &[RuleSpec]) -> Vec<&str> {
    rules
        .iter()
        .map(|rule| rule.pattern.value.as_str())
        .collect()
}

#[test]
fn outside_of_all_environments_the_base_holds() {
    let spec = policy(None);
    let shell = spec.shell.unwrap();
    assert_eq!(spec.default.unwrap().value, DefaultSpec::Deny);
    assert_eq!(
        patterns(&shell.rules.allow),
        ["ls *"],
        "`cargo *` is for another one"
    );
    assert_eq!(patterns(&shell.rules.deny), ["rm *", "dd *"]);
    assert!(spec.env.is_empty());
}

#[test]
fn settings_replace_and_rules_are_added() {
    let spec = policy(Some("ci"));
    let shell = spec.shell.unwrap();
    assert_eq!(spec.default.unwrap().value, DefaultSpec::Deny);
    assert_eq!(spec.mode.unwrap().value, ModeSpec::Strict);
    assert_eq!(spec.deadline.unwrap().value, Duration::from_secs(30));
    assert_eq!(patterns(&shell.rules.allow), ["ls *", "cargo *", "make *"]);
    assert_eq!(patterns(&shell.rules.deny), ["rm *", "dd *"]);
    let names = |list: &[crate::Located<String>]| -> Vec<String> {
        list.iter().map(|name| name.value.clone()).collect()
    };
    assert_eq!(names(&shell.env_allow), ["CI", "NO_COLOR"]);
    assert_eq!(names(&spec.secrets), ["a", "b"]);
    let tools = spec.tools.unwrap();
    assert_eq!(tools.entries.len(), 1);
    assert_eq!(names(&tools.entries[0].capabilities), ["net.send", "pay"]);
    let decision = tools.entries[0].decision.as_ref().unwrap();
    assert_eq!(decision.value, toolgate::ToolDecision::Blocked);
    assert_eq!(patterns(&spec.fetch.unwrap().rules.deny), ["x.org"]);
}

#[test]
fn what_is_meant_to_be_looser_is() {
    let spec = policy(Some("dev"));
    assert_eq!(spec.default.unwrap().value, DefaultSpec::Ask);
    assert_eq!(spec.mode.unwrap().value, ModeSpec::Interactive);
    assert_eq!(patterns(&spec.shell.unwrap().rules.deny), ["dd *"]);
}

#[test]
fn an_unknown_environment_is_refused() {
    let wrong = right(POLICY, Format::Toml)
        .for_environment(Some("cii"))
        .unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "\
error[unknown-environment]: there is no environment `cii`
  --> policy:16:6
   |
16 | [env.ci]
   |      ^^ did you mean `ci`?
   |
   = help: there are `ci`, `dev`

1 error"
    );
}

#[test]
fn an_environment_is_not_checked_only_at_load() {
    let mut spec = right(POLICY, Format::Toml);
    spec.env[1].1.dangerous_loosen = None;
    assert!(spec.for_environment(Some("dev")).is_err());
    spec.env[1].1.mode = None;
    spec.env[1].1.default = None;
    spec.env[1].1.dangerous_lift[0].value = "no-xx".to_owned();
    assert!(spec.for_environment(Some("dev")).is_err());
}

#[test]
fn modes_that_are_not_stricter_for_certain_have_to_be_meant() {
    let ok = |base: &str, over: &str| {
        let text = format!("mode = \"{base}\"\n[env.x]\nmode = \"{over}\"\n");
        load("p", &text, Format::Toml).is_ok()
    };
    assert!(ok("interactive", "strict"));
    assert!(ok("interactive", "plan"));
    assert!(ok("strict", "strict"));
    assert!(!ok("strict", "plan"), "what was refused would be asked");
    assert!(!ok("plan", "strict"), "what writes would run");
    assert!(!ok("plan", "interactive"));
    assert!(!ok("strict", "interactive"));
    assert!(
        ok("strict", "dangerous_approve_all"),
        "the word is dangerous enough"
    );
    assert!(!ok("strict", "yolo"), "it needs its own key");
}

#[test]
fn an_environment_needs_its_own_dangerous_keys() {
    let base = "default = \"allow\"\ndangerous_default_allow = true\ndangerous_allow_all = true\n";
    let codes = |section: &str| codes(&format!("{base}[env.x]\n{section}"), Format::Toml);
    assert_eq!(codes("mode = \"yolo\"\n"), ["dangerous-default"]);
    assert_eq!(
        codes("[env.x.shell]\nallow = [\"*\"]\n"),
        ["dangerous-allow-all"]
    );
}

/// Rules of an environment may use an id again that it lifts.
#[test]
fn a_lifted_rule_can_be_replaced() {
    let text = "[shell]\ndeny = [{ pattern = \"a\", id = \"x\" }]\n[env.e]\n\
                dangerous_lift = [\"x\"]\nshell.deny = [{ pattern = \"b\", id = \"x\" }]\n";
    let spec = right(text, Format::Toml)
        .for_environment(Some("e"))
        .unwrap();
    assert_eq!(patterns(&spec.shell.unwrap().rules.deny), ["b"]);
}
