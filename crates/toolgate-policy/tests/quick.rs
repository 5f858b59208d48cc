//! Quick look at the stateless attacks.
#![allow(
    missing_docs,
    clippy::all,
    clippy::pedantic,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a look at numbers, not a test"
)]
use serde_json::Value;
use toolgate::{Args, Effect, ToolCall, ToolId};
use toolgate_policy::*;

#[test]
fn stateless() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/corpus/attacks.jsonl"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let (mut ok, mut bad, mut skipped) = (0, 0, 0);
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let policy = &case["policy"];
        let id = case["id"].as_str().unwrap();
        let class = case["class"].as_str().unwrap();
        if case
            .get("setup")
            .is_some_and(|s| !s.as_array().unwrap().is_empty())
            || policy.get("layers").is_some()
            || class.starts_with("prompt")
        {
            skipped += 1;
            continue;
        }
        let (text, format) = if let Some(config) = policy.get("config") {
            (config.to_string(), Format::Json)
        } else if let Some(text) = policy.get("config_text") {
            let t = text.as_str().unwrap().to_owned();
            let f = Format::guess(&t);
            (t, f)
        } else {
            (policy.to_string(), Format::Json)
        };
        let settings = Settings::new().with_files(FakeFiles::new());
        let loaded = parse_policy(&text, format).and_then(|p| p.compile(None, &settings));
        let call = &case["call"];
        let args = if let Some(raw) = call.get("args_raw").and_then(Value::as_str) {
            Args::parse(raw).ok()
        } else if call.get("args_gen").is_some() {
            skipped += 1;
            continue;
        } else {
            Some(Args::parse(&call["args"].to_string()).unwrap_or_default())
        };
        let tool = match call.get("identity") {
            Some(i) if !i.is_null() => {
                ToolId::new(i["tool"].as_str().unwrap()).on_server(i["server"].as_str().unwrap())
            }
            _ => ToolId::new(call["tool"].as_str().unwrap()),
        };
        let effect = match (&loaded, args) {
            (Err(_), _) | (_, None) => Effect::Deny,
            (Ok(p), Some(args)) => p.effect(&ToolCall::new(tool.clone(), args)),
        };
        let must = case["must"].as_str().unwrap();
        let fine = match must {
            "allow" => effect == Effect::Allow,
            "ask" => effect == Effect::Ask,
            "deny" => effect == Effect::Deny,
            _ => effect != Effect::Allow,
        };
        if fine {
            ok += 1
        } else {
            bad += 1;
            println!(
                "{id} {class} must {must} is {effect:?} {:.200} tags {} {}",
                call.to_string(),
                case["tags"],
                match &loaded {
                    Err(e) => e.to_string().chars().take(600).collect::<String>(),
                    Ok(p) => {
                        let args = Args::parse(&call["args"].to_string()).unwrap_or_default();
                        let e = p.explain(&ToolCall::new(tool, args));
                        e.votes
                            .iter()
                            .map(|v| format!("{:?} {} {}", v.says, v.rule, v.reason))
                            .collect::<Vec<_>>()
                            .join(" | ")
                    }
                }
            );
        }
    }
    println!("{ok} ok {bad} bad {skipped} skipped");
}
