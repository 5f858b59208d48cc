//! The recorded attacks on hosts, as far as they are about URLs and secrets alone.

use serde_json::Value;

use super::*;
use crate::{
    finding::Outcome,
    path::fixture::{located, numbered, rule, worst},
    spec::FetchSpec,
};

const CASES: &str = include_str!("../../../../tests/corpus/attacks.jsonl");

fn texts(value: &Value) -> impl Iterator<Item = String> {
    let texts = value.as_array().into_iter().flatten();
    texts.map(|text| text.as_str().unwrap().to_owned())
}

fn rules(fetch: &Value) -> HostRules {
    let spec = FetchSpec {
        schemes: Some(texts(&fetch["schemes"]).map(located).collect()),
        ..FetchSpec::default()
    };
    let kinds = [
        ("allow", Outcome::Allow),
        ("ask", Outcome::Ask),
        ("deny", Outcome::Deny),
    ];
    let rules: Vec<_> = kinds
        .iter()
        .flat_map(|(key, outcome)| texts(&fetch[key]).map(|text| (*outcome, rule(&text))))
        .collect();
    HostRules::compile(&spec, &numbered(&rules)).unwrap().0
}

/// The URLs that are fetched: the one of the call, and those that it is redirected to.
fn urls(case: &Value) -> Vec<&str> {
    let steps = case["setup"].as_array().into_iter().flatten();
    let redirects = steps.filter_map(|step| step["to"].as_str());
    case["call"]["args"]["url"]
        .as_str()
        .into_iter()
        .chain(redirects)
        .collect()
}

fn judged(case: &Value) -> Option<Outcome> {
    let policy = &case["policy"];
    let fetch = policy.get("fetch")?;
    // Where a name leads to is not known here, and neither are other arguments.
    let elsewhere = case["setup"][0]["do"] == "dns" || !case["call"]["args"]["body"].is_null();
    if elsewhere || case["call"]["tool"] != "fetch" {
        return None;
    }
    let mut findings = Findings::default();
    for url in urls(case) {
        rules(fetch).judge(url, &|_: RuleIndex| true, &mut findings);
    }
    let secrets: Vec<_> = texts(&policy["secrets"]).map(located).collect();
    if Secrets::compile(&secrets)
        .unwrap()
        .leak(&case["call"]["args"].to_string())
    {
        return Some(Outcome::Deny);
    }
    Some(worst(&findings))
}

#[test]
fn every_recorded_case_comes_out_as_it_must() {
    let mut run = 0;
    for case in CASES
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let class = case["class"].as_str().unwrap();
        if !class.starts_with("net/") && class != "benign/tools-and-net" {
            continue;
        }
        let Some(outcome) = judged(&case) else {
            continue;
        };
        run += 1;
        let right = match case["must"].as_str().unwrap() {
            "allow" => outcome == Outcome::Allow,
            "deny" => outcome == Outcome::Deny,
            "not_allow" => outcome > Outcome::Allow,
            other => panic!("unknown demand {other}"),
        };
        assert!(right, "{}: {} is {outcome:?}", case["id"], case["call"]);
    }
    assert!(run >= 30, "only {run} cases are about hosts");
}
