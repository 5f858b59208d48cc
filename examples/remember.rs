//! Shows remembering: what identifies an operation is up to its configuration, here the recipient
//! and not the text of a mail.
//!
//! `cargo run -p toolgate-examples --example remember`

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::json;
use toolgate::{
    ApprovalDecision, ApprovalRequest, GateLayer, Grants, MemoryLayer, Origin, PromptLayer,
    Remember, ReviewLayer, ToolCall, ToolConfig, ToolRules, ToolRulesLayer,
};
use toolgate_examples::{BoxError, toolbox};
use tower::{ServiceBuilder, ServiceExt, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let (asked, grants) = session().await?;
    println!(
        "asked {asked} times, and remembered:\n{}",
        grants.export_with_sessions()?
    );
    Ok(())
}

async fn session() -> Result<(usize, Grants), BoxError> {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let human = service_fn(move |request: ApprovalRequest| {
        counter.fetch_add(1, Ordering::SeqCst);
        println!("asked: {}", request.description);
        for suggestion in &request.suggestions {
            println!("  an answer can be remembered for {}", suggestion.text);
        }
        async { Ok::<_, BoxError>(ApprovalDecision::approve().remembered(Remember::Session)) }
    });
    let rules = ToolRules::new([(
        "send_email",
        ToolConfig::needs_approval()
            .remember_by(["to"])
            .because("mail leaves the company"),
    )])?;
    let grants = Grants::new();
    let guarded = ServiceBuilder::new()
        .layer(ReviewLayer::new().with_tool_rules(rules.clone()))
        .layer(PromptLayer::new(human))
        .layer(ToolRulesLayer::new(rules))
        .layer(MemoryLayer::new(grants.clone()))
        .layer(GateLayer::new())
        .service(toolbox()?);

    for (session, to, text) in [
        ("monday", "ann@example.com", "hello"),
        ("monday", "ann@example.com", "hello again"),
        ("monday", "bob@example.com", "hello"),
        ("tuesday", "ann@example.com", "hello"),
    ] {
        let args = json!({"to": to, "text": text});
        let call = ToolCall::new("send_email", args.try_into()?)
            .with_origin(Origin::new().with_session(session));
        let sent = guarded.clone().oneshot(call).await?;
        println!("{session}: {sent}");
    }
    Ok((asked.load(Ordering::SeqCst), grants))
}

#[tokio::test]
async fn an_answer_holds_for_the_recipient_and_for_the_session() -> Result<(), BoxError> {
    let (asked, grants) = session().await?;
    assert_eq!(
        asked, 3,
        "not for the second mail to the same person on the same day"
    );
    assert_eq!(grants.list().len(), 3);
    Ok(())
}
