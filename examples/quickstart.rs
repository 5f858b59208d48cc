//! Shows one stack and the three ways in which a call can end in it: allowed, blocked, asked about.
//!
//! `cargo run -p toolgate-examples --example quickstart`

use serde_json::json;
use toolgate::{
    ApprovalDecision, ApprovalRequest, Capabilities, CapabilityLayer, CapabilityRules, GateLayer,
    PromptLayer, ReviewLayer, ToolCall, ToolConfig, ToolDecision, ToolRules, ToolRulesLayer,
};
use toolgate_examples::{BoxError, toolbox};
use tower::{ServiceBuilder, ServiceExt, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    session().await.map(drop)
}

/// Plays a few calls, as a model might make them, and says how each one ended.
async fn session() -> Result<Vec<String>, BoxError> {
    // What the tools may do, by what they can do. Whatever is not listed is asked about.
    let capabilities = CapabilityRules::new([
        ("fs.read", ToolDecision::PreApproved),
        ("fs.write(/srv/reports/**)", ToolDecision::PreApproved),
        ("db.*", ToolDecision::Blocked),
    ])?;
    // And what holds for single tools.
    let tools = ToolRules::new([(
        "send_email",
        ToolConfig::needs_approval().because("mail leaves the company"),
    )])?;

    let toolbox = toolbox()?;
    let guarded = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(toolbox.clone()))
        .layer(PromptLayer::new(service_fn(human)))
        .layer(ToolRulesLayer::new(tools))
        .layer(CapabilityLayer::new(Capabilities::new(capabilities)))
        .layer(GateLayer::new())
        .service(toolbox);

    let mut log = Vec::new();
    for (tool, args) in [
        ("read_file", json!({"path": "notes.txt"})),
        ("write_file", json!({"path": "/srv/reports/q3.txt"})),
        (
            "write_file",
            json!({"path": "/srv/reports/../../etc/passwd"}),
        ),
        ("send_email", json!({"to": "ann@example.com"})),
        ("send_email", json!({"to": "press@example.org"})),
        ("drop_table", json!({"table": "customers"})),
    ] {
        let call = ToolCall::new(tool, args.clone().try_into()?);
        let line = match guarded.clone().oneshot(call).await {
            Ok(result) => format!("ran      {tool} {args}: {result}"),
            Err(error) => format!("blocked  {tool} {args}: {error}"),
        };
        println!("{line}");
        log.push(line);
    }
    Ok(log)
}

/// Stands for whoever is asked. A terminal, a channel or a web page would do it the same way.
async fn human(request: ApprovalRequest) -> Result<ApprovalDecision, BoxError> {
    let to = request.args.get("to").and_then(|to| to.as_str());
    println!(
        "asked    {}: {}",
        request.description,
        request.reasons().join(", ")
    );
    Ok(match to {
        Some(to) if to.ends_with("@example.com") => ApprovalDecision::approve(),
        _ => ApprovalDecision::decline().with_note("not to strangers"),
    })
}

#[tokio::test]
async fn every_call_ends_as_the_rules_say() -> Result<(), BoxError> {
    let log = session().await?;
    let ended: Vec<&str> = log
        .iter()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        ended,
        ["ran", "ran", "blocked", "ran", "blocked", "blocked"]
    );
    assert!(
        log.iter()
            .any(|line| line.ends_with("declined: not to strangers")),
        "{log:#?}"
    );
    assert!(
        log.iter()
            .any(|line| line.ends_with("denied: capability blocked: db.write"))
    );
    Ok(())
}
