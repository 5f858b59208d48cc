//! The coding harness of `HPD-Agent`: one function that runs commands, asked about every time.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{
    ApprovalDecision, ApprovalRequest, Args, BlockedKind, Decision, Describe, DescribeError,
    Description, GateLayer, Grant, GrantDecision, Grants, Policy, Remember, ReviewLayer, Reviewing,
    ToolBlocked, ToolCall, ToolEntries, Vote,
};

use super::{
    finding,
    hpd::{Response, seen},
};
use crate::{
    Finding,
    answer::Answer,
    bench::{Attempt, Bench, Ended, Script, Stack},
    case::{Case, Invalid, ToolUse},
    compare::compare,
    expectation,
    fault::Fault,
    python::Python,
    seen::{Seen, Told, Voice},
};

/// What a case of this system is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    #[serde(default)]
    response: Option<Response>,
    #[serde(default)]
    memory: Vec<Rule>,
    #[serde(default)]
    batch: Option<Vec<Command>>,
    #[serde(default)]
    responses: BTreeMap<String, Response>,
}

/// A rule that was remembered.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    behavior: Behavior,
    #[serde(rename = "match")]
    matches: Match,
    pattern: String,
}

/// What a rule decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Behavior {
    Allow,
    Deny,
}

/// How a rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Match {
    Exact,
    Prefix,
}

/// One command of a batch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    command: String,
    call_id: String,
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let bench = Stack::new(&GateLayer::new(), None)
        .remembering(&Grants::new())
        .policy(Asks)
        .asking()
        .build_telling(&ReviewLayer::new().describe(Commands), |blocked| {
            Coding
                .refusal(blocked)
                .reason
                .map_or(Value::Null, Value::from)
        });
    if let Some(commands) = &given.batch {
        return batch(case, &given, commands, &bench).await;
    }
    if !given.responses.is_empty() {
        return Err(Invalid::new("`responses` to calls that are no batch"));
    }
    for rule in &given.memory {
        seed(rule, &bench).await;
    }
    let (call, expectation) = case.only_call()?;
    let answer = given.response.as_ref().map(Response::answer).transpose()?;
    let similar = given
        .response
        .as_ref()
        .is_some_and(Response::is_about_similar);
    let answer = answer.map(|mut answer| {
        if let (true, Ok(decision)) = (similar, &mut answer.reply) {
            decision.without = after_prefix(&call.args);
        }
        answer
    });
    let attempt = bench.call(&call, answer).await;
    let seen = Seen::new(&attempt, &Coding);
    Ok(finding(compare(&expectation, &seen)?))
}

/// Has a rule remembered, as it came to be: somebody was asked about such a command.
async fn seed(rule: &Rule, bench: &Bench) {
    let args = Args::new().with("command", &*rule.pattern);
    let call = ToolUse::new(TOOL, args, Python::Dict(Vec::new()));
    let mut decision = match rule.behavior {
        Behavior::Allow => ApprovalDecision::approve(),
        Behavior::Deny => ApprovalDecision::decline(),
    };
    if rule.matches == Match::Prefix {
        // Further words may follow.
        decision.without = vec![END.into()];
    }
    bench
        .seed(&call, decision.remembered(Remember::Always))
        .await;
}

const TOOL: &str = "ExecuteCommand";

/// The key of the payload that says that there are no more words. It comes after all words.
const END: &str = "words end";

/// What identifies a command: its words, each for itself, and that there are no more.
fn words(args: &Args) -> Args {
    let command = args.get("command").and_then(Value::as_str);
    let words = command.unwrap_or_default().split_whitespace();
    let payload = Args::new().with(END, true);
    words.enumerate().fold(payload, |payload, (place, word)| {
        payload.with(format!("word {place:03}"), word)
    })
}

/// What a similar command need not share: everything from the first option on, or from the third
/// word.
fn after_prefix(args: &Args) -> Vec<Box<str>> {
    let words = words(args);
    let is_option = |word: &&Value| word.as_str().is_some_and(|word| word.starts_with('-'));
    let named = || words.as_map().iter().filter(|(key, _)| *key != END);
    let prefix = named().take(2).take_while(|(_, word)| !is_option(word));
    let kept: Vec<_> = prefix.map(|(key, _)| key.clone()).collect();
    let keys = words.as_map().keys().filter(|key| !kept.contains(key));
    keys.map(|key| key.as_str().into()).collect()
}

