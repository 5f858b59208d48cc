//! Shows questions as events, for hosts with user interfaces of their own: one subscriber answers,
//! another one only watches a single session.
//!
//! `cargo run -p toolgate-examples --example broker`

use toolgate::{
    Args, Broker, BrokerEvent, Choice, EventFilter, GateLayer, Origin, PermissionResponse,
    PromptLayer, ReviewLayer, Subscription, ToolCall,
};
use toolgate_examples::{BoxError, toolbox};
use tower::{ServiceBuilder, ServiceExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let (ended, watched) = session().await?;
    for line in ended.iter().chain(&watched) {
        println!("{line}");
    }
    Ok(())
}

async fn session() -> Result<(Vec<String>, Vec<String>), BoxError> {
    let broker = Broker::new();
    let answering = tokio::spawn(answer(broker.clone(), broker.subscribe(EventFilter::all())));
    let mut watching = broker.subscribe(EventFilter::all().with_session("blue"));

    let guarded = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(broker.prompt("tools")))
        .layer(GateLayer::new())
        .service(toolbox()?);

    let mut ended = Vec::new();
    for session in ["red", "blue"] {
        let call = ToolCall::new("read_file", Args::new().with("path", "notes.txt"))
            .with_origin(Origin::new().with_session(session).with_principal("ann"));
        ended.push(match guarded.clone().oneshot(call).await {
            Ok(result) => format!("{session}: {result}"),
            Err(error) => format!("{session}: {error}"),
        });
    }
    answering.abort();
    let mut watched = Vec::new();
    for _ in 0..2 {
        watched.extend(watching.recv().await.map(|event| describe(&event)));
    }
    Ok((ended, watched))
}

/// Answers every question: yes in the blue session, no elsewhere.
async fn answer(broker: Broker, mut events: Subscription) {
    while let Some(event) = events.recv().await {
        let BrokerEvent::Requested { address, request } = event else {
            continue;
        };
        let choice = match address.session.as_deref() {
            Some("blue") => Choice::AllowOnce,
            _ => Choice::DenyOnce,
        };
        // Only who the agent works for may answer, and the host knows who that is.
        let response = PermissionResponse::new(request.id, address, choice).by("ann");
        if let Err(error) = broker.respond(response) {
            println!("not answered: {error}");
        }
    }
}

fn describe(event: &BrokerEvent) -> String {
    match event {
        BrokerEvent::Requested { request, .. } => format!("asked: {}", request.description),
        BrokerEvent::Answered { choice, .. } => format!("answered: {choice:?}"),
        _ => "over".to_owned(),
    }
}

#[tokio::test]
async fn each_session_has_its_own_answer_and_watchers_see_their_own() -> Result<(), BoxError> {
    let (ended, watched) = session().await?;
    assert!(
        ended[0].starts_with("red: tool `read_file` blocked: declined"),
        "{}",
        ended[0]
    );
    assert_eq!(ended[1], "blue: \"contents of notes.txt\"");
    assert_eq!(
        watched,
        [
            "asked: read_file(path=\"notes.txt\")",
            "answered: AllowOnce"
        ]
    );
    Ok(())
}
