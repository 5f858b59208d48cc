//! Shows a runtime that is not built on Tower: it asks a stack for authorisation, and then runs
//! the tool in its own way, with exactly the authorised arguments.
//!
//! `cargo run -p toolgate-examples --example not_tower`

use serde_json::{Value, json};
use toolgate::{
    Args, Authorize, Authorized, Decision, GateLayer, Origin, PolicyLayer, ReviewLayer, Reviewing,
    ToolBlocked, ToolCall, ToolConfig, ToolRules, ToolRulesLayer,
};
use toolgate_examples::BoxError;
use tower::{ServiceBuilder, ServiceExt, util::BoxCloneSyncService};

/// A tool call as some other runtime hands it over: the arguments are text.
struct Invocation {
    id: String,
    function: String,
    arguments: String,
}

/// The runtime: it knows nothing of Tower but this one field.
struct Runtime {
    authorize: BoxCloneSyncService<ToolCall, ToolCall<Authorized>, ToolBlocked>,
}

impl Runtime {
    fn new() -> Result<Self, BoxError> {
        let rules = ToolRules::new([("search", ToolConfig::pre_approved())])?;
        let stack = ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(ToolRulesLayer::new(rules))
            .layer(PolicyLayer::new(at_most_ten).named("limit"))
            .layer(GateLayer::deny_by_default())
            .service(Authorize::new());
        Ok(Self {
            authorize: BoxCloneSyncService::new(stack),
        })
    }

    /// Runs one invocation and returns what the model is told.
    async fn run(&self, invocation: &Invocation) -> String {
        // Arguments that do not parse are refused; they are never handed on as they are.
        let args = match Args::parse(&invocation.arguments) {
            Ok(args) => args,
            Err(error) => return error.to_string(),
        };
        let call = ToolCall::new(invocation.function.as_str(), args)
            .with_id(invocation.id.as_str())
            .with_origin(Origin::new().with_session("s-1").with_agent("root"));
        match self.authorize.clone().oneshot(call).await {
            // The authorised arguments, not the original ones.
            Ok(call) => Self::search(call.args()),
            Err(blocked) => blocked.for_model(),
        }
    }

    fn search(args: &Args) -> String {
        let limit = args
            .get("limit")
            .and_then(Value::as_u64)
            .unwrap_or_default();
        format!("{limit} results")
    }
}

/// Lowers a limit that is too high. That permits nothing by itself.
fn at_most_ten(call: &ToolCall<Reviewing>) -> Decision {
    match call.args().get("limit").and_then(Value::as_u64) {
        Some(0..=10) => Decision::abstain(),
        _ => Decision::abstain().with_args(call.args().with("limit", json!(10))),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let runtime = Runtime::new()?;
    for (function, arguments) in [
        ("search", r#"{"query": "towers", "limit": 5000}"#),
        (
            "search",
            r#"{"query": "towers", "limit": 5, "limit": 5000}"#,
        ),
        ("delete_index", "{}"),
    ] {
        let invocation = Invocation {
            id: "call-1".to_owned(),
            function: function.to_owned(),
            arguments: arguments.to_owned(),
        };
        println!(
            "{function} {arguments}\n  {}",
            runtime.run(&invocation).await
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn told(function: &str, arguments: &str) -> String {
        let invocation = Invocation {
            id: "1".into(),
            function: function.into(),
            arguments: arguments.into(),
        };
        Runtime::new().unwrap().run(&invocation).await
    }

    #[tokio::test]
    async fn only_authorised_arguments_run() {
        assert_eq!(told("search", r#"{"limit": 5}"#).await, "5 results");
        assert_eq!(told("search", r#"{"limit": 5000}"#).await, "10 results");
        assert!(
            told("search", r#"{"limit": 5, "limit": 5000}"#)
                .await
                .contains("duplicate key")
        );
        assert!(
            told("delete_index", "{}")
                .await
                .starts_with("`delete_index` did not run")
        );
    }
}
