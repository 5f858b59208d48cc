//! Inputs that were damaged on the way, by the thousand.

mod by_tool;

use serde_json::{Value, json};
use toolgate::Effect;
use toolgate_policy::{FakeFiles, FilePolicy, Format, Settings, parse_policy};

use super::{Agent, decide};

fn policy() -> FilePolicy {
    let text = r#"
        [shell]
        allow = ["ls *"]
        deny  = ["rm *"]
        [read]
        allow = ["**"]
        deny  = [".env"]
        [write]
        allow = ["src/**"]
        [fetch]
        allow = ["docs.rs"]
        [tools]
        allow = ["mcp:a/b", "mcp:a/b__c", "mcp:a__b/c", "TodoWrite"]
        deny  = ["WebSearch"]
    "#;
    let settings = Settings::new().with_base("/w").with_files(FakeFiles::new());
    parse_policy(text, Format::Toml)
        .unwrap()
        .compile(None, &settings)
        .unwrap()
}

#[expect(clippy::needless_pass_by_value, reason = "it is written in place")]
fn input(tool: &str, args: Value) -> Value {
    json!({
        "session_id": "s", "transcript_path": "/t", "cwd": "/w", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": args,
        "tool_use_id": "toolu_1",
    })
}

fn effect(input: &Value) -> Option<Effect> {
    let answer = decide(input.to_string().as_bytes(), &policy(), None);
    answer.ok().map(|answer| answer.effect())
}

const ALLOW: Option<Effect> = Some(Effect::Allow);
const ASK: Option<Effect> = Some(Effect::Ask);
const DENY: Option<Effect> = Some(Effect::Deny);

#[test]
fn the_name_of_a_server_is_told_or_not_believed() {
    let named = |tool: &str, server: &str| {
        let mut input = input(tool, json!({}));
        input["mcp_server"] = json!({"name": server, "source": "user"});
        effect(&input)
    };
    assert_eq!(effect(&input("mcp__a__b", json!({}))), ALLOW);
    assert_eq!(effect(&input("mcp__a__b__c", json!({}))), ASK);
    assert_eq!(named("mcp__a__b__c", "a"), ALLOW);
    assert_eq!(named("mcp__a__b__c", "a__b"), ALLOW);
    assert_eq!(named("mcp__a__b__c", "x"), None);
    assert_eq!(named("Bash", "a"), None);
    assert_eq!(effect(&input("mcp__a", json!({}))), None);
}

#[test]
fn an_agent_that_cannot_ask_is_told_no() {
    let mut codex = input("Bash", json!({"command": "make"}));
    assert_eq!(effect(&codex), ASK);
    codex["turn_id"] = json!("t");
    codex["model"] = json!("m");
    assert_eq!(effect(&codex), DENY);

    codex["tool_input"] = json!({"command": "ls"});
    let answer = decide(codex.to_string().as_bytes(), &policy(), None).unwrap();
    let told = serde_json::to_value(&answer).unwrap();
    assert_eq!(told["hookSpecificOutput"]["permissionDecision"], "allow");
    assert_eq!(
        told["hookSpecificOutput"]["updatedInput"],
        json!({"command": "ls"})
    );
    // Whoever says that it is the other one is believed.
    codex["tool_input"] = json!({"command": "make"});
    let answer = decide(codex.to_string().as_bytes(), &policy(), Some(Agent::Claude));
    assert_eq!(answer.unwrap().effect(), Effect::Ask);
}

