//! Shows a parallel batch: every call is settled before the first one runs, and a declined call
//! leaves the others alone.
//!
//! `cargo run -p toolgate-examples --example batch`

use serde_json::json;
use toolgate::{
    ApprovalDecision, ApprovalRequest, GateLayer, PromptLayer, ReviewLayer, ToolCall, ToolConfig,
    ToolRules, ToolRulesLayer, run_batch,
};
use toolgate_examples::{BoxError, toolbox};
use tower::{ServiceBuilder, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    for line in session().await? {
        println!("{line}");
    }
    Ok(())
}

async fn session() -> Result<Vec<String>, BoxError> {
    let rules = ToolRules::new([("read_*", ToolConfig::pre_approved())])?;
    let human = service_fn(|request: ApprovalRequest| async move {
        println!("asked: {}", request.description);
        Ok::<_, BoxError>(match request.args.get("to").and_then(|to| to.as_str()) {
            Some("ann@example.com") => ApprovalDecision::approve(),
            _ => ApprovalDecision::decline().with_note("not to them"),
        })
    });
    let guarded = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(ToolRulesLayer::new(rules))
        .layer(GateLayer::new())
        .service(toolbox()?);

    // What a model may ask for in one turn.
    let calls = [
        ("read_file", json!({"path": "notes.txt"})),
        ("send_email", json!({"to": "ann@example.com"})),
        ("send_email", json!({"to": "press@example.org"})),
    ];
    let calls: Result<Vec<_>, BoxError> = calls
        .into_iter()
        .map(|(tool, args)| Ok(ToolCall::new(tool, args.try_into()?)))
        .collect();
    let results = run_batch(&guarded, calls?).await;
    Ok(results
        .into_iter()
        .map(|result| match result {
            Ok(value) => format!("ran: {value}"),
            Err(error) => error.to_string(),
        })
        .collect())
}

#[tokio::test]
async fn one_declined_call_leaves_the_others_alone() -> Result<(), BoxError> {
    let results = session().await?;
    assert_eq!(results[0], "ran: \"contents of notes.txt\"");
    assert_eq!(results[1], "ran: \"sent to ann@example.com\"");
    assert!(
        results[2].ends_with("declined: not to them"),
        "{}",
        results[2]
    );
    Ok(())
}
