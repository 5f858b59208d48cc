//! Shows a server of tower-mcp whose tools are guarded by a layer of its transport, and a client
//! that calls them.
//!
//! `cargo run -p toolgate-tower-mcp --example guarded_router`

use serde_json::{Value, json};
use toolgate::{
    ApprovalDecision, ApprovalRequest, Authorize, Authorizer, GateLayer, Grants, MemoryLayer,
    Origin, PromptLayer, Remember, ReviewLayer, ToolConfig, ToolRules, ToolRulesLayer,
};
use toolgate_tower_mcp::ToolgateLayer;
use tower::{BoxError, ServiceBuilder, service_fn};
use tower_mcp::{
    CallToolResult, McpRouter, Tool, ToolBuilder,
    client::{ChannelTransport, McpClient},
    extract::RawArgs,
};

/// What the model would call, and with which arguments.
fn script() -> [(&'static str, Value); 5] {
    [
        ("read_note", json!({"name": "shopping"})),
        ("save_note", json!({"name": "shopping"})),
        ("save_note", json!({"name": "shopping"})),
        ("save_note", json!({"name": "diary"})),
        ("delete_note", json!({"name": "shopping"})),
    ]
}

/// The person: shopping is fine for the rest of the session, the diary is not.
async fn human(request: ApprovalRequest) -> Result<ApprovalDecision, BoxError> {
    println!("  asked: {}", request.description);
    match request.args.get("name").and_then(Value::as_str) {
        Some("shopping") => Ok(ApprovalDecision::approve().remembered(Remember::Session)),
        _ => Ok(ApprovalDecision::decline().with_note("leave my diary alone")),
    }
}

/// Reading is allowed, saving is asked about, deleting is denied.
fn stack() -> Result<impl Authorizer, BoxError> {
    let rules = ToolRules::new([
        ("mcp:notes/read_*", ToolConfig::pre_approved()),
        ("mcp:notes/save_*", ToolConfig::needs_approval()),
        ("mcp:notes/delete_*", ToolConfig::blocked()),
    ])?;
    Ok(ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(service_fn(human)))
        .layer(ToolRulesLayer::new(rules))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(Authorize::new()))
}

fn tool(name: &'static str) -> Tool {
    ToolBuilder::new(name)
        .description("does something with a note")
        .extractor_handler((), move |RawArgs(args): RawArgs| async move {
            println!("  ran: {name} {args}");
            Ok(CallToolResult::text("done"))
        })
        .build()
}

/// Plays the script, and returns what the client is told after each call.
async fn run() -> Result<Vec<String>, BoxError> {
    let router = ["read_note", "save_note", "delete_note"]
        .into_iter()
        .fold(McpRouter::new(), |router, name| router.tool(tool(name)));
    let origin = Origin::new().with_session("s-1");
    let gate = ToolgateLayer::new("notes", stack()?).with_origin(origin);
    // Any transport takes the layer, such as `StdioTransport::new(router).layer(gate)`.
    let client = McpClient::connect(ChannelTransport::layer(router, gate)).await?;
    client.initialize("example", "1").await?;

    let mut told = Vec::new();
    for (tool, args) in script() {
        println!("client: {tool} {args}");
        let result = client.call_tool(tool, args).await?;
        let text = result.first_text().unwrap_or_default().to_owned();
        println!("  told: {text}");
        told.push(text);
    }
    Ok(told)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    run().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn allows_asks_remembers_declines_and_denies() {
        let told = super::run().await.unwrap();
        assert_eq!(told[..3], ["done", "done", "done"]);
        assert!(told[3].contains("leave my diary alone"), "{told:?}");
        assert!(
            told[4].contains("`notes/delete_note` did not run"),
            "{told:?}"
        );
    }
}