#[test]
fn what_is_no_input_of_this_hook_is_not_read() {
    let good = input("Bash", json!({"command": "ls"}));
    assert_eq!(effect(&good), ALLOW);
    for (key, value) in [
        ("hook_event_name", json!("PostToolUse")),
        ("hook_event_name", json!(null)),
        ("tool_name", json!("")),
        ("tool_name", json!(["Bash"])),
        ("tool_input", json!("ls")),
        ("tool_input", json!(null)),
        ("cwd", json!("w")),
        ("cwd", json!(1)),
        ("session_id", json!(1)),
        ("agent_type", json!({})),
        ("mcp_server", json!("a")),
    ] {
        let mut bad = good.clone();
        bad[key] = value;
        assert_eq!(effect(&bad), None, "{bad}");
    }
    let text = good.to_string();
    let twice = text.replacen("\"cwd\"", "\"tool_name\":\"Read\",\"cwd\"", 1);
    assert!(decide(twice.as_bytes(), &policy(), None).is_err());
    assert!(decide(format!("{text} {text}").as_bytes(), &policy(), None).is_err());
    assert!(decide(b"", &policy(), None).is_err());
}

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(end.max(1)).unwrap()).unwrap()
    }
}

fn damaged(seed: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    const BITS: [&[u8]; 14] = [
        b"\"",
        b"{",
        b"}",
        b"[",
        b",",
        b":",
        b"\\",
        b"\0",
        b"\xff",
        b"; rm x",
        b"\\u0000",
        b"$(",
        b"\"command\":\"ls\",",
        b"null",
    ];
    let mut bytes = seed.to_vec();
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(bytes.len());
        match numbers.below(6) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..(at + 1 + numbers.below(9)).min(bytes.len()))),
            2 => {
                let byte = u8::try_from(numbers.below(256)).unwrap();
                bytes.get_mut(at).into_iter().for_each(|it| *it = byte);
            }
            3 => {
                let bit = BITS[numbers.below(BITS.len())];
                bytes.splice(at..at, bit.iter().copied());
            }
            4 => {
                let end = (at + numbers.below(40)).min(bytes.len());
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            _ => {
                let other = numbers.below(bytes.len());
                if at < bytes.len() {
                    bytes.swap(at, other);
                }
            }
        }
    }
    bytes
}

#[test]
fn damaged_inputs_are_never_allowed_unless_they_still_say_so() {
    let policy = policy();
    let seeds: Vec<_> = [
        input("Bash", json!({"command": "ls -l"})),
        input("Bash", json!({"command": "ls && ls src"})),
        input("Read", json!({"file_path": "/w/a"})),
        input("Write", json!({"file_path": "/w/src/a", "content": "x"})),
        input("mcp__a__b", json!({"x": {"y": [1, 2, {"z": null}]}})),
        input(
            "WebFetch",
            json!({"url": "https://docs.rs/", "prompt": "p"}),
        ),
        input(
            "apply_patch",
            json!({"command": "*** Begin Patch\n*** Add File: src/a\n+x\n*** End Patch"}),
        ),
    ]
    .map(|seed| seed.to_string().into_bytes())
    .to_vec();
    let (mut numbers, mut read) = (Numbers(0x9e37_79b9_7f4a_7c15), 0);
    for round in 0..12_000 {
        let seed = &seeds[round % seeds.len()];
        let bytes = damaged(seed, &mut numbers);
        let Ok(answer) = decide(&bytes, &policy, None) else {
            continue;
        };
        read += 1;
        if answer.is_allowed() {
            let shown = String::from_utf8_lossy(&bytes).into_owned();
            // A reader that is not ours has to find a whole input in it, and one that is fine.
            let value: Value = serde_json::from_slice(&bytes).expect(&shown);
            assert_eq!(value["hook_event_name"], "PreToolUse", "{shown}");
            if value["tool_name"] == "Bash" && value["tool_input"]["command"].is_string() {
                let line = value["tool_input"]["command"].as_str().unwrap();
                assert!(!line.contains("rm ") && !line.contains('$'), "{shown}");
                assert!(line.trim_start().starts_with("ls"), "{shown}");
            }
        }
    }
    // Otherwise this would test nothing but the reader of JSON.
    assert!(read > 1_000, "{read}");
}

#[test]
fn an_input_that_ends_early_is_never_read() {
    let whole = input("Bash", json!({"command": "ls -l"})).to_string();
    for end in 0..whole.len() {
        assert!(
            decide(&whole.as_bytes()[..end], &policy(), None).is_err(),
            "{end}"
        );
    }
}
