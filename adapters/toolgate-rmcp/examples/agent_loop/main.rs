//! Shows a whole agent loop without a network: a model that follows a script, a real MCP server
//! with real files, and a stack from a policy file between the two.
//!
//! `cargo run -p toolgate-rmcp --example agent_loop`

mod notes;

use rmcp::{
    ServiceExt,
    model::{CallToolRequestParams, CallToolResponse, JsonObject},
};
use serde_json::{Value, json};
use toolgate::{
    ApprovalDecision, ApprovalRequest, Authorize, Authorizer, Grants, Origin, Remember,
};
use toolgate_policy::{Format, Settings, parse_policy};
use toolgate_rmcp::GatedClient;
use tower::{BoxError, ServiceBuilder, service_fn};

use self::notes::Notes;

/// What the model would say: which tool it calls, with which arguments.
fn script() -> Vec<(&'static str, Value)> {
    let save = json!({"name": "shopping", "text": "milk, bread"});
    vec![
        ("read_note", json!({"name": "shopping"})),
        ("save_note", save.clone()),
        ("save_note", save),
        ("save_note", json!({"name": "diary", "text": "nothing"})),
        ("delete_note", json!({"name": "shopping"})),
        ("send_note", json!({"name": "shopping"})),
    ]
}

/// The person: shopping is fine for the rest of the session, the diary is not.
async fn human(request: ApprovalRequest) -> Result<ApprovalDecision, BoxError> {
    println!("  asked: {} {:?}", request.description, request.reasons());
    match request.args.get("name").and_then(Value::as_str) {
        Some("shopping") => Ok(ApprovalDecision::approve().remembered(Remember::Session)),
        _ => Ok(ApprovalDecision::decline().with_note("leave my diary alone")),
    }
}

fn stack() -> Result<impl Authorizer, BoxError> {
    let policy = parse_policy(include_str!("policy.toml"), Format::Toml)?;
    let policy = policy.compile(None, &Settings::new())?;
    Ok(ServiceBuilder::new()
        .layer(policy.stack(service_fn(human), Grants::new()))
        .service(Authorize::new()))
}

/// Plays the script, and returns what the model is told after each call.
async fn run(notes: Notes) -> Result<Vec<String>, BoxError> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = tokio::spawn(async move {
        notes
            .serve(theirs)
            .await?
            .waiting()
            .await
            .map_err(BoxError::from)
    });
    let client = ().serve(ours).await?;
    let tools = GatedClient::new("notes", client.peer().clone(), stack()?).await?;

    let origin = Origin::new().with_session("s-1").with_agent("root");
    let mut told = Vec::new();
    for (turn, (tool, args)) in script().into_iter().enumerate() {
        println!("model: {tool} {args}");
        let args: JsonObject = serde_json::from_value(args)?;
        let request = CallToolRequestParams::new(tool).with_arguments(args);
        let origin = origin.clone().with_turn(turn.to_string());
        let text = text(tools.call_tool(request, origin).await?);
        println!("  told: {text}");
        told.push(text);
    }
    client.cancel().await?;
    server.await??;
    Ok(told)
}

fn text(response: CallToolResponse) -> String {
    let CallToolResponse::Complete(result) = response else {
        return "the server wants something first".to_owned();
    };
    let texts = result.content.iter().filter_map(|block| block.as_text());
    texts.map(|block| block.text.as_str()).collect()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("shopping"), "milk")?;
    run(Notes::new(folder.path())).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn allows_asks_remembers_declines_and_denies() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name| std::fs::read_to_string(folder.path().join(name));
        std::fs::write(folder.path().join("shopping"), "milk").unwrap();
        let notes = Notes::new(folder.path());

        let told = run(notes.clone()).await.unwrap();

        assert_eq!(told[..3], ["milk", "saved", "saved"]);
        assert!(told[3].contains("said no") && told[3].contains("leave my diary alone"));
        assert!(told[4].contains("policy does not permit") && told[4].contains("never deleted"));
        assert!(told[5].contains("there is no such tool"));
        assert_eq!(notes.ran(), ["read_note", "save_note", "save_note"]);
        assert_eq!(file("shopping").unwrap(), "milk, bread");
        assert!(file("diary").is_err());
    }
}
