//! Shows a sub-agent: a tool that starts another agent is asked about, and the child can do no more
//! than its parent, whatever its own rules say.
//!
//! `cargo run -p toolgate-examples --example sub_agent`

use toolgate::{
    ApprovalDecision, ApprovalRequest, Args, Authorized, Decision, GateLayer, Origin, PolicyLayer,
    PromptLayer, ReviewLayer, Reviewing, Tool, ToolCall, ToolConfig, ToolRules, ToolRulesLayer,
    Toolbox, ceiling,
};
use toolgate_examples::{BoxError, toolbox};
use tower::{ServiceBuilder, ServiceExt, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    println!("{}", delegate().await?);
    Ok(())
}

/// Has the root agent delegate its work, and returns what the child reports.
async fn delegate() -> Result<String, BoxError> {
    let agents = Toolbox::new([Tool::sub_agent("delegate", |call: ToolCall<Authorized>| {
        let origin = call.origin().child("helper");
        async move { Ok::<_, BoxError>(work(origin).await?.join("\n")) }
    })])?;
    let human = service_fn(|request: ApprovalRequest| async move {
        println!(
            "asked by {}: {}",
            request.origin.agent(),
            request.description
        );
        Ok::<_, BoxError>(ApprovalDecision::approve())
    });
    let root = ServiceBuilder::new()
        .layer(ReviewLayer::new().describe(agents.clone()))
        .layer(PromptLayer::new(human))
        .layer(GateLayer::new())
        .service(agents);
    let call = ToolCall::new("delegate", Args::new()).with_origin(Origin::new().with_agent("root"));
    let report = root.oneshot(call).await?;
    Ok(report.as_str().unwrap_or_default().to_owned())
}

/// What the child does. Its own rules allow everything.
async fn work(origin: Origin) -> Result<Vec<String>, BoxError> {
    let parents_rules = ToolRules::new([
        ("read_*", ToolConfig::pre_approved()),
        (
            "drop_*",
            ToolConfig::blocked().because("nobody drops tables"),
        ),
    ])?;
    let parent = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(ToolRulesLayer::new(parents_rules))
        .layer(GateLayer::deny_by_default())
        .service(toolbox()?);
    let child = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(ceiling(parent))
        .layer(PolicyLayer::new(|_: &ToolCall<Reviewing>| Decision::allow()).named("anything goes"))
        .layer(GateLayer::new())
        .service(toolbox()?);

    let mut report = Vec::new();
    for tool in ["read_file", "drop_table", "send_email"] {
        let args = Args::new()
            .with("path", "notes.txt")
            .with("to", "ann@example.com");
        let call = ToolCall::new(tool, args).with_origin(origin.clone());
        report.push(match child.clone().oneshot(call).await {
            Ok(result) => format!("{tool}: {result}"),
            Err(error) => format!("{tool}: {error}"),
        });
    }
    Ok(report)
}

#[tokio::test]
async fn the_child_can_do_no_more_than_its_parent() -> Result<(), BoxError> {
    let report = delegate().await?;
    let lines: Vec<_> = report.lines().collect();
    assert_eq!(lines[0], "read_file: \"contents of notes.txt\"");
    assert!(lines[1].contains("nobody drops tables"), "{}", lines[1]);
    assert!(lines[2].contains("blocked: denied"), "{}", lines[2]);
    Ok(())
}
