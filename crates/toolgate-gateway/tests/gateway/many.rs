//! Many calls at once.

use std::collections::HashMap;

use serde_json::json;

use crate::client::Client;

const POLICY: &str = "default = \"ask\"\n[tools]\nallow = [\"mcp:s/slow\"]\n";

/// How much memory this process uses, in KiB, where that can be known.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[tokio::test]
async fn two_hundred_calls_and_fifty_questions_neither_lose_nor_cross() {
    let mut client = Client::new(POLICY, true).await;
    client.request("tools/list", json!({})).await;
    let before = memory();
    let mut expected = HashMap::new();
    for number in 0..200 {
        let (tool, args) = match number % 4 {
            0 => ("echo", json!({"n": number})),
            _ => ("slow", json!({"n": number, "ms": 200 + number % 7})),
        };
        let id = client.send_call(tool, args.clone()).await;
        expected.insert(id, args);
    }
    let mut questions = 0;
    while !expected.is_empty() {
        let message = client.read().await;
        if message["method"] == "elicitation/create" {
            questions += 1;
            // Only when everything that needs no answer is through is the first question answered.
            while questions == 1 && expected.len() > 50 {
                let answer = client.read().await;
                let args = expected.remove(&answer["id"].as_u64().unwrap()).unwrap();
                assert_eq!(answer["result"]["got"], args);
            }
            client.answer(&message, "allow once").await;
            continue;
        }
        let args = expected
            .remove(&message["id"].as_u64().unwrap())
            .expect("asked for once");
        assert_eq!(message["result"]["got"], args, "{message}");
    }
    assert_eq!(questions, 50);
    assert_eq!(client.runs().len(), 200);
    if let (Some(before), Some(after)) = (before, memory()) {
        assert!(
            after < before + 32 * 1024,
            "{before} KiB before, {after} KiB after"
        );
    }
    assert!(client.is_quiet().await);
    client.leave().await;
}

#[tokio::test]
async fn more_requests_than_there_is_room_for_are_refused() {
    let mut client = Client::new(
        "default = \"allow\"\ndangerous_default_allow = true\n",
        false,
    )
    .await;
    client.request("tools/list", json!({})).await;
    let most = 4_096;
    let sent: u64 = most + 10;
    for _ in 0..sent {
        client.send_call("hang", json!({})).await;
    }
    for _ in 0..10 {
        let refused = client.read().await;
        assert!(
            refused["error"]["message"]
                .as_str()
                .unwrap()
                .contains("too many"),
            "{refused}"
        );
    }
    assert!(client.is_quiet().await);
    client.leave().await;
}
