//! Shows an agent of tower-llm whose tools are guarded. The model follows a script.
//!
//! `cargo run -p toolgate-tower-llm --example guarded_tools`

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use toolgate::{
    ApprovalDecision, ApprovalRequest, Authorize, Authorizer, GateLayer, Grants, MemoryLayer,
    Origin, PromptLayer, Remember, ReviewLayer, ToolConfig, ToolRules, ToolRulesLayer,
};
use toolgate_tower_llm::ToolGate;
use tower::{BoxError, ServiceBuilder, ServiceExt, service_fn};
use tower_llm::{
    Agent, CompositePolicy, CreateChatCompletionRequest, ToolDef, policies,
    provider::ProviderResponse, simple_chat_request,
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
        ("read_*", ToolConfig::pre_approved()),
        ("save_*", ToolConfig::needs_approval()),
        ("delete_*", ToolConfig::blocked()),
    ])?;
    Ok(ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(service_fn(human)))
        .layer(ToolRulesLayer::new(rules))
        .layer(MemoryLayer::new(Grants::new()))
        .layer(GateLayer::new())
        .service(Authorize::new()))
}

fn tool(name: &'static str) -> ToolDef {
    let handler = move |args: Value| {
        println!("  ran: {name} {args}");
        Box::pin(async { Ok(json!("done")) }) as _
    };
    let schema = json!({"type": "object"});
    ToolDef::from_handler(
        name,
        "does something with a note",
        schema,
        Arc::new(handler),
    )
}

/// What the model says in its turn: a call of the script, or that it is done.
fn says(turn: usize) -> Result<ProviderResponse, BoxError> {
    let said = match script().get(turn) {
        Some((tool, args)) => {
            println!("model: {tool} {args}");
            let function = json!({"name": tool, "arguments": args.to_string()});
            let call =
                json!({"id": format!("call-{turn}"), "type": "function", "function": function});
            json!({"role": "assistant", "content": null, "tool_calls": [call]})
        }
        None => json!({"role": "assistant", "content": "that is all"}),
    };
    Ok(ProviderResponse {
        assistant: serde_json::from_value(said)?,
        prompt_tokens: 0,
        completion_tokens: 0,
    })
}

/// Plays the script, and returns what the model is told after each call.
async fn run() -> Result<Vec<String>, BoxError> {
    let origin = Origin::new().with_session("s-1").with_agent("root");
    let gate = ToolGate::new(stack()?).with_origin(origin);
    let tools = ["read_note", "save_note", "delete_note"].map(tool);
    let tools = tools.into_iter().map(|tool| gate.guard(tool));

    let turns = Arc::new(Mutex::new(0..));
    let model = service_fn(move |_: CreateChatCompletionRequest| {
        let turn = turns.lock().unwrap_or_else(PoisonError::into_inner).next();
        async move { says(turn.unwrap_or_default()) }
    });
    let agent = Agent::builder(Arc::default())
        .with_provider(model)
        .tools(tools.collect::<Result<_, _>>()?)
        .policy(CompositePolicy::new(vec![
            policies::until_no_tool_calls(),
            policies::max_steps(10),
        ]))
        .build();
    let run = agent.oneshot(simple_chat_request("s", "u")).await?;

    let said = serde_json::to_value(&run.messages)?;
    let said = said.as_array().into_iter().flatten();
    let results = said.filter(|message| message["role"] == "tool");
    let told: Vec<_> = results
        .map(|message| message["content"].to_string())
        .collect();
    for text in &told {
        println!("told: {text}");
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
        assert_eq!(told.len(), 5, "{told:?}");
        assert!(
            told[..3].iter().all(|text| text.contains("done")),
            "{told:?}"
        );
        assert!(told[3].contains("leave my diary alone"), "{told:?}");
        assert!(told[4].contains("`delete_note` did not run"), "{told:?}");
    }
}
