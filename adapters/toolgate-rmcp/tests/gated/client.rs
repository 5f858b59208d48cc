//! The host's side.

use rmcp::model::{CallToolRequestParams, JsonObject, Tool};
use serde_json::json;
use toolgate::{BlockedKind, Decision, Origin, Reviewing, ToolCall};
use toolgate_rmcp::GatedClient;

use crate::{
    notes::{Notes, connect, read, request},
    stack::{allowing, asking, by, waiting},
};

#[tokio::test]
async fn only_authorised_calls_leave_with_the_authorised_arguments() {
    let notes = Notes::new();
    let client = connect(notes.clone()).await;
    let stack = by(|call: &ToolCall<Reviewing>| match call.tool().name() {
        "read" => Decision::allow().with_args(call.args().with("limit", 10)),
        _ => Decision::deny("only reading"),
    });
    let gated = GatedClient::new("notes", client.peer().clone(), stack)
        .await
        .unwrap();

    let sent = request("read", json!({"limit": 5000}));
    let ran = gated.call_tool(sent, Origin::new()).await.unwrap();
    assert_eq!(read(ran), ("done".into(), false));
    let sent = CallToolRequestParams::new("write");
    let refusal = gated
        .authorize(sent.clone(), Origin::new())
        .await
        .unwrap_err();
    assert_eq!(refusal.blocked().unwrap().kind(), BlockedKind::Denied);
    let (told, is_error) = read(gated.call_tool(sent, Origin::new()).await.unwrap());
    assert!(is_error && told.contains("only reading"), "{told}");

    let seen = notes.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!(seen[0].arguments.clone().unwrap()["limit"], 10);
}

#[tokio::test]
async fn a_name_that_is_unknown_or_listed_twice_is_refused() {
    let notes = Notes::new();
    notes.list(Tool::new("write", "another one", JsonObject::new()));
    let client = connect(notes.clone()).await;
    let gated = GatedClient::new("notes", client.peer().clone(), allowing())
        .await
        .unwrap();
    for tool in ["write", "hidden"] {
        let sent = CallToolRequestParams::new(tool);
        let (told, is_error) = read(gated.call_tool(sent, Origin::new()).await.unwrap());
        assert!(is_error && told.contains("no such tool, or more"), "{told}");
    }
    assert!(notes.seen().is_empty());
}

#[tokio::test]
async fn a_definition_that_is_listed_anew_voids_what_was_remembered() {
    let notes = Notes::new();
    let client = connect(notes.clone()).await;
    let (stack, human) = asking();
    let gated = GatedClient::new("notes", client.peer().clone(), stack)
        .await
        .unwrap();
    let origin = Origin::new().with_session("s").with_agent("root");
    let sent = request("write", json!({"path": "a"}));
    for _ in 0..2 {
        gated.call_tool(sent.clone(), origin.clone()).await.unwrap();
    }
    assert_eq!(human.asked(), 1);
    notes.describe("writes elsewhere");
    gated.refresh().await.unwrap();
    gated.call_tool(sent, origin).await.unwrap();
    assert_eq!(human.asked(), 2);
    assert_eq!(human.questions()[0].origin.session(), Some("s"));
}

#[tokio::test]
async fn a_tool_that_changes_while_it_is_asked_about_does_not_run() {
    let notes = Notes::new();
    let client = connect(notes.clone()).await;
    let (stack, mut questions) = waiting();
    let gated = GatedClient::new("notes", client.peer().clone(), stack)
        .await
        .unwrap();
    let call = gated.call_tool(CallToolRequestParams::new("write"), Origin::new());
    let (answer, ()) = tokio::join!(call, async {
        let question = questions.recv().await.unwrap();
        notes.describe("writes elsewhere");
        gated.refresh().await.unwrap();
        question.approve().unwrap();
    });
    let (told, is_error) = read(answer.unwrap());
    assert!(is_error && told.contains("no such tool"), "{told}");
    assert!(notes.seen().is_empty());
}
