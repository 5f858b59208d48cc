use super::*;
use crate::ToolConfig;

fn rules(entries: &[(&str, ToolDecision)]) -> CapabilityRules {
    CapabilityRules::new(entries.iter().copied()).unwrap()
}

fn decide(rules: &CapabilityRules, labels: &[&str]) -> Option<ToolDecision> {
    let labels: Vec<Capability> = labels.iter().map(|label| label.parse().unwrap()).collect();
    rules
        .strictest(labels.iter())
        .map(|verdict| verdict.decision)
}

use ToolDecision::{Blocked, NeedsApproval, PreApproved};

#[test]
fn the_strictest_capability_decides() {
    let rules = rules(&[("a", PreApproved), ("b", NeedsApproval), ("c", Blocked)]);
    assert_eq!(decide(&rules, &["a"]), Some(PreApproved));
    assert_eq!(decide(&rules, &["a", "b"]), Some(NeedsApproval));
    assert_eq!(decide(&rules, &["c", "a", "b"]), Some(Blocked));
    assert_eq!(decide(&rules, &[]), None);
}

#[test]
fn an_unknown_capability_gets_the_default() {
    let rules = rules(&[("a", PreApproved)]);
    assert_eq!(decide(&rules, &["a", "x"]), Some(NeedsApproval));
    assert_eq!(
        decide(&rules.with_default(Blocked), &["a", "x"]),
        Some(Blocked)
    );
}

#[test]
fn the_five_rules_in_order() {
    let rules = rules(&[
        ("free", PreApproved),
        ("ask", NeedsApproval),
        ("never", Blocked),
    ]);
    let decide = |config: Option<ToolConfig>, labels: &[&str]| {
        let labels: Vec<Capability> = labels.iter().map(|label| label.parse().unwrap()).collect();
        let config = ToolRules::new(config.map(|config| ("t", config))).unwrap();
        capability_policy(&"t".into(), &Args::new(), &labels, &config, &rules).effect()
    };
    // 1. An explicit block or permission of the tool comes first.
    assert_eq!(
        decide(Some(ToolConfig::pre_approved()), &["never"]),
        Effect::Allow
    );
    assert_eq!(decide(Some(ToolConfig::blocked()), &["free"]), Effect::Deny);
    assert_eq!(
        decide(Some(ToolConfig::needs_approval()), &["free"]),
        Effect::Allow
    );
    // 2. to 4. The strictest capability.
    assert_eq!(decide(None, &["free", "ask", "never"]), Effect::Deny);
    assert_eq!(decide(None, &["free", "ask"]), Effect::Ask);
    assert_eq!(decide(None, &["free"]), Effect::Allow);
    // 5. Otherwise ask.
    assert_eq!(decide(None, &[]), Effect::Ask);
    assert_eq!(decide(Some(ToolConfig::needs_approval()), &[]), Effect::Ask);
}

#[test]
fn a_pattern_needs_the_dot() {
    let rules = rules(&[("proc.exec.*", Blocked), ("proc.exec", PreApproved)]);
    assert_eq!(decide(&rules, &["proc.exec"]), Some(PreApproved));
    assert_eq!(decide(&rules, &["proc.exec.unlisted"]), Some(Blocked));
}

#[test]
fn a_target_that_is_not_told_is_never_allowed_and_never_safe() {
    let permits = rules(&[("fs.write(/srv/**)", PreApproved)]).with_default(Blocked);
    assert_eq!(decide(&permits, &["fs.write(/srv/a)"]), Some(PreApproved));
    assert_eq!(decide(&permits, &["fs.write(/etc/a)"]), Some(Blocked));
    assert_eq!(decide(&permits, &["fs.write"]), Some(Blocked));
    let forbids = rules(&[("fs.write(/etc/**)", Blocked), ("fs.write", PreApproved)]);
    assert_eq!(decide(&forbids, &["fs.write(/etc/a)"]), Some(Blocked));
    assert_eq!(decide(&forbids, &["fs.write(/srv/a)"]), Some(PreApproved));
    assert_eq!(decide(&forbids, &["fs.write"]), Some(NeedsApproval));
}

#[test]
fn what_is_reported_does_not_depend_on_order() {
    let rules = rules(&[("a", Blocked), ("b", Blocked)]);
    let labels: Vec<Capability> = vec!["b".parse().unwrap(), "a".parse().unwrap()];
    for labels in [[&labels[0], &labels[1]], [&labels[1], &labels[0]]] {
        let verdict = rules.strictest(labels.into_iter()).unwrap();
        assert_eq!(verdict.capability.name(), "a");
        assert_eq!(verdict.rule.id(), "a");
    }
}

#[test]
fn a_bad_table_names_the_entry() {
    for entries in [
        vec![("", Blocked)],
        vec![("fs.[read]", Blocked)],
        vec![("fs.write(/srv", Blocked)],
        vec![("fs.write()", Blocked)],
        vec![("fs.read", Blocked), ("fs.read", PreApproved)],
    ] {
        let last = entries.last().unwrap().0;
        let error = CapabilityRules::new(entries.clone()).unwrap_err();
        assert_eq!(error.entry(), last);
        assert!(error.to_string().contains(last), "{error}");
    }
    let typo = serde_json::from_str::<CapabilityRules>(r#"{"net.egress": "block"}"#);
    assert!(typo.unwrap_err().to_string().contains("block"));
    let twice = serde_json::from_str::<CapabilityRules>(r#"{"a": "blocked", "a": "pre_approved"}"#);
    assert!(twice.unwrap_err().to_string().contains("`a`"));
}

#[test]
fn every_capability_that_needs_approval_asks_for_itself() {
    let rules = rules(&[("net.*", NeedsApproval), ("fs.read", PreApproved)]);
    let labels: Vec<Capability> = ["net.send(b)", "fs.read", "net.fetch", "net.send(a)", "x"]
        .map(|label| label.parse().unwrap())
        .to_vec();
    let decision = first_four_rules(&rules, || labels.iter(), &ToolEntries::default());
    let asked: Vec<_> = decision
        .votes()
        .iter()
        .filter_map(|vote| vote.rule())
        .collect();
    let asked: Vec<_> = asked.into_iter().map(Rule::id).collect();
    let unknown = "unknown capability for x";
    assert_eq!(
        asked,
        ["net.* for net.fetch", "net.* for net.send", unknown]
    );
}

#[test]
fn an_override_is_heard_even_without_the_layer_of_the_tool_rules() {
    let config = ToolRules::new([("t", ToolConfig::pre_approved())]).unwrap();
    let rules = rules(&[("a", PreApproved)]);
    let a = ["a".parse().unwrap()];
    let decide = || capability_policy(&"t".into(), &Args::new(), &a, &config, &rules).effect();
    assert_eq!(decide(), Effect::Allow);
    config.require_for("t");
    assert_eq!(decide(), Effect::Ask);
}

#[test]
fn two_rules_on_one_capability_both_ask() {
    let rules = rules(&[
        ("fs.write(/a/**)", NeedsApproval),
        ("fs.write(/b/**)", NeedsApproval),
    ]);
    let labels: Vec<Capability> = ["fs.write(/a/x)", "fs.write(/b/y)"]
        .map(|label| label.parse().unwrap())
        .to_vec();
    let decision = first_four_rules(&rules, || labels.iter(), &ToolEntries::default());
    assert_eq!(decision.votes().len(), 2);
}