/// Asks about every command.
struct Asks;

impl Policy for Asks {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        Vote::ask("runs a command")
            .by(toolgate::Rule::new("command"))
            .with_payload(words(call.args()))
            .into()
    }

    fn denies_by_args(&self) -> bool {
        false
    }
}

/// Commands that are prepared together. The response to a command is the one whose pattern says
/// most of it.
async fn batch(
    case: &Case,
    given: &Given,
    commands: &[Command],
    bench: &Bench,
) -> Result<Finding, Invalid> {
    let called = case.call.as_ref().and_then(|call| call.batch.as_ref());
    if called != Some(&vec![TOOL.to_owned(); commands.len()]) {
        return Err(Invalid::new("`call` is not the batch that is given"));
    }
    let calls = commands.iter().map(|command| ToolUse {
        call_id: Some(command.call_id.clone()),
        ..ToolUse::new(
            TOOL,
            Args::new().with("command", &*command.command),
            Python::Dict(Vec::new()),
        )
    });
    let calls: Vec<_> = calls.collect();
    let mut answers = Vec::new();
    for (pattern, response) in &given.responses {
        answers.push((pattern.clone(), response.answer()?));
    }
    answers.sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.len()));
    let script = Script::new(move |request: &ApprovalRequest| {
        let command = request.args.get("command").and_then(Value::as_str);
        let fits = |pattern: &str| match pattern.strip_suffix('*') {
            Some(start) => command.is_some_and(|command| command.starts_with(start)),
            None => command == Some(pattern),
        };
        let answer = answers.iter().find(|(pattern, _)| fits(pattern));
        answer.map_or_else(Answer::never, |(_, answer)| answer.clone())
    });
    let seen = seen(&bench.call_all(&calls, script).await, &calls, &Coding);
    Ok(finding(compare(&expectation::of_call(case)?, &seen)?))
}

/// Tells commands from arguments that are none.
struct Commands;

impl Describe for Commands {
    fn describe(
        &self,
        call: &ToolCall<Reviewing>,
        _: &ToolEntries<'_>,
    ) -> Result<Description, DescribeError> {
        let command = call.args().get("command").and_then(Value::as_str);
        match command.filter(|command| !command.trim().is_empty()) {
            Some(_) => Ok(Description::new().with(["proc.exec".parse()?])),
            None => Err(Fault::InvalidArguments.into()),
        }
    }
}

/// How this system puts things.
struct Coding;

impl Voice for Coding {
    fn refusal(&self, blocked: &ToolBlocked) -> Told {
        let refused = |reason: &str| Told {
            class: None,
            ..Told::blocked("", reason)
        };
        match (blocked.kind(), Fault::behind(blocked)) {
            (BlockedKind::Declined | BlockedKind::RememberedDenial, _) => {
                refused(blocked.reason().unwrap_or("Permission denied by user."))
            }
            (_, Some(Fault::InvalidArguments)) => refused("Invalid arguments."),
            _ => Told::otherwise(blocked),
        }
    }

    fn remembered(&self, grants: &[Grant]) -> Value {
        let rule = |grant: &Grant| {
            let words = grant.payload.as_map().values().filter_map(Value::as_str);
            json!({
                "behavior": match grant.decision {
                    GrantDecision::Allow => "allow",
                    GrantDecision::Deny => "deny",
                },
                "match": if grant.exact { "exact" } else { "prefix" },
                "pattern": words.collect::<Vec<_>>().join(" "),
            })
        };
        grants.iter().map(rule).collect()
    }

    fn more(&self, seen: &mut Seen, attempt: &Attempt) {
        let aborted = seen.fields.get("run") == Some(&Value::from("aborted"));
        seen.set("interrupted", aborted);
        let Ended::Refused(blocked, _) = &attempt.ended else {
            return;
        };
        let denial = matches!(
            blocked.kind(),
            BlockedKind::Denied | BlockedKind::Declined | BlockedKind::RememberedDenial
        );
        seen.set("is_denial", denial);
        let invalid = Fault::behind(blocked) == Some(&Fault::InvalidArguments);
        seen.set(
            "kind",
            if invalid {
                "invalid_arguments"
            } else {
                "permission_denied"
            },
        );
    }
}
