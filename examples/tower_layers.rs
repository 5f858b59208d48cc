//! Shows Tower's own layers in the stack: what stands inside the gate bounds the tool, what stands
//! around the handler shapes the asking, and a subscriber sees one span per call.
//!
//! `cargo run -p toolgate-examples --example tower_layers`

use std::time::Duration;

use toolgate::{
    ApprovalDecision, ApprovalRequest, Args, Authorized, BlockedAsResultLayer, Decision, GateLayer,
    PolicyLayer, PromptLayer, ReviewLayer, Reviewing, ToolBlocked, ToolCall,
};
use toolgate_examples::BoxError;
use tower::{Service, ServiceBuilder, ServiceExt};
use tracing_subscriber::fmt::format::FmtSpan;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt()
        .with_span_events(FmtSpan::CLOSE)
        .with_target(false)
        .init();
    for tool in ["quick", "slow", "asked"] {
        match guarded().oneshot(ToolCall::new(tool, Args::new())).await {
            Ok(said) => println!("{tool}: {said}"),
            Err(error) => println!("{tool}: failed: {error}"),
        }
    }
    Ok(())
}

fn guarded() -> impl Service<ToolCall, Response = String, Error = BoxError, Future: Send> + Clone {
    // Whoever is asked gets half a second.
    let human = ServiceBuilder::new()
        .timeout(Duration::from_millis(500))
        .service_fn(human);
    ServiceBuilder::new()
        // The model reads a refusal as a normal result.
        .layer(BlockedAsResultLayer::new(|blocked: ToolBlocked| {
            blocked.for_model()
        }))
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(human))
        .layer(PolicyLayer::new(allow_all_but_asked))
        .layer(GateLayer::new())
        // From here on Tower's layers bound the tool, not the human.
        .concurrency_limit(2)
        .timeout(Duration::from_millis(200))
        .service_fn(tool)
}

fn allow_all_but_asked(call: &ToolCall<Reviewing>) -> Decision {
    match call.tool().name() {
        "asked" => Decision::ask("better ask"),
        _ => Decision::allow(),
    }
}

async fn human(_: ApprovalRequest) -> Result<ApprovalDecision, BoxError> {
    tokio::time::sleep(Duration::from_secs(3600)).await;
    Ok(ApprovalDecision::approve())
}

async fn tool(call: ToolCall<Authorized>) -> Result<String, BoxError> {
    if call.tool().name() == "slow" {
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    Ok("done".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn run(tool: &str) -> Result<String, BoxError> {
        guarded().oneshot(ToolCall::new(tool, Args::new())).await
    }

    #[tokio::test(start_paused = true)]
    async fn towers_layers_do_what_they_always_do() {
        assert_eq!(run("quick").await.unwrap(), "done");
        assert!(
            run("slow")
                .await
                .unwrap_err()
                .is::<tower::timeout::error::Elapsed>()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_human_who_is_too_slow_has_not_approved() {
        let said = run("asked").await.unwrap();
        assert!(said.starts_with("`asked` did not run"), "{said}");
    }
}
