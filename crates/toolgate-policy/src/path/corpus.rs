//! The recorded attacks on paths, as far as they are about paths alone.

use serde_json::Value;

use super::{fixture::worst, *};
use crate::{
    finding::Outcome,
    spec::{ProtectedSpec, RuleSpec},
};

const CASES: &str = include_str!("../../../../tests/corpus/attacks.jsonl");

/// What the runner of the corpus puts in the place of names.
const OWN: &[(&str, &str)] = &[
    ("${POLICY_FILE}", "/w/policy.toml"),
    ("${GRANT_STORE}", "/w/grants"),
    ("${AUDIT_LOG}", "/w/audit.jsonl"),
];

fn text(value: &Value) -> String {
    let text = value.as_str().unwrap();
    OWN.iter().fold(text.to_owned(), |text, (name, path)| {
        text.replace(name, path)
    })
}

fn rules(policy: &Value, section: &str) -> Vec<(Outcome, RuleSpec)> {
    let kinds = [
        ("allow", Outcome::Allow),
        ("ask", Outcome::Ask),
        ("deny", Outcome::Deny),
    ];
    let mut rules = Vec::new();
    for (key, outcome) in kinds {
        for pattern in policy[section][key].as_array().into_iter().flatten() {
            rules.push((outcome, fixture::rule(pattern.as_str().unwrap())));
        }
    }
    rules
}

/// The paths of a call, and what is done with them. `None` if the call is not about paths.
fn accesses(call: &Value) -> Option<Vec<(Access, String)>> {
    let args = &call["args"];
    let paths = |access, key: &str| -> Vec<(Access, String)> {
        let one = args[key].as_str().map(|_| &args[key]);
        let many = args[key].as_array().into_iter().flatten();
        one.into_iter()
            .chain(many)
            .map(|path| (access, text(path)))
            .collect()
    };
    Some(match call["tool"].as_str()? {
        "read_file" => [paths(Access::Read, "path"), paths(Access::Read, "paths")].concat(),
        "write_file" => paths(Access::Write, "path"),
        "copy_path" => [paths(Access::Read, "from"), paths(Access::Write, "to")].concat(),
        "move_path" => [paths(Access::Remove, "from"), paths(Access::Write, "to")].concat(),
        _ => return None,
    })
}

fn files(case: &Value) -> FakeFiles {
    let mut files = FakeFiles::new();
    for entry in case["setup"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|step| step["entries"].as_array())
        .flatten()
    {
        let (kind, path) = entry
            .as_object()
            .unwrap()
            .iter()
            .find(|(key, _)| !matches!(key.as_str(), "to" | "error"))
            .unwrap();
        let look = match kind.as_str() {
            "symlink" => Look::Link(entry["to"].as_str().unwrap().into()),
            "hardlink" => Look::File { links: 2 },
            "realpath_error" => Look::Error,
            "realpath_missing" => Look::Missing,
            "fifo" | "cygwin_symlink" | "bind_mount" => Look::Special,
            other => panic!("unknown entry {other}"),
        };
        files.insert(path.as_str().unwrap(), look);
    }
    files
}

fn judged(case: &Value) -> Option<Outcome> {
    let policy = &case["policy"];
    if policy["read"].is_null() && policy["write"].is_null() {
        return None;
    }
    let accesses = accesses(&case["call"])?;
    let settings = PathSettings {
        workspace: policy["workspace"].as_str(),
        case_insensitive: policy["fs"] == "case_insensitive",
        protected: ProtectedSpec::Builtin,
        own_files: OWN.iter().map(|(_, path)| (*path).to_owned()).collect(),
        home: Some("/home/u".into()),
    };
    let (read, write) = (rules(policy, "read"), rules(policy, "write"));
    let compiled = PathRules::compile(
        &fixture::numbered(&read),
        &fixture::numbered(&write),
        &settings,
    );
    let Ok((rules, _)) = compiled else {
        return Some(Outcome::Deny);
    };
    let mut findings = Findings::default();
    for (access, path) in &accesses {
        let query = PathQuery {
            access: *access,
            path,
            cwd: None,
        };
        rules.judge(query, &files(case), &|_: RuleIndex| true, &mut findings);
    }
    Some(worst(&findings))
}

#[test]
fn every_recorded_case_comes_out_as_it_must() {
    let mut run = 0;
    let mut wrong = Vec::new();
    for case in CASES
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
    {
        let class = case["class"].as_str().unwrap();
        if !class.starts_with("path/") && class != "benign/files" {
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
        if !right {
            wrong.push(format!("{}: {} is {outcome:?}", case["id"], case["call"]));
        }
    }
    assert!(run >= 100, "only {run} cases are about paths");
    assert!(
        wrong.is_empty(),
        "{} of {run}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
