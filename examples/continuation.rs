//! Shows an agent that may take three steps, and asks before it takes more.
//!
//! `cargo run -p toolgate-examples --example continuation`

use toolgate::{
    ApprovalDecision, ApprovalRequest, Args, ContinuationLayer, Iteration, Origin, Run, RunEnded,
};
use toolgate_examples::BoxError;
use tower::{Service, ServiceBuilder, ServiceExt, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    session().await;
}

/// Lets two agents run until somebody ends them, and says what happened.
async fn session() -> Vec<String> {
    let layer = ContinuationLayer::new(3, service_fn(human)).with_extension(2);
    let mut agent = ServiceBuilder::new().layer(layer).service_fn(step);
    let mut log = Vec::new();
    for name in ["researcher", "writer"] {
        // A run of its own for each: what one is granted is nothing to the other.
        let run = Run::new(Origin::new().with_session("s-1").with_agent(name));
        let (steps, ended) = until_the_end(&mut agent, &run).await;
        log.push(format!("{name}: {steps} steps. {}", ended.message()));
        println!("{}", log.last().map_or("", String::as_str));
    }
    log
}

/// The loop of an agent that would never stop by itself.
async fn until_the_end<S>(agent: &mut S, run: &Run) -> (u64, RunEnded)
where
    S: Service<Iteration, Response = (), Error = RunEnded>,
{
    let mut number = 0;
    loop {
        let made = match agent.ready().await {
            Ok(ready) => ready.call(run.iteration(number)).await,
            Err(ended) => Err(ended),
        };
        match made {
            Ok(()) => number += 1,
            Err(ended) => return (number, ended),
        }
    }
}

/// One step: here a runtime would call the model, and the tools that it asks for.
async fn step(iteration: Iteration) -> Result<(), RunEnded> {
    println!(
        "{}: step {}",
        iteration.origin().agent(),
        iteration.number() + 1
    );
    Ok(())
}

/// Stands for whoever is asked: gives the researcher four more steps, once, and nobody else any.
async fn human(request: ApprovalRequest) -> Result<ApprovalDecision, BoxError> {
    println!(
        "asked: {} ({})",
        request.description,
        request.reasons().join(", ")
    );
    let researcher = request.origin.agent().to_string() == "researcher";
    let first = request
        .args
        .get("limit")
        .and_then(serde_json::Value::as_u64)
        == Some(3);
    Ok(match researcher && first {
        true => ApprovalDecision::edit(Args::new().with("extend_by", 4)),
        false => ApprovalDecision::decline().with_note("that is enough"),
    })
}

#[tokio::test]
async fn each_run_has_a_limit_of_its_own() {
    let log = session().await;
    let said = "the person who was asked said no to more. They said: that is enough";
    assert_eq!(
        log,
        [
            format!("researcher: 7 steps. The run ended after 7 iterations: {said}"),
            format!("writer: 3 steps. The run ended after 3 iterations: {said}"),
        ]
    );
}
