//! Servers and clients that lie, hang, or say what can be read in two ways.

use std::time::{Duration, Instant};

use serde_json::json;
use toolgate_gateway::{Gateway, Server};

use crate::{
    client::{ALLOW, Client, policy, told},
    server::server,
};

const ASK: &str = "default = \"ask\"\n[tools]\nallow = [\"mcp:s/change\", \"mcp:s/double\"]\n";

const SOON: Duration = Duration::from_millis(300);

/// A server that starts and does nothing.
fn mute(name: &str) -> Server {
    Server::command(name, "sleep", ["60".into()]).unwrap()
}

#[tokio::test]
async fn a_tool_that_is_said_to_change_while_it_is_asked_about_does_not_run() {
    let mut client = Client::new(ASK, true).await;
    let id = client.send_call("echo", json!({})).await;
    let question = client.question().await;
    // The server says so, and nobody lists the tools.
    client.call("change", json!({})).await;
    client.answer(&question, "allow once").await;
    assert!(told(&client.until(id).await).contains("changed it"));
    assert_eq!(client.runs(), ["change"]);
    client.leave().await;
}

#[tokio::test]
async fn a_name_on_two_pages_is_nobody_even_if_the_server_says_nothing() {
    let mut client = Client::new(ALLOW, false).await;
    client.call("double", json!({})).await;
    for cursor in [json!({}), json!({"cursor": "2"})] {
        client.request("tools/list", cursor).await;
    }
    assert!(told(&client.call("slow", json!({})).await).contains("more than once"));
    assert_eq!(client.runs(), ["double"]);
    client.leave().await;
}

#[tokio::test]
async fn a_list_of_tools_that_can_be_read_in_two_ways_is_an_error() {
    let mut client = Client::new(ALLOW, false).await;
    let list = client.request("tools/list", json!({"cursor": "odd"})).await;
    assert!(
        list["error"]["message"]
            .as_str()
            .unwrap()
            .contains("two ways"),
        "{list}"
    );
    client.leave().await;
}

#[tokio::test]
async fn names_of_one_side_do_not_reach_the_other_by_being_said_twice() {
    let mut client = Client::new(ALLOW, false).await;
    client.send_call("hang", json!({})).await;
    for params in [r#"{"requestId":1,"requestId":2}"#, "[2]", "7"] {
        let line = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":"#;
        client.raw(&format!("{line}{params}}}")).await;
    }
    client
        .raw(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#)
        .await;
    let line = r#"{"jsonrpc":"2.0","id":70,"method":"tools/call","params":{"name":"echo","_meta":"#;
    for meta in [r#"{"progressToken":1,"progressToken":2}"#, "[]", "\"x\""] {
        client.raw(&format!("{line}{meta}}}}}")).await;
        assert_eq!(client.until(70).await["error"]["code"], -32602, "{meta}");
    }
    client.raw(&format!("{line}null}}}}")).await;
    assert!(client.until(70).await["result"].is_object());
    for params in [
        r#"{"progressToken":1,"progressToken":"mine","progress":1}"#,
        r#"["mine"]"#,
    ] {
        let line = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":"#;
        let params = json!({"line": format!("{line}{params}}}")});
        let params =
            json!({"name": "say", "arguments": params, "_meta": {"progressToken": "mine"}});
        let id = client.send("tools/call", params).await;
        // Its progress would come first.
        assert_eq!(client.read().await["id"], id);
    }
    let line = r#"{"jsonrpc":"2.0","id":5,"method":"roots/list","params":{"_meta":{"progressToken":1,"progressToken":2}}}"#;
    let id = client.send_call("say", json!({"line": line})).await;
    assert_eq!(client.read().await["id"], id);
    assert_eq!(client.runs(), ["hang", "echo", "say", "say", "say"]);
    client.leave().await;
}

#[tokio::test]
async fn a_server_that_ended_is_gone_even_if_something_holds_its_output() {
    let mut client = Client::new(ALLOW, false).await;
    let since = Instant::now();
    let answer = client.call("leave", json!({})).await;
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("status 3")
    );
    assert!(since.elapsed() < Duration::from_secs(10));
    client.leave().await;
}

#[tokio::test]
async fn a_server_that_reads_nothing_holds_nobody_up() {
    let folder = tempfile::TempDir::new().unwrap();
    let gateway = Gateway::new(policy(ALLOW), vec![mute("s")]).unwrap();
    let mut client = Client::of(gateway.with_patience(SOON), folder);
    // More than its pipe holds, and more than the queue before it.
    client.send("ping", json!({"x": "y".repeat(200_000)})).await;
    for _ in 0..300 {
        client.send("ping", json!({})).await;
    }
    let answer = client.request("ping", json!({})).await;
    assert!(
        answer["error"]["message"]
            .as_str()
            .unwrap()
            .contains("does not read")
    );
    client.leave().await;
}

#[tokio::test]
async fn a_server_that_never_answers_is_left_out() {
    let folder = tempfile::TempDir::new().unwrap();
    let servers = vec![mute("m"), server("a", &folder.path().join("runs"))];
    let gateway = Gateway::new(policy(ALLOW), servers).unwrap();
    let mut client = Client::of(gateway.with_patience(SOON), folder);
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let started = client.request("initialize", params).await;
    assert!(
        started["result"]["capabilities"]["tools"].is_object(),
        "{started}"
    );
    let tools = client.request("tools/list", json!({})).await;
    assert!(tools["result"]["tools"].to_string().contains("a__echo"));
    client.leave().await;
}

#[tokio::test]
async fn what_nobody_listed_yet_is_found_among_several_servers() {
    let folder = tempfile::TempDir::new().unwrap();
    let servers = vec![
        server("a", &folder.path().join("one")),
        server("b", &folder.path().join("two")),
    ];
    let mut client = Client::of(Gateway::new(policy(ALLOW), servers).unwrap(), folder);
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    client.request("initialize", params).await;
    let read = client
        .request("resources/read", json!({"uri": "demo://two"}))
        .await;
    assert_eq!(read["result"]["echo"]["uri"], "demo://two");
    let prompt = client
        .request("prompts/get", json!({"name": "b__hello"}))
        .await;
    assert_eq!(prompt["result"]["echo"]["name"], "hello");
    let nothing = client
        .request("resources/read", json!({"uri": "demo://three"}))
        .await;
    assert_eq!(nothing["error"]["code"], -32602);
    client.leave().await;
}

#[tokio::test]
async fn what_was_said_before_the_client_left_still_arrives() {
    let mut client = Client::new(ALLOW, false).await;
    client.request("tools/list", json!({})).await;
    client.call("echo", json!({})).await;
    for _ in 0..50 {
        client
            .send_call("echo", json!({"text": "x".repeat(20_000)}))
            .await;
    }
    let file = client.runs_file();
    let _folder = client.leave().await;
    let runs = std::fs::read_to_string(file).unwrap();
    assert_eq!(runs.lines().count(), 51);
}
