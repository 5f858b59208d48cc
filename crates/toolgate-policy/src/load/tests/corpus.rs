//! The attacks on configuration, as far as reading meets them, and every policy of the others.

use serde_json::Value;

use super::*;

fn cases() -> Vec<Value> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/corpus/attacks.jsonl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// What only compiling the patterns can find.
const PATTERNS: &[&str] = &["config/invalid-pattern"];

#[test]
fn configurations_that_must_not_load_do_not() {
    let mut seen = 0;
    for case in cases() {
        let id = case["id"].as_str().unwrap();
        let class = case["class"].as_str().unwrap();
        if case["expect"]["load"].is_null() || PATTERNS.contains(&class) {
            continue;
        }
        let (text, format) = match case["policy"]["config_text"].as_str() {
            Some(text) => (text.to_owned(), Format::guess(text)),
            None => (case["policy"]["config"].to_string(), Format::Json),
        };
        assert!(load(id, &text, format).is_err(), "{id} was loaded");
        seen += 1;
    }
    assert!(seen >= 13, "{seen}");
}

/// `rm [` is for those who compile, but what is empty, too long or odd is not even read.
#[test]
fn patterns_that_are_no_text_are_refused() {
    let refused = |id: &str| {
        let case = cases().into_iter().find(|case| case["id"] == id).unwrap();
        load(id, &case["policy"]["config"].to_string(), Format::Json).is_err()
    };
    for id in ["C02-003", "C02-005", "C02-009", "C02-010"] {
        assert!(refused(id), "{id}");
    }
}

#[test]
fn configurations_without_a_default_do_not_get_a_loose_one() {
    for case in cases() {
        let id = case["id"].as_str().unwrap();
        if case["class"] != "config/empty-or-default" || case["policy"]["config"].is_null() {
            continue;
        }
        if let Ok(loaded) = load(id, &case["policy"]["config"].to_string(), Format::Json) {
            let default = loaded.spec.default.map(|default| default.value);
            assert_ne!(default, Some(crate::spec::DefaultSpec::Allow), "{id}");
        }
    }
}

/// The vocabulary of the corpus is valid policy as it stands, in all three formats.
#[test]
fn the_policies_of_all_cases_are_read() {
    let mut seen = 0;
    for case in cases() {
        let (id, policy) = (case["id"].as_str().unwrap(), &case["policy"]);
        let special = ["config", "config_text", "layers", "error"];
        if special.iter().any(|key| !policy[*key].is_null()) {
            continue;
        }
        for (text, format) in [
            (policy.to_string(), Format::Json),
            (policy.to_string(), Format::Yaml),
            (::toml::to_string(policy).unwrap(), Format::Toml),
        ] {
            if text.is_empty() {
                continue;
            }
            if let Err(wrong) = load(id, &text, format) {
                panic!("{id}: {wrong}");
            }
            seen += 1;
        }
    }
    assert!(seen > 2500, "{seen}");
}

#[test]
fn layers_of_all_cases_are_read_or_refused_as_they_should_be() {
    for case in cases() {
        for layer in case["policy"]["layers"].as_array().into_iter().flatten() {
            let policy = &layer["policy"];
            let broken = !policy["error"].is_null() || policy["default"] == "allow";
            let read = load("layer", &policy.to_string(), Format::Json);
            assert_eq!(read.is_err(), broken, "{}: {policy}", case["id"]);
        }
    }
}
