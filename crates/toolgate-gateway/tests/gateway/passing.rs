//! What passes, what does not, and who is told when somebody goes away.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::client::{ALLOW, Client};

#[tokio::test]
async fn what_is_no_message_is_answered_without_an_id() {
    let mut client = Client::new(ALLOW, false).await;
    for (line, code) in [
        ("{", -32700),
        ("hello", -32700),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
    ] {
        client.raw(line).await;
        let answer = client.read().await;
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&json!(null), &json!(code)),
            "{line}"
        );
    }
    client.raw("").await;
    assert_eq!(
        client.request("ping", json!({"x": 1})).await["result"]["echo"],
        json!({"x": 1})
    );
    client.leave().await;
}

#[tokio::test]
async fn methods_that_nobody_knows_do_not_reach_the_server() {
    let mut client = Client::new(ALLOW, false).await;
    for method in [
        "tools/callMany",
        "tools/Call",
        "TOOLS/CALL",
        "x",
        "tools/call ",
    ] {
        let answer = client.request(method, json!({"name": "echo"})).await;
        assert_eq!(answer["error"]["code"], -32601, "{method}");
    }
    client
        .write(&json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo"}}))
        .await;
    assert!(client.is_quiet().await);
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn an_id_that_is_taken_does_not_answer_for_the_other() {
    let mut client = Client::new(ALLOW, false).await;
    let id = client.send_call("slow", json!({"ms": 300})).await;
    client.write(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "echo"}})).await;
    let refused = client.read().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(null), &json!(-32600))
    );
    assert_eq!(client.until(id).await["result"]["got"], json!({"ms": 300}));
    assert_eq!(client.runs(), ["slow"]);
    client.leave().await;
}

#[tokio::test]
async fn messages_that_are_too_long_are_refused_and_the_next_is_read() {
    let mut client = Client::with(ALLOW, false, |gateway| gateway.with_max_message(10_000)).await;
    client.call("echo", json!({"a": 1})).await;
    let id = client
        .send_call("echo", json!({"text": "x".repeat(20_000)}))
        .await;
    let refused = client.read().await;
    assert_eq!(
        (&refused["id"], &refused["error"]["code"]),
        (&json!(null), &json!(-32600))
    );
    assert_eq!(
        client.call("echo", json!({"a": 2})).await["result"]["got"],
        json!({"a": 2})
    );
    assert_eq!(client.runs(), ["echo", "echo"]);
    // From a server it ends the server: nobody knows whose answer it was.
    let waiting = client.send_call("hang", json!({})).await;
    let huge = client.send_call("huge", json!({})).await;
    for _ in 0..2 {
        let answer = client.read().await;
        assert!(answer["id"] == huge || answer["id"] == waiting);
        assert!(
            answer["error"]["message"]
                .as_str()
                .unwrap()
                .contains("longer than"),
            "{answer}"
        );
    }
    assert_ne!(id, huge);
    client.leave().await;
}

#[tokio::test]
async fn answers_that_come_twice_or_for_nothing_are_dropped() {
    let mut client = Client::new(ALLOW, false).await;
    assert_eq!(
        client.call("twice", json!({})).await["result"]["first"],
        true
    );
    assert!(client.is_quiet().await);
    client.leave().await;
}

#[tokio::test]
async fn requests_of_the_server_have_ids_of_their_own() {
    let mut client = Client::new(ALLOW, false).await;
    let id = client.send_call("ask", json!({})).await;
    let asked = client.read().await;
    assert_eq!(asked["method"], "roots/list");
    assert_ne!(asked["id"], "1");
    // The second of the same id, and what no server may request, do not arrive.
    assert!(client.is_quiet().await);
    client
        .write(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [7]}}))
        .await;
    assert_eq!(
        client.until(id).await["result"]["got"],
        json!({"roots": [7]})
    );
    client.leave().await;
}

#[tokio::test]
async fn progress_goes_to_whoever_asked_for_it() {
    let mut client = Client::new(ALLOW, false).await;
    client.call("echo", json!({})).await;
    let params = json!({"name": "progress", "arguments": {}, "_meta": {"progressToken": "mine", "other": [1.5]}});
    let id = client.send("tools/call", params).await;
    let progress = client.read().await;
    assert_eq!(progress["params"]["progressToken"], "mine");
    let answer = client.read().await;
    assert_eq!(answer["id"], id);
    assert_eq!(answer["result"]["meta"]["other"], json!([1.5]));
    assert!(client.is_quiet().await);
    client.leave().await;
}

#[tokio::test]
async fn cancelling_reaches_the_server_under_its_own_id() {
    let mut client = Client::new(ALLOW, false).await;
    let id = client.send_call("hang", json!({})).await;
    while client.runs() != ["hang"] {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let params = json!({"requestId": id, "reason": "why"});
    client
        .write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
        .await;
    client.request("ping", json!({})).await;
    assert_eq!(client.runs(), ["hang", "cancelled \"why\""]);
    client.leave().await;
}

#[tokio::test]
async fn a_server_that_ends_is_an_error_and_no_hang() {
    let mut client = Client::new(ALLOW, false).await;
    let waiting = client.send_call("hang", json!({})).await;
    let crash = client.send_call("crash", json!({})).await;
    for _ in 0..2 {
        let answer = client.read().await;
        assert!(answer["id"] == waiting || answer["id"] == crash);
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("`s` is gone") && message.contains("status 3"),
            "{message}"
        );
    }
    // And so is everything after.
    assert!(client.request("ping", json!({})).await["error"].is_object());
    assert!(client.call("echo", json!({})).await["error"].is_object());
    client.leave().await;
}

#[tokio::test]
async fn a_client_that_goes_away_takes_its_questions_and_its_server_along() {
    let ask = "default = \"ask\"\n[tools]\nallow = [\"mcp:s/hang\"]\n";
    let mut client = Client::new(ask, true).await;
    client.send_call("hang", json!({})).await;
    client.send_call("echo", json!({})).await;
    client.question().await;
    let since = Instant::now();
    let file = client.runs_file();
    let folder = client.leave().await;
    assert!(since.elapsed() < Duration::from_secs(4));
    assert_eq!(std::fs::read_to_string(file).unwrap(), "hang\n");
    drop(folder);
}

#[tokio::test]
async fn a_server_that_cannot_be_started_is_an_error() {
    let server = toolgate_gateway::Server::command("s", "/nonexistent/program", []).unwrap();
    let gateway =
        toolgate_gateway::Gateway::new(crate::client::policy(ALLOW), vec![server]).unwrap();
    let outcome = gateway.serve(tokio::io::empty(), tokio::io::sink()).await;
    assert!(
        outcome
            .unwrap_err()
            .to_string()
            .contains("`s` cannot be started")
    );
}

#[tokio::test]
async fn hints_can_ask_for_more() {
    let mut client = Client::with(ALLOW, false, toolgate_gateway::Gateway::ask_by_hint).await;
    // It says that it destroys nothing: that changes nothing.
    assert!(client.call("echo", json!({})).await["result"]["isError"].is_null());
    client.leave().await;
}
