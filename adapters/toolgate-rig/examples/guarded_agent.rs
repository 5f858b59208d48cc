//! Shows an agent of rig whose calls go through a hook. The model follows a script.
//!
//! `cargo run -p toolgate-rig --example guarded_agent`

use std::convert::Infallible;

use rig_agent::{
    agent::AgentBuilder,
    test_utils::{MockCompletionModel, MockTurn},
};
use rig_core::tool::{Tool, ToolContext};
use serde_json::{Value, json};
use toolgate::{
    ApprovalDecision, ApprovalRequest, Authorize, Authorizer, GateLayer, Grants, MemoryLayer,
    Origin, PromptLayer, Remember, ReviewLayer, ToolConfig, ToolRules, ToolRulesLayer,
};
use toolgate_rig::ToolgateHook;
use tower::{BoxError, ServiceBuilder, service_fn};

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

struct Read;
struct Save;
struct Delete;

macro_rules! tool {
    ($tool:ty, $name:literal) => {
        impl Tool for $tool {
            const NAME: &'static str = $name;
            type Args = Value;
            type Output = String;
            type Error = Infallible;

            fn description(&self) -> String {
                "does something with a note".to_owned()
            }

            fn parameters(&self) -> Value {
                json!({"type": "object"})
            }

            async fn call(&self, _: &mut ToolContext, args: Value) -> Result<String, Infallible> {
                println!("ran: {} {args}", Self::NAME);
                Ok("done".to_owned())
            }
        }
    };
}

tool!(Read, "read_note");
tool!(Save, "save_note");
tool!(Delete, "delete_note");

/// Plays the script, and returns all that the model was told.
async fn run() -> Result<String, BoxError> {
    let calls = script().into_iter().enumerate();
    let calls = calls.map(|(turn, (tool, args))| MockTurn::tool_call(turn.to_string(), tool, args));
    let model = MockCompletionModel::from_turns(calls.chain([MockTurn::text("that is all")]));
    let origin = Origin::new().with_session("s-1").with_agent("root");
    let agent = AgentBuilder::new(model.clone())
        .tool(Read)
        .tool(Save)
        .tool(Delete)
        .add_hook(ToolgateHook::new(stack()?).with_origin(origin))
        .default_max_turns(10)
        .build();
    agent.prompt("tidy up my notes").await?;

    let requests = model.requests();
    let last = requests.last().ok_or("the model was never asked")?;
    let told = serde_json::to_string_pretty(&last.chat_history)?;
    println!("{told}");
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
        assert_eq!(told.matches("done").count(), 3, "{told}");
        assert!(told.contains("leave my diary alone"), "{told}");
        assert!(told.contains("`delete_note` did not run"), "{told}");
    }
}
