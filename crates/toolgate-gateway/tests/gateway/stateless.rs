//! Deferred questions: the client gets them as results, and calls again with the answer.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, told};

const ASK: &str = "default = \"ask\"\n";

fn meta() -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
           "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}})
}

fn params(args: &Value) -> Value {
    json!({"name": "echo", "arguments": args, "_meta": meta()})
}

/// The same call with an answer to its question.
fn again(args: &Value, state: &Value, decision: &str) -> Value {
    let mut params = params(args);
    let filled = json!({"action": "accept", "content": {"decision": decision}});
    params["inputResponses"] = json!({"toolgate": filled});
    params["requestState"] = state.clone();
    params
}

async fn deferred(client: &mut Client, args: &Value) -> Value {
    let answer = client.request("tools/call", params(args)).await;
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    let question = &answer["result"]["inputRequests"]["toolgate"];
    assert_eq!(question["method"], "elicitation/create");
    answer["result"]["requestState"].clone()
}

#[tokio::test]
async fn a_deferred_yes_runs_once() {
    let mut client = Client::new(ASK, false).await;
    let args = json!({"a": 1});
    let state = deferred(&mut client, &args).await;
    assert_eq!(client.runs(), [""; 0]);
    let yes = again(&args, &state, "allow once");
    assert_eq!(
        client.request("tools/call", yes.clone()).await["result"]["got"],
        args
    );
    // Neither the state nor the answer counts again.
    assert_eq!(
        client.request("tools/call", yes).await["error"]["code"],
        -32602
    );
    assert_eq!(client.runs(), ["echo"]);
    client.leave().await;
}

#[tokio::test]
async fn a_deferred_no_does_not_run() {
    let mut client = Client::new(ASK, false).await;
    let args = json!({});
    for decision in ["deny", "yes", ""] {
        let state = deferred(&mut client, &args).await;
        let answer = client
            .request("tools/call", again(&args, &state, decision))
            .await;
        assert!(told(&answer).contains("said no"));
        assert_eq!(answer["result"]["resultType"], "complete");
    }
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn a_state_is_for_one_call_and_cannot_be_made_up() {
    let mut client = Client::new(ASK, false).await;
    let args = json!({"a": 1});
    let state = deferred(&mut client, &args).await;
    let text = state.as_str().unwrap();
    let mut wrong = vec![
        json!("toolgate-1."),
        json!("toolgate-1.00.{}"),
        json!(text.replace("\"ends\":", "\"ends\":9")),
        json!(text.replacen("toolgate-1.", "toolgate-1.0", 1)),
    ];
    // Another gateway has another key.
    let mut other = Client::new(ASK, false).await;
    wrong.push(deferred(&mut other, &args).await);
    other.leave().await;
    for state in wrong {
        let answer = client
            .request("tools/call", again(&args, &state, "allow once"))
            .await;
        assert_eq!(answer["error"]["code"], -32602, "{state}");
    }
    // A state for other arguments.
    let answer = client
        .request("tools/call", again(&json!({"a": 2}), &state, "allow once"))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(client.runs(), [""; 0]);
    // The genuine one still counts.
    let answer = client
        .request("tools/call", again(&args, &state, "allow once"))
        .await;
    assert_eq!(answer["result"]["got"], args);
    client.leave().await;
}

#[tokio::test]
async fn a_state_ends() {
    let short = Duration::from_millis(50);
    let mut client =
        Client::with(ASK, false, |gateway| gateway.with_deferral(short).unwrap()).await;
    let args = json!({});
    let state = deferred(&mut client, &args).await;
    tokio::time::sleep(Duration::from_millis(80)).await;
    let answer = client
        .request("tools/call", again(&args, &state, "allow once"))
        .await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}

#[tokio::test]
async fn a_client_that_cannot_ask_is_refused() {
    let mut client = Client::new(ASK, false).await;
    let mut params = params(&json!({}));
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let answer = client.request("tools/call", params).await;
    assert!(told(&answer).contains("nobody is there"));
    assert_eq!(client.runs(), [""; 0]);
    client.leave().await;
}
