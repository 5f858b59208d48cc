//! An agent and a client, both real ends of the protocol, connected in memory.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::{
    future::Future,
    sync::{Arc, Mutex},
};

use agent_client_protocol::{
    Agent, Channel, Client,
    v1::{
        ConnectionTo,
        schema::{
            PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
            RequestPermissionResponse, SelectedPermissionOutcome,
        },
    },
};
use toolgate::{
    Args, Authorize, Authorized, BlockedKind, GateLayer, Grants, MemoryLayer, Origin, PromptLayer,
    ReviewLayer, ToolBlocked, ToolCall,
};
use toolgate_acp::{AcpError, AcpErrorKind, AcpPrompt};
use tower::{ServiceBuilder, ServiceExt, util::BoxCloneSyncService};

type Stack = BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>;
type Asked = Arc<Mutex<Vec<RequestPermissionRequest>>>;

fn stack(prompt: AcpPrompt) -> Stack {
    BoxCloneSyncService::new(
        ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(prompt))
            .layer(MemoryLayer::new(Grants::new()))
            .layer(GateLayer::new())
            .service(Authorize::new()),
    )
}

fn forgetful(prompt: AcpPrompt) -> Stack {
    BoxCloneSyncService::new(
        ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(prompt))
            .layer(GateLayer::new())
            .service(Authorize::new()),
    )
}

fn call() -> ToolCall {
    let args = Args::new().with("path", "a\u{202e}b");
    ToolCall::new("write", args)
        .with_id("call-1")
        .with_origin(Origin::new().with_session("sess-1"))
}

fn chosen(id: &str) -> RequestPermissionOutcome {
    RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(id.to_owned()))
}

