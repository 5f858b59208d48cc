//! Shows an agent that puts its questions to the editor it works in. Both ends speak the real
//! protocol; the editor answers by itself.
//!
//! `cargo run -p toolgate-acp --example editor`

use agent_client_protocol::{
    Agent, Channel, Client,
    v1::{
        ConnectionTo,
        schema::{
            RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
            SelectedPermissionOutcome,
        },
    },
};
use serde_json::Value;
use toolgate::{
    Args, Authorize, Authorizer, GateLayer, Grants, MemoryLayer, Origin, PromptLayer, ReviewLayer,
    ToolCall,
};
use toolgate_acp::AcpPrompt;
use tower::ServiceBuilder;

/// The editor: shopping is fine for the rest of the session, the diary is not.
fn answer(request: &RequestPermissionRequest) -> RequestPermissionOutcome {
    let title = request.tool_call.fields.title.as_deref();
    println!("  asked: {}", title.unwrap_or_default());
    for option in &request.options {
        println!("    {}", option.name);
    }
    let args = request.tool_call.fields.raw_input.as_ref();
    let name = args.and_then(|args| args.get("name"));
    let option = match name.and_then(Value::as_str) {
        Some("shopping") => "allow-always",
        _ => "reject-once",
    };
    RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option.to_owned()))
}

fn stack(prompt: AcpPrompt) -> impl Authorizer {
    ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(Authorize::new())
}

/// The agent: what its model would save, and what it is told.
async fn agent(connection: ConnectionTo<Client>) -> Vec<String> {
    let stack = stack(AcpPrompt::new(connection));
    let origin = Origin::new().with_session("s-1");
    let mut told = Vec::new();
    for (turn, name) in ["shopping", "shopping", "diary"].into_iter().enumerate() {
        println!("model: save_note {name}");
        let call = ToolCall::new("save_note", Args::new().with("name", name))
            .with_id(turn.to_string())
            .with_origin(origin.clone());
        let text = match toolgate::authorize(stack.clone(), call).await {
            // Here the tool would run, with `call.args()`.
            Ok(call) => format!("saved {:?}", call.args().get("name")),
            Err(refusal) => refusal.for_model(),
        };
        println!("  told: {text}");
        told.push(text);
    }
    told
}

async fn run() -> Result<Vec<String>, agent_client_protocol::Error> {
    let (ours, theirs) = Channel::duplex();
    let editor = Client
        .v1()
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _connection| {
                responder.respond(RequestPermissionResponse::new(answer(&request)))
            },
            agent_client_protocol::on_receive_request!(),
        )
        .connect_to(theirs);
    let editor = tokio::spawn(editor);
    let told = Agent
        .v1()
        .connect_with(ours, async move |connection: ConnectionTo<Client>| {
            Ok(agent(connection).await)
        })
        .await?;
    editor.abort();
    Ok(told)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), agent_client_protocol::Error> {
    run().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn asks_remembers_and_declines() {
        let told = super::run().await.unwrap();
        assert!(
            told[0].starts_with("saved") && told[1].starts_with("saved"),
            "{told:?}"
        );
        assert!(told[2].contains("said no"), "{told:?}");
    }
}
