//! What is asked, denied and remembered.

use serde_json::json;
use toolgate_gateway::Gateway;

use crate::{
    client::{ALLOW, Client, policy, told},
    server::server,
};

const ASK: &str =
    "default = \"ask\"\n[tools]\ndeny = [\"mcp:s/never\"]\nallow = [\"mcp:s/change\"]\n";

#[tokio::test]
async fn what_is_always_denied_is_hidden_and_refused() {
    let mut client = Client::new(ASK, true).await;
    let first = client.request("tools/list", json!({})).await;
    let names: Vec<_> = first["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["name"].clone())
        .collect();
    assert_eq!(names, ["echo", "slow"]);
    assert_eq!(first["result"]["nextCursor"], "2");
    let second = client.request("tools/list", json!({"cursor": "2"})).await;
    // A name that comes twice is nobody.
    assert!(!second["result"]["tools"].to_string().contains("same"));
    assert!(second["result"]["tools"].to_string().contains("hang"));
    assert!(told(&client.call("never", json!({})).await).contains("policy does not permit"));
    assert!(told(&client.call("same", json!({})).await).contains("did not run"));
    assert!(told(&client.call("nothing", json!({})).await).contains("did not run"));
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn unknown_tools_are_refused_even_if_everything_is_allowed() {
    let mut client = Client::new(ALLOW, false).await;
    assert!(told(&client.call("same", json!({})).await).contains("more than once"));
    assert!(told(&client.call("Echo", json!({})).await).contains("did not run"));
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn a_question_is_answered_by_its_id_and_once() {
    let mut client = Client::new(ASK, true).await;
    let id = client.send_call("echo", json!({"a": 1})).await;
    let question = client.question().await;
    let text = question["params"]["message"].as_str().unwrap();
    assert!(text.contains("echo") && text.contains("a: 1"), "{text}");
    // Answers to other ids, and answers that are none, are no answers.
    for other in [json!(1), json!("toolgate-0"), json!(null)] {
        let yes = json!({"action": "accept", "content": {"decision": "allow once"}});
        client
            .write(&json!({"jsonrpc": "2.0", "id": other, "result": yes}))
            .await;
    }
    let refused = client.read().await;
    assert_eq!(refused["error"]["code"], -32600);
    assert!(client.is_quiet().await);
    assert_eq!(client.runs(), [""; 0]);
    client.answer(&question, "allow once").await;
    assert_eq!(client.until(id).await["result"]["got"], json!({"a": 1}));
    // The same answer again is an answer to nothing.
    let id = client.send_call("echo", json!({"a": 1})).await;
    client.answer(&question, "allow once").await;
    let question = client.question().await;
    client.answer(&question, "deny").await;
    assert!(told(&client.until(id).await).contains("said no"));
    assert_eq!(client.runs(), ["echo"]);
    client.leave().await;
}

#[tokio::test]
async fn an_error_is_no_answer() {
    let mut client = Client::new(ASK, true).await;
    let id = client.send_call("echo", json!({})).await;
    let question = client.question().await;
    let error = json!({"code": -1, "message": "no"});
    client
        .write(&json!({"jsonrpc": "2.0", "id": question["id"], "error": error}))
        .await;
    assert!(told(&client.until(id).await).contains("asking for it failed"));
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn with_nobody_to_ask_a_call_is_refused() {
    let mut client = Client::new(ASK, false).await;
    assert!(told(&client.call("echo", json!({})).await).contains("nobody is there"));
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn a_tool_that_changed_is_asked_about_again() {
    let mut client = Client::new(ASK, true).await;
    let id = client.send_call("echo", json!({})).await;
    let question = client.question().await;
    client.answer(&question, "allow for this session").await;
    client.until(id).await;
    // Remembered.
    assert!(client.call("echo", json!({})).await["result"]["isError"].is_null());
    client.call("change", json!({})).await;
    let id = client.send_call("echo", json!({})).await;
    let question = client.question().await;
    client.answer(&question, "deny").await;
    told(&client.until(id).await);
    assert_eq!(client.runs(), ["echo", "echo", "change"]);
    client.leave().await;
}

#[tokio::test]
async fn a_tool_that_changes_while_it_is_asked_about_does_not_run() {
    let mut client = Client::new(ASK, true).await;
    let id = client.send_call("echo", json!({})).await;
    let question = client.question().await;
    client.call("change", json!({})).await;
    // The new definition is known from here on.
    client.request("tools/list", json!({})).await;
    client.answer(&question, "allow once").await;
    assert!(told(&client.until(id).await).contains("changed it"));
    assert_eq!(client.runs(), ["change"]);
    client.leave().await;
}

#[tokio::test]
async fn hints_never_allow_anything() {
    // Every tool of this server says that it only reads.
    let mut client = Client::new("default = \"ask\"\n", false).await;
    told(&client.call("echo", json!({})).await);
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn arguments_that_can_be_read_in_two_ways_are_refused() {
    let mut client = Client::new(ALLOW, false).await;
    for args in [
        r#"{"a":1,"a":2}"#,
        r#"{"a":{"b":1,"b":2}}"#,
        "[1]",
        "\"x\"",
        "null",
    ] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{{"name":"echo","arguments":{args}}}}}"#
        );
        client.raw(&line).await;
        assert_eq!(client.until(77).await["error"]["code"], -32602, "{args}");
    }
    let twice = r#"{"jsonrpc":"2.0","id":78,"method":"tools/call","params":{"name":"echo","name":"never"}}"#;
    client.raw(twice).await;
    assert_eq!(client.until(78).await["error"]["code"], -32602);
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn a_cancelled_question_is_withdrawn_and_nothing_runs() {
    let mut client = Client::new(ASK, true).await;
    let id = client.send_call("echo", json!({})).await;
    let question = client.question().await;
    client.write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})).await;
    let withdrawn = client.read().await;
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    client.answer(&question, "allow once").await;
    assert!(client.is_quiet().await);
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn two_servers_are_kept_apart() {
    let folder = tempfile::TempDir::new().unwrap();
    let servers = vec![
        server("a", &folder.path().join("runs")),
        server("b_c", &folder.path().join("other")),
    ];
    let text = format!("{ALLOW}[tools]\ndeny = [\"mcp:a/echo\"]\n");
    let other = folder.path().join("other");
    let mut client = Client::of(Gateway::new(policy(&text), servers).unwrap(), folder);
    let started = client
        .request(
            "initialize",
            json!({"protocolVersion": "2025-11-25", "capabilities": {}}),
        )
        .await;
    assert_eq!(started["result"]["serverInfo"]["name"], "toolgate");
    // Before anything was listed.
    assert_eq!(
        client.call("b_c__echo", json!({"x": 1})).await["result"]["got"],
        json!({"x": 1})
    );
    let tools = client.request("tools/list", json!({})).await["result"]["tools"].to_string();
    assert!(tools.contains("b_c__echo") && tools.contains("a__slow") && !tools.contains("a__echo"));
    assert!(
        client.call("a__echo", json!({})).await["error"]["message"]
            .as_str()
            .unwrap()
            .contains("no tool")
    );
    assert!(client.call("echo", json!({})).await["error"].is_object());
    assert_eq!(client.runs(), [""; 0]);
    assert_eq!(std::fs::read_to_string(other).unwrap(), "echo\n");
    client.leave().await;
}
