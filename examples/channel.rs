//! Shows questions on a channel: the agent works in one task, somebody answers in another.
//!
//! `cargo run -p toolgate-examples --example channel`

use serde_json::json;
use toolgate::{
    GateLayer, PendingApprovals, PromptLayer, ReviewLayer, ToolCall, ToolConfig, ToolRules,
    ToolRulesLayer, approval_channel,
};
use toolgate_examples::{BoxError, toolbox};
use tower::{ServiceBuilder, ServiceExt};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    for line in session().await? {
        println!("{line}");
    }
    Ok(())
}

async fn session() -> Result<Vec<String>, BoxError> {
    let (prompt, questions) = approval_channel(16);
    let person = tokio::spawn(answer(questions));

    let rules = ToolRules::new([("read_*", ToolConfig::pre_approved())])?;
    let guarded = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PromptLayer::new(prompt))
        .layer(ToolRulesLayer::new(rules))
        .layer(GateLayer::new())
        .service(toolbox()?);

    let mut log = Vec::new();
    for (tool, args) in [
        ("read_file", json!({"path": "notes.txt"})),
        ("write_file", json!({"path": "notes.txt"})),
        ("write_file", json!({"path": "/etc/passwd"})),
        ("send_email", json!({"to": "ann@example.com"})),
    ] {
        let call = ToolCall::new(tool, args.try_into()?);
        log.push(match guarded.clone().oneshot(call).await {
            Ok(result) => format!("{tool} ran: {result}"),
            Err(error) => error.to_string(),
        });
    }
    // With the last stack gone nobody can ask any more, and the person's loop ends.
    drop(guarded);
    person.await?;
    Ok(log)
}

/// Stands for whoever answers: a window, a chat, a queue.
async fn answer(mut questions: PendingApprovals) {
    while let Some(question) = questions.recv().await {
        let path = question
            .request()
            .args
            .get("path")
            .and_then(|path| path.as_str());
        // An error says that the question was withdrawn meanwhile; there is nothing to do then.
        let _ = match path {
            Some("notes.txt") => question.approve(),
            Some(_) => question.decline("only the notes"),
            // Dropping a question unanswered declines it.
            None => continue,
        };
    }
}

#[tokio::test]
async fn the_person_decides() -> Result<(), BoxError> {
    let log = session().await?;
    assert_eq!(log[0], "read_file ran: \"contents of notes.txt\"");
    assert_eq!(log[1], "write_file ran: \"wrote notes.txt\"");
    assert!(log[2].ends_with("declined: only the notes"), "{}", log[2]);
    assert!(log[3].ends_with("declined: nobody answered"), "{}", log[3]);
    Ok(())
}