/// Runs `agent` against a client that always answers `outcome`, and returns what was asked.
async fn with_client<F: Future<Output = ()> + Send>(
    outcome: RequestPermissionOutcome,
    agent: impl FnOnce(ConnectionTo<Client>) -> F + Send,
) -> Vec<RequestPermissionRequest> {
    let (ours, theirs) = Channel::duplex();
    let asked = Asked::default();
    let seen = Arc::clone(&asked);
    let client = Client
        .v1()
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _connection| {
                seen.lock().unwrap().push(request);
                responder.respond(RequestPermissionResponse::new(outcome.clone()))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_to(theirs);
    let client = tokio::spawn(client);
    Agent
        .v1()
        .connect_with(ours, async move |connection: ConnectionTo<Client>| {
            agent(connection).await;
            Ok(())
        })
        .await
        .unwrap();
    client.abort();
    let asked = asked.lock().unwrap();
    asked.clone()
}

async fn blocked_by(outcome: RequestPermissionOutcome) -> BlockedKind {
    let (send, receive) = tokio::sync::oneshot::channel();
    with_client(outcome, |connection| async move {
        let stack = stack(AcpPrompt::new(connection));
        let _ = send.send(stack.oneshot(call()).await.unwrap_err());
    })
    .await;
    receive.await.unwrap().kind()
}

#[tokio::test]
async fn the_client_is_shown_the_call_and_may_choose_how_long_it_holds() {
    let asked = with_client(chosen("allow-once"), |connection| async move {
        let stack = stack(AcpPrompt::new(connection));
        for _ in 0..2 {
            let _ = stack.clone().oneshot(call()).await.unwrap();
        }
    })
    .await;
    assert_eq!(asked.len(), 2, "once is once");
    let question = &asked[0];
    assert_eq!(&*question.session_id.0, "sess-1");
    assert_eq!(&*question.tool_call.tool_call_id.0, "call-1");
    let raw = question.tool_call.fields.raw_input.as_ref().unwrap();
    assert_eq!(raw["path"], "a\u{202e}b");
    let shown = format!("{:?}", question.tool_call.fields.title);
    assert!(!shown.contains('\u{202e}'), "{shown}");
    let kinds: Vec<_> = question.options.iter().map(|option| option.kind).collect();
    assert_eq!(
        kinds,
        [
            PermissionOptionKind::AllowOnce,
            PermissionOptionKind::AllowAlways,
            PermissionOptionKind::RejectOnce,
            PermissionOptionKind::RejectAlways,
        ]
    );
    assert!(question.options[1].name.contains("with the same path"));
}

#[tokio::test]
async fn an_answer_for_always_is_remembered() {
    let asked = with_client(chosen("allow-always"), |connection| async move {
        let stack = stack(AcpPrompt::new(connection));
        for _ in 0..2 {
            let _ = stack.clone().oneshot(call()).await.unwrap();
        }
    })
    .await;
    assert_eq!(asked.len(), 1);

    let asked = with_client(chosen("reject-always"), |connection| async move {
        let stack = stack(AcpPrompt::new(connection));
        for kind in [BlockedKind::Declined, BlockedKind::RememberedDenial] {
            let blocked = stack.clone().oneshot(call()).await.unwrap_err();
            assert_eq!(blocked.kind(), kind);
        }
    })
    .await;
    assert_eq!(asked.len(), 1);
}

#[tokio::test]
async fn rejected_and_cancelled_are_declines() {
    assert_eq!(
        blocked_by(chosen("reject-once")).await,
        BlockedKind::Declined
    );
    let cancelled = RequestPermissionOutcome::Cancelled;
    assert_eq!(blocked_by(cancelled).await, BlockedKind::Declined);
}

#[tokio::test]
async fn an_option_that_was_not_offered_is_a_refusal() {
    for odd in ["yes", "", "ALLOW-ONCE", "allow_once"] {
        assert_eq!(blocked_by(chosen(odd)).await, BlockedKind::HandlerFailed);
    }
}

#[tokio::test]
async fn without_a_memory_always_is_not_offered_and_choosing_it_is_a_refusal() {
    let asked = with_client(chosen("allow-always"), |connection| async move {
        let stack = forgetful(AcpPrompt::new(connection));
        let blocked = stack.oneshot(call()).await.unwrap_err();
        assert_eq!(blocked.kind(), BlockedKind::HandlerFailed);
        let mut source: &dyn std::error::Error = &blocked;
        while let Some(inner) = source.source() {
            source = inner;
        }
        let error = source.downcast_ref::<AcpError>().unwrap();
        assert_eq!(error.kind(), AcpErrorKind::UnknownOption);
    })
    .await;
    assert_eq!(asked[0].options.len(), 2);
}

#[tokio::test]
async fn a_call_without_a_session_is_not_asked_about() {
    let asked = with_client(chosen("allow-once"), |connection| async move {
        let stack = stack(AcpPrompt::new(connection));
        let nowhere = call().with_origin(Origin::new());
        let blocked = stack.oneshot(nowhere).await.unwrap_err();
        assert_eq!(blocked.kind(), BlockedKind::HandlerFailed);
    })
    .await;
    assert!(asked.is_empty());
}

#[tokio::test]
async fn a_call_that_is_dropped_cancels_the_question() {
    let (ours, theirs) = Channel::duplex();
    let (asked, mut asking) = tokio::sync::mpsc::unbounded_channel();
    let client = Client
        .v1()
        .on_receive_request(
            async move |_: RequestPermissionRequest, responder, connection: ConnectionTo<Agent>| {
                let asked = asked.clone();
                connection.spawn(async move {
                    asked.send("asked").unwrap();
                    responder.cancellation().cancelled().await;
                    asked.send("cancelled").unwrap();
                    let outcome = RequestPermissionOutcome::Cancelled;
                    responder.respond(RequestPermissionResponse::new(outcome))
                })
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_to(theirs);
    let client = tokio::spawn(client);
    Agent
        .v1()
        .connect_with(ours, async move |connection: ConnectionTo<Client>| {
            let stack = stack(AcpPrompt::new(connection));
            tokio::select! {
                _ = stack.oneshot(call()) => panic!("nobody answered"),
                said = asking.recv() => assert_eq!(said, Some("asked")),
            }
            assert_eq!(asking.recv().await, Some("cancelled"));
            Ok(())
        })
        .await
        .unwrap();
    client.abort();
}
