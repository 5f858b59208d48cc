//! Shows one stack per environment, chosen at run time: development asks, CI refuses, production
//! limits.
//!
//! `cargo run -p toolgate-examples --example environments -- ci`

use std::time::Duration;

use serde_json::{Value, json};
use toolgate::{
    ApprovalDecision, ApprovalRequest, GateLayer, PromptLayer, ReviewLayer, ToolCall, ToolConfig,
    ToolRules, ToolRulesLayer,
};
use toolgate_examples::{BoxError, toolbox};
use tower::{ServiceBuilder, ServiceExt, service_fn, util::BoxCloneSyncService};

/// A stack of any shape. The runtime holds this and does not know which one it is.
type Guarded = BoxCloneSyncService<ToolCall, Value, BoxError>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let environment = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "development".to_owned());
    let guarded = stack(&environment)?;
    for tool in ["read_file", "write_file", "send_email"] {
        let args = json!({"path": "notes.txt", "to": "ann@example.com"});
        let call = ToolCall::new(tool, args.try_into()?);
        match guarded.clone().oneshot(call).await {
            Ok(result) => println!("{environment}: {tool} ran: {result}"),
            Err(error) => println!("{environment}: {error}"),
        }
    }
    Ok(())
}

fn stack(environment: &str) -> Result<Guarded, BoxError> {
    match environment {
        "development" => development(),
        "ci" => ci(),
        "production" => production(),
        other => Err(format!("there is no environment `{other}`").into()),
    }
}

/// Reading is free; everything else is asked about.
fn development() -> Result<Guarded, BoxError> {
    let rules = ToolRules::new([("read_*", ToolConfig::pre_approved())])?;
    let developer = service_fn(|request: ApprovalRequest| async move {
        println!(
            "may it run {}? (the developer says yes)",
            request.description
        );
        Ok::<_, BoxError>(ApprovalDecision::approve())
    });
    Ok(BoxCloneSyncService::new(
        ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(PromptLayer::new(developer))
            .layer(ToolRulesLayer::new(rules))
            .layer(GateLayer::new())
            .map_err(BoxError::from)
            .service(toolbox()?),
    ))
}

/// There is nobody to ask: what is not allowed is denied.
fn ci() -> Result<Guarded, BoxError> {
    let rules = ToolRules::new([("read_*", ToolConfig::pre_approved())])?;
    Ok(BoxCloneSyncService::new(
        ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(ToolRulesLayer::new(rules))
            .layer(GateLayer::deny_by_default())
            .map_err(BoxError::from)
            .service(toolbox()?),
    ))
}

/// Nothing is sent, and no more than four tools run at a time, thirty seconds each.
fn production() -> Result<Guarded, BoxError> {
    let rules = ToolRules::new([
        ("read_*", ToolConfig::pre_approved()),
        ("write_*", ToolConfig::pre_approved()),
        (
            "send_*",
            ToolConfig::blocked().because("production sends nothing by itself"),
        ),
    ])?;
    Ok(BoxCloneSyncService::new(
        ServiceBuilder::new()
            .layer(ReviewLayer::new())
            .layer(ToolRulesLayer::new(rules))
            .layer(GateLayer::deny_by_default())
            .concurrency_limit(4)
            .timeout(Duration::from_secs(30))
            .service(toolbox()?),
    ))
}

#[cfg(test)]
mod tests {
    use toolgate::{BlockedError, BlockedKind};

    use super::*;

    async fn ended(environment: &str, tool: &str) -> Option<BlockedKind> {
        let args = json!({"path": "notes.txt", "to": "ann@example.com"})
            .try_into()
            .unwrap();
        let stack = stack(environment).unwrap();
        let result = stack.oneshot(ToolCall::new(tool, args)).await;
        result
            .err()
            .map(|error| error.into_blocked().unwrap().kind())
    }

    #[tokio::test]
    async fn each_environment_has_its_own_answer() {
        for (environment, tool, expected) in [
            ("development", "read_file", None),
            ("development", "send_email", None),
            ("ci", "read_file", None),
            ("ci", "send_email", Some(BlockedKind::Denied)),
            ("production", "write_file", None),
            ("production", "send_email", Some(BlockedKind::Denied)),
        ] {
            assert_eq!(
                ended(environment, tool).await,
                expected,
                "{tool} in {environment}"
            );
        }
    }
}
