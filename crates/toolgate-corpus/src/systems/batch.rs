//! Several calls of one model response, in the Python systems.
//!
//! The sources ask about all of them at once. Toolgate asks one after the other, in the order of
//! the calls, so one question at a time is expected whatever was recorded. Where a case says that
//! a refusal should not abort the run, what was approved is expected to run.

use std::{collections::BTreeMap, time::Duration};

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{ApprovalDecision, ApprovalRequest, Decision, GateLayer, ReviewLayer, ToolCall};

use super::{finding, paba::Paba, pam::Pam};
use crate::{
    Finding,
    answer::{Answer, seconds},
    bench::{Batch, Bench, Script, Stack},
    case::{Call, Case, Invalid, ToolUse},
    compare::compare,
    expectation::{self, Expectation},
    fault::Fault,
    seen::{Outcome, Seen, Voice},
};

/// What such a case is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    batch: Vec<Call>,
    #[serde(rename = "decision")]
    _decision: Asks,
    handler: BTreeMap<String, Answers>,
    #[serde(default)]
    tool_b_duration_s: Option<f64>,
}

/// Which calls are asked about.
#[derive(Debug, Deserialize)]
enum Asks {
    #[serde(rename = "ask for every tool")]
    ForEveryTool,
}

/// What somebody says to the call of one tool.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    answer: Word,
    after_s: f64,
}

/// An answer in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Word {
    Approve,
    Deny,
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let calls: Result<Vec<_>, _> = given.batch.iter().map(Call::tool_use).collect();
    let calls = calls?;
    let tools: Vec<_> = calls.iter().map(|call| call.tool.clone()).collect();
    if given.handler.keys().any(|tool| !tools.contains(tool)) {
        return Err(Invalid::new("an answer for a tool that is not called"));
    }
    if case.call.as_ref().and_then(|call| call.batch.as_ref()) != Some(&tools) {
        return Err(Invalid::new("`call` is not the batch that is given"));
    }
    let aborts = case.system.starts_with("pydantic-ai-blocking-approval");
    let voice: &(dyn Voice + Sync) = if aborts { &PABA } else { &Pam };
    let expectation = expected(case, &given, &tools)?;
    let bench = bench(&given, aborts && !case.is_corrected())?;
    let batch = bench.call_all(&calls, script(&given)?).await;
    let seen = seen(&batch, &calls, voice);
    Ok(finding(compare(&expectation, &seen)?))
}

const PABA: Paba = Paba { nobody_says: None };

/// What is expected of the batch.
fn expected(case: &Case, given: &Given, tools: &[String]) -> Result<Expectation, Invalid> {
    let mut expectation = expectation::of_call(case)?;
    let fields = &mut expectation.0;
    if fields.contains_key("max_concurrent_prompts") {
        fields.insert("max_concurrent_prompts".to_owned(), json!(1));
    }
    let recommended = case.recommended.as_ref();
    if recommended.is_some_and(|recommended| recommended.contains_key("run")) {
        let approved = |tool: &&String| {
            let answers = given.handler.get(*tool);
            answers.is_some_and(|answers| answers.answer == Word::Approve)
        };
        let run: Vec<_> = tools.iter().filter(approved).collect();
        let outcome = if run.is_empty() {
            "blocked"
        } else {
            "executed"
        };
        fields.insert("outcome".to_owned(), json!(outcome));
        fields.insert("executed_tools".to_owned(), json!(run));
    }
    Ok(expectation)
}

/// Every tool is asked about, and returns its name in capitals. A refusal is a result for the
/// model, unless it ends the run.
fn bench(given: &Given, aborts: bool) -> Result<Bench, Invalid> {
    let takes = seconds(given.tool_b_duration_s.unwrap_or_default())?;
    let tool = move |call: &ToolCall<toolgate::Authorized>| {
        let takes = if call.tool().name() == "b" {
            takes
        } else {
            Duration::ZERO
        };
        (takes, Ok(call.tool().name().to_uppercase().into()))
    };
    let stack = Stack::with_tool(&GateLayer::new(), Box::new(tool))
        .policy(|_: &ToolCall<toolgate::Reviewing>| Decision::ask("ok?"))
        .asking();
    Ok(if aborts {
        stack.build(&ReviewLayer::new())
    } else {
        stack.build_telling(&ReviewLayer::new(), super::pam::result)
    })
}

fn script(given: &Given) -> Result<Script, Invalid> {
    let mut answers = BTreeMap::new();
    for (tool, said) in &given.handler {
        let decision = match said.answer {
            Word::Approve => ApprovalDecision::approve(),
            Word::Deny => ApprovalDecision::decline(),
        };
        let answer = Answer {
            sleep: seconds(said.after_s)?,
            ..Answer::now(Ok(decision))
        };
        answers.insert(tool.clone(), answer);
    }
    Ok(Script::new(move |request: &ApprovalRequest| {
        let answer = answers.get(request.tool.name()).cloned();
        answer.unwrap_or_else(|| Answer::now(Err(Fault::NoAnswer)))
    }))
}

fn seen(batch: &Batch, calls: &[ToolUse], voice: &dyn Voice) -> Seen {
    let mut seen = Seen::nothing(voice, &[]);
    let ran: Vec<_> = batch.runs.iter().map(|run| &*run.tool).collect();
    if ran.is_empty() {
        seen.outcome = Outcome::Blocked;
    }
    let asked: Vec<_> = batch.shown.iter().map(|r| r.tool.name()).collect();
    seen.asked = !asked.is_empty();
    seen.set("executed_tools", ran.clone());
    seen.set("prompt_count", asked.len());
    seen.set("prompts_in_order", asked);
    seen.set("max_concurrent_prompts", batch.most_at_once);
    let errors = batch.results.iter().any(Result::is_err);
    seen.set("run", if errors { "aborted" } else { "completed" });
    let saw = calls
        .iter()
        .zip(&batch.results)
        .filter_map(|(call, result)| {
            let result = result.as_ref().ok().and_then(Value::as_str)?;
            Some(format!("{}={result}", call.tool))
        });
    seen.set("model_saw", saw.collect::<Vec<_>>());
    if let Some(blocked) = batch.refused.first() {
        let told = voice.refusal(blocked);
        seen.set("error_type", told.class);
        seen.set("message", told.reason);
    }
    seen
}
