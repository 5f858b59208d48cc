//! The server's side.

use std::time::Duration;

use rmcp::model::CallToolRequestParams;
use serde_json::json;
use toolgate::{
    Authorize, Decision, GateLayer, Origin, PromptLayer, ReviewLayer, Reviewing, ToolCall,
    approval_channel,
};
use toolgate_rmcp::GatedServer;
use tower::ServiceBuilder;

use crate::{
    notes::{Notes, connect, read, request},
    stack::{allowing, asking, by, waiting},
};

#[tokio::test]
async fn an_allowed_request_reaches_the_tool_as_it_was() {
    let notes = Notes::new();
    let client = connect(GatedServer::new("notes", notes.clone(), allowing())).await;
    let mut sent = request("read", json!({"path": "a", "n": 9_007_199_254_740_993_u64}));
    sent.request_state = Some("opaque".into());
    assert_eq!(
        read(client.call_tool_once(sent.clone()).await.unwrap()),
        ("done".into(), false)
    );
    let bare = CallToolRequestParams::new("read");
    client.call_tool_once(bare).await.unwrap();

    let seen = notes.seen();
    assert_eq!(seen[0].arguments, sent.arguments);
    assert_eq!(seen[0].request_state, sent.request_state);
    assert_eq!(seen[1].arguments, None);
}

#[tokio::test]
async fn everything_but_calls_is_the_handlers() {
    let client = connect(GatedServer::new("notes", Notes::new(), allowing())).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 2);
    let info = client.peer_info().unwrap();
    assert_eq!(info.instructions.as_deref(), Some("notes"));
}

#[tokio::test]
async fn a_blocked_call_is_a_result_and_the_tool_does_not_run() {
    let notes = Notes::new();
    let deny = by(|_: &ToolCall<Reviewing>| Decision::deny("not on Sundays"));
    let client = connect(GatedServer::new("notes", notes.clone(), deny)).await;
    let sent = request("write", json!({"path": "a"}));
    let (told, is_error) = read(client.call_tool_once(sent).await.unwrap());
    assert!(is_error);
    assert!(told.starts_with("`notes/write` did not run"), "{told}");
    assert!(told.contains("not on Sundays"), "{told}");
    assert!(notes.seen().is_empty());
}

#[tokio::test]
async fn a_tool_that_is_not_listed_is_refused_even_if_everything_is_allowed() {
    let notes = Notes::new();
    let client = connect(GatedServer::new("notes", notes.clone(), allowing())).await;
    let sent = CallToolRequestParams::new("hidden");
    let (told, is_error) = read(client.call_tool_once(sent).await.unwrap());
    assert!(is_error && told.contains("there is no such tool"), "{told}");
    assert!(notes.seen().is_empty());
}

#[tokio::test]
async fn only_the_authorised_arguments_run() {
    let notes = Notes::new();
    let stack = by(|call: &ToolCall<Reviewing>| {
        Decision::allow().with_args(call.args().with("path", "/notes/a"))
    });
    let client = connect(GatedServer::new("notes", notes.clone(), stack)).await;
    let sent = request("read", json!({"path": "../a"}));
    client.call_tool_once(sent).await.unwrap();
    let args = notes.seen()[0].arguments.clone().unwrap();
    assert_eq!(serde_json::Value::from(args), json!({"path": "/notes/a"}));
}

#[tokio::test]
async fn policies_see_server_definition_hints_and_origin() {
    let stack = by(|call: &ToolCall<Reviewing>| {
        let right = call.tool().server() == Some("notes")
            && call.tool().definition().is_some()
            && call.annotations().read_only() == Some(true)
            && call.origin().session() == Some("s-1")
            && call.id().is_some();
        match right {
            true => Decision::allow(),
            false => Decision::deny("something is missing"),
        }
    });
    let gated = GatedServer::new("notes", Notes::new(), stack)
        .with_origin_of(|_| Origin::new().with_session("s-1"));
    let client = connect(gated).await;
    let sent = CallToolRequestParams::new("read");
    assert_eq!(
        read(client.call_tool_once(sent).await.unwrap()).0,
        "done".to_owned()
    );
}

#[tokio::test]
async fn a_changed_definition_voids_what_was_remembered() {
    let notes = Notes::new();
    let (stack, human) = asking();
    let gated = GatedServer::new("notes", notes.clone(), stack)
        .with_origin(Origin::new().with_session("s"));
    let client = connect(gated).await;
    let sent = request("write", json!({"path": "a"}));
    for _ in 0..2 {
        client.call_tool_once(sent.clone()).await.unwrap();
    }
    assert_eq!(human.asked(), 1);
    notes.describe("writes a note, and sends it to everybody");
    client.call_tool_once(sent).await.unwrap();
    assert_eq!(human.asked(), 2);
}

#[tokio::test]
async fn a_client_that_gives_up_withdraws_the_question() {
    let notes = Notes::new();
    let (prompt, mut questions) = approval_channel(1);
    let stack = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(GateLayer::new())
        .service(Authorize::new());
    let client = connect(GatedServer::new("notes", notes.clone(), stack)).await;
    let call = client.call_tool_once(CallToolRequestParams::new("write"));
    let question = tokio::select! {
        _ = call => panic!("nobody answered"),
        question = questions.recv() => question.unwrap(),
    };
    // The select has dropped the call, and rmcp tells the server that it is cancelled.
    let withdrawn = async {
        while !question.is_withdrawn() {
            tokio::task::yield_now().await;
        }
    };
    let limit = Duration::from_secs(10);
    tokio::time::timeout(limit, withdrawn).await.unwrap();
    assert!(question.approve().is_err());
    assert!(notes.seen().is_empty());
}

#[tokio::test]
async fn a_tool_that_changes_while_it_is_asked_about_does_not_run() {
    let notes = Notes::new();
    let (stack, mut questions) = waiting();
    let client = connect(GatedServer::new("notes", notes.clone(), stack)).await;
    let call = client.call_tool_once(CallToolRequestParams::new("write"));
    let (answer, ()) = tokio::join!(call, async {
        let question = questions.recv().await.unwrap();
        notes.describe("writes elsewhere");
        question.approve().unwrap();
    });
    let (told, is_error) = read(answer.unwrap());
    assert!(is_error && told.contains("no such tool"), "{told}");
    assert!(notes.seen().is_empty());
}
