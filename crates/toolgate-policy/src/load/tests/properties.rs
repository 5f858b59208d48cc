//! Laws of reading.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{formats::without_places, *};
use crate::Located;

/// Pieces of policies, in an order that makes no sense.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("[shell]\n"),
        Just("allow = "),
        Just("shell:\n  "),
        Just("\"allow\": "),
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just("\"ls *\""),
        Just(", "),
        Just("\n"),
        Just(": "),
        Just("default"),
        Just(" = "),
        Just("\"ask\""),
        Just("- "),
        Just("  "),
        Just("when"),
        Just("é"),
        Just("#"),
        Just("'"),
        Just("\""),
        Just("\\"),
        Just("&a"),
        Just("*a"),
        Just("!!x "),
        Just("|"),
        Just("---"),
        Just("\u{0}"),
        Just("\r"),
        Just("1e5"),
        Just("2026-12-31"),
        Just("<<"),
        Just("?"),
        Just("%"),
        Just("\t"),
        Just("[env.x]\n"),
        Just("{ pattern = \"a\", id = \"b\" }"),
        Just("~"),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A policy as JSON, right or almost right.
fn document() -> impl Strategy<Value = Value> {
    let pattern = prop_oneof![
        Just("ls *"),
        Just("git status"),
        Just("no"),
        Just("a: b #c"),
        Just("*"),
        Just("é\"'")
    ];
    let rule = (pattern, any::<bool>(), 0..4_u8).prop_map(|(pattern, table, more)| {
        if !table {
            return json!(pattern);
        }
        let mut rule = json!({ "pattern": pattern });
        let extra = match more {
            0 => json!({ "reason": "yes: no" }),
            1 => json!({ "except": ["on", "1"], "expires": "2026-12-31" }),
            2 => json!({ "match": [pattern], "agents": ["root/**"] }),
            _ => json!({}),
        };
        rule.as_object_mut()
            .unwrap()
            .extend(extra.as_object().unwrap().clone());
        rule
    });
    let rules = proptest::collection::vec(rule, 0..4);
    let lists = (rules.clone(), rules.clone(), rules);
    let lists =
        lists.prop_map(|(allow, ask, deny)| json!({ "allow": allow, "ask": ask, "deny": deny }));
    let name = prop_oneof![
        Just("shell"),
        Just("read"),
        Just("write"),
        Just("fetch"),
        Just("capabilities")
    ];
    let sections = proptest::collection::btree_map(name, lists, 0..4);
    let settings = prop_oneof![
        Just(json!({ "default": "ask" })),
        Just(json!({ "default": "deny", "mode": "strict", "deadline": "90s" })),
        Just(json!({ "dangerous_allow_all": true, "registry": ["off", "1"] })),
        Just(json!({ "tools": { "t": { "kind": "plain", "remember_by": ["a"] } } })),
        Just(
            json!({ "tools": { "allow": [{ "tool": "t", "when": { "n": { "min": -1, "max": 2.5 } } }] } })
        ),
    ];
    (sections, settings).prop_map(|(sections, settings)| {
        let sections = sections
            .into_iter()
            .map(|(name, lists)| (name.to_owned(), lists));
        let mut document: Map<_, _> = sections.collect();
        document.extend(settings.as_object().unwrap().clone());
        Value::Object(document)
    })
}

/// YAML with as few quotes as possible.
fn yaml(value: &Value, indent: usize) -> String {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(map) if !map.is_empty() => {
            let entry = |(key, value)| {
                format!(
                    "
{pad}{key}: {}",
                    yaml(value, indent + 2)
                )
            };
            map.iter().map(entry).collect::<Vec<_>>().concat()
        }
        Value::Array(items) if !items.is_empty() => {
            let item = |item| {
                format!(
                    "
{pad}-   {}",
                    yaml(item, indent + 4).trim_start()
                )
            };
            items.iter().map(item).collect::<Vec<_>>().concat()
        }
        Value::String(text) if text.bytes().all(|b| b.is_ascii_lowercase() || b == b' ') => {
            text.clone()
        }
        other => other.to_string(),
    }
}

/// How many texts are tried; `PROPTEST_CASES` says otherwise.
fn cases() -> u32 {
    let asked = std::env::var("PROPTEST_CASES").ok();
    asked.and_then(|cases| cases.parse().ok()).unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*|(?s).{0,200}", pieces in pieces()) {
        for format in [Format::Toml, Format::Json, Format::Yaml] {
            for text in [&text, &pieces] {
                if let Err(wrong) = parse_policy(text, format) {
                    prop_assert!(wrong.has_errors());
                    let said = wrong.render(true) + &wrong.to_string();
                    let odd = |c: char| c.is_control() && c != '\n' && c != '\u{1b}';
                    prop_assert!(!said.contains(odd), "{said:?}");
                }
            }
            let _ = Format::guess(&text);
        }
    }

    #[test]
    fn one_document_says_the_same_in_every_format(document in document()) {
        let texts = [
            (document.to_string(), Format::Json),
            (serde_json::to_string_pretty(&document).unwrap(), Format::Yaml),
            (yaml(&document, 0), Format::Yaml),
            (::toml::to_string(&document).unwrap(), Format::Toml),
        ];
        let read = texts.map(|(text, format)| {
            let said = load("p", &text, format);
            (text, said.map(|loaded| without_places(&sorted(loaded.spec))))
        });
        for (text, said) in &read {
            match (said, &read[0].1) {
                (Ok(a), Ok(b)) => prop_assert_eq!(a, b),
                (Err(a), Err(b)) => prop_assert_eq!(errors(a), errors(b), "{}", text),
                (a, b) => prop_assert!(false, "{text}\n{a:?}\n{b:?}"),
            }
        }
    }

    #[test]
    fn a_place_is_where_its_text_is(document in document()) {
        let text = serde_json::to_string_pretty(&document).unwrap();
        if let Ok(loaded) = load("p", &text, Format::Json) {
            let lines: Vec<_> = text.lines().collect();
            for rule in check::rules(&loaded.spec) {
                let Located { value, place } = &rule.pattern;
                let line = lines[place.line as usize - 1];
                let column = place.column as usize - 1;
                let found: String = line.chars().skip(column).take(place.length as usize).collect();
                prop_assert_eq!(serde_json::from_str::<String>(&found).unwrap(), value.clone());
            }
        }
    }
}

fn errors(all: &Diagnostics) -> Vec<&'static str> {
    let mut codes: Vec<_> = all
        .iter()
        .filter(|diagnostic| diagnostic.severity == crate::Severity::Error)
        .map(|diagnostic| diagnostic.code)
        .collect();
    codes.sort_unstable();
    codes
}

/// Tables have no order, but lists of tools and conditions are kept in that of the file.
fn sorted(mut spec: PolicySpec) -> PolicySpec {
    if let Some(tools) = &mut spec.tools {
        tools
            .entries
            .sort_by(|a, b| a.name.value.cmp(&b.name.value));
    }
    spec
}
