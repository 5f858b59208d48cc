//! The examples of the guide and of the README load, without a warning, and leave out no key.

use std::collections::BTreeSet;

use serde_json::Value;
use toolgate_policy::{Format, Settings, json_schema, parse_policy};

const REFERENCE: &str = include_str!("../../../../docs/guide/policy-file.md");
const DECISIONS: &str = include_str!("../../../../docs/guide/decisions.md");
const AGENTS: &str = include_str!("../../../../docs/guide/coding-agents.md");
const README: &str = include_str!("../../../../README.md");

/// The policies on a page.
fn examples(page: &'static str) -> Vec<&'static str> {
    let blocks = page.split("```toml\n").skip(1);
    blocks.filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn every_example_loads() {
    let pages = [REFERENCE, DECISIONS, AGENTS, README];
    let examples: Vec<&str> = pages.into_iter().flat_map(examples).collect();
    assert!(examples.len() > 12, "the pages have lost their examples");
    for example in examples {
        let settings = Settings::new().with_base("/srv/project");
        let parsed = parse_policy(example, Format::Toml).unwrap_or_else(|e| panic!("{e}"));
        let environments: Vec<_> = parsed.environments().map(str::to_owned).collect();
        for environment in std::iter::once(None).chain(environments.iter().map(Some)) {
            let policy = parsed.compile(environment.map(String::as_str), &settings);
            let policy = policy.unwrap_or_else(|e| panic!("{e}\n{example}"));
            let mut warnings = policy.warnings().iter();
            // What is dangerous is worth a note, and no mistake.
            assert!(
                warnings.all(|one| one.code == "dangerous"),
                "{}\n{example}",
                policy.warnings()
            );
        }
    }
}

#[test]
fn every_key_is_explained_and_has_an_example() {
    let schema = json_schema();
    let (mut there, mut used) = (BTreeSet::new(), BTreeSet::new());
    all_keys(&schema, "", &mut there);
    for example in examples(REFERENCE) {
        let policy: Value = toml::from_str(example).unwrap();
        used_keys(&schema, ("", &schema), &policy, &mut used);
    }
    assert!(there.len() > 80, "the schema has lost its keys");
    let without: Vec<_> = there
        .iter()
        .filter(|key| !used.contains(*key))
        // Only JSON has it; TOML has a comment for the same.
        .filter(|key| !key.ends_with("/$schema"))
        .collect();
    assert!(without.is_empty(), "no example has {without:#?}");
    for key in &there {
        let name = key.rsplit('/').next().unwrap();
        let words = [
            format!("`{name}`"),
            format!("`[{name}]`"),
            format!("`[{name}.NAME]`"),
        ];
        let is_told = words.iter().any(|word| REFERENCE.contains(word));
        assert!(is_told, "{key} is not explained");
    }
}

/// The place in the schema of every key that a policy may have.
fn all_keys(node: &Value, place: &str, keys: &mut BTreeSet<String>) {
    match node {
        Value::Object(fields) => {
            for (name, inner) in fields {
                let place = format!("{place}/{name}");
                // Conditions speak of keys that are somewhere else, too.
                if ["allOf", "if", "then"].contains(&name.as_str()) {
                    continue;
                }
                if let ("properties", Value::Object(properties)) = (name.as_str(), inner) {
                    keys.extend(properties.keys().map(|key| format!("{place}/{key}")));
                }
                all_keys(inner, &place, keys);
            }
        }
        Value::Array(items) => {
            for (number, inner) in items.iter().enumerate() {
                all_keys(inner, &format!("{place}/{number}"), keys);
            }
        }
        _ => {}
    }
}

/// The places of the keys that a value has.
fn used_keys(root: &Value, at: (&str, &Value), value: &Value, keys: &mut BTreeSet<String>) {
    let (place, schema) = at;
    if let Some(target) = schema["$ref"].as_str() {
        let target = target.trim_start_matches('#');
        let schema = root.pointer(target).unwrap();
        return used_keys(root, (target, schema), value, keys);
    }
    for (number, one) in schema["anyOf"].as_array().into_iter().flatten().enumerate() {
        used_keys(root, (&format!("{place}/anyOf/{number}"), one), value, keys);
    }
    for item in value.as_array().into_iter().flatten() {
        used_keys(
            root,
            (&format!("{place}/items"), &schema["items"]),
            item,
            keys,
        );
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let known = &schema["properties"][name];
        let (next, schema) = match known.is_null() {
            true => (
                format!("{place}/additionalProperties"),
                &schema["additionalProperties"],
            ),
            false => (format!("{place}/properties/{name}"), known),
        };
        if !known.is_null() {
            keys.insert(next.clone());
        }
        used_keys(root, (&next, schema), inner, keys);
    }
}
