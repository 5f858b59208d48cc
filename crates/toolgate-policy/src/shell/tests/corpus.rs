//! The shell cases of the attack corpus, as far as one call and one policy decide them.

use serde_json::Value;

use super::kit::{Policy, Verdict, located, no_files, worst};
use crate::{
    finding::{Findings, Outcome},
    spec::{DialectSpec, OutsideSpec},
};

/// Cases that need more than this part of a policy has.
fn is_ours(case: &Value) -> bool {
    let class = case["class"].as_str().unwrap_or_default();
    let tool = case["call"]["tool"].as_str().unwrap_or_default();
    let policy = &case["policy"];
    let setup = case["setup"]
        .as_array()
        .is_some_and(|steps| !steps.is_empty());
    (class.starts_with("shell/") || class.starts_with("benign/"))
        && matches!(tool, "shell" | "exec")
        && policy["shell"].is_object()
        && !setup
        && case["call"]["args_raw"].is_null()
}

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn policy(value: &Value) -> Policy {
    let shell = &value["shell"];
    let mut policy = Policy::allow(&strings(&shell["allow"]))
        .and(Outcome::Ask, &strings(&shell["ask"]))
        .and(Outcome::Deny, &strings(&shell["deny"]))
        .env_allow(&strings(&shell["env_allow"]))
        .transparent(&strings(&shell["transparent_wrappers"]));
    policy.workspace = value["workspace"].as_str().map(str::to_owned);
    policy.allow_all = value["dangerous_allow_all"] == true;
    policy.spec.workspace_only = Some(located(shell["workspace_only"] == true));
    if shell["outside"] == "deny" {
        policy.spec.outside = Some(located(OutsideSpec::Deny));
    }
    let dialect = match shell["dialect"].as_str() {
        None | Some("bash") => DialectSpec::Bash,
        Some("zsh") => DialectSpec::Zsh,
        Some(_) => DialectSpec::Unknown,
    };
    policy.dialect(dialect)
}

/// The command line of a case, made if the case says how.
fn line(call: &Value) -> Option<String> {
    if let Some(command) = call["args"]["command"].as_str() {
        return Some(command.to_owned());
    }
    let made = &call["args_gen"];
    let part = |name: &str| made[name].as_str().unwrap_or_default();
    let count = usize::try_from(made["count"].as_u64()?).ok()?;
    (made["kind"] == "repeat").then(|| {
        format!(
            "{}{}{}",
            part("prefix"),
            part("unit").repeat(count),
            part("suffix")
        )
    })
}

fn judge(case: &Value) -> Option<Verdict> {
    let call = &case["call"];
    let rules = policy(&case["policy"]).compile().ok()?;
    let mut findings = Findings::default();
    let cwd = call["args"]["cwd"].as_str();
    if call["tool"] == "exec" {
        rules.judge_argv(
            &strings(&call["args"]["argv"]),
            cwd,
            &|_| true,
            &mut no_files,
            &mut findings,
        );
    } else {
        rules.judge(&line(call)?, cwd, &|_| true, &mut no_files, &mut findings);
    }
    Some(
        match (worst(&findings), case["policy"]["default"].as_str()) {
            (Verdict::Default, Some("allow")) => Verdict::Allow,
            (Verdict::Default, _) => Verdict::Ask,
            (verdict, _) => verdict,
        },
    )
}

#[test]
fn every_case_is_judged_as_it_must_be() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/corpus/attacks.jsonl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let (mut run, mut wrong) = (0, Vec::new());
    for case in text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(is_ours)
    {
        let Some(verdict) = judge(&case) else {
            continue;
        };
        run += 1;
        let fits = match case["must"].as_str() {
            Some("allow") => verdict == Verdict::Allow,
            Some("ask") => verdict == Verdict::Ask,
            Some("deny") => verdict == Verdict::Deny,
            _ => verdict != Verdict::Allow,
        };
        if !fits {
            wrong.push(format!(
                "{} must {} but {verdict:?}: {}",
                case["id"], case["must"], case["call"]
            ));
        }
    }
    assert!(run > 500, "only {run} cases were run");
    assert!(
        wrong.is_empty(),
        "{} of {run} are wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
