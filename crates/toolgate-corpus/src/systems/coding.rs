//! The coding harness of `HPD-Agent`: one function that runs commands, asked about every time.

use serde::Deserialize;
use serde_json::Value;
use toolgate::{
    BlockedKind, Decision, Describe, DescribeError, Description, GateLayer, ReviewLayer, Reviewing,
    ToolBlocked, ToolCall, ToolEntries,
};

use super::{finding, hpd::Response};
use crate::{
    Finding, Missing, Skip,
    bench::{Attempt, Ended, Stack},
    case::{Case, Invalid},
    compare::compare,
    fault::Fault,
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
    #[serde(default, rename = "responses")]
    _responses: Option<std::collections::BTreeMap<String, Response>>,
}

/// A rule that was remembered.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(rename = "behavior")]
    _behavior: Behavior,
    #[serde(rename = "match")]
    _match: Match,
    #[serde(rename = "pattern")]
    _pattern: String,
}

/// What a rule decides.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Behavior {
    Allow,
    Deny,
}

/// How a rule matches.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Match {
    Exact,
    Prefix,
}

/// One command of a batch.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    #[serde(rename = "command")]
    _command: String,
    #[serde(rename = "call_id")]
    _call_id: String,
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    if let Some(batch) = &given.batch {
        let called = case.call.as_ref().and_then(|call| call.batch.as_ref());
        return match called {
            Some(called) if *called == vec!["ExecuteCommand"; batch.len()] => {
                Ok(Finding::Skipped(Skip::Missing(Missing::Batches)))
            }
            _ => Err(Invalid::new("`call` is not the batch that is given")),
        };
    }
    let (call, expectation) = case.only_call()?;
    let remembers = !given.memory.is_empty() || expectation.has_some("memory_after");
    let needs = remembers.then_some(Missing::Memory);
    let needs = needs.or_else(|| given.response.as_ref().and_then(Response::needs));
    if let Some(missing) = needs {
        return Ok(Finding::Skipped(Skip::Missing(missing)));
    }
    let answer = given.response.as_ref().map(Response::answer).transpose()?;
    let bench = Stack::new(&GateLayer::new(), None)
        .policy(|_: &ToolCall<Reviewing>| Decision::ask("runs a command"))
        .asking()
        .build_telling(&ReviewLayer::new().describe(Commands), |blocked| {
            Coding
                .refusal(blocked)
                .reason
                .map_or(Value::Null, Value::from)
        });
    let attempt = bench.call(&call, answer).await;
    let seen = Seen::new(&attempt, &Coding);
    Ok(finding(compare(&expectation, &seen)?))
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
            (BlockedKind::Declined, _) => {
                refused(blocked.reason().unwrap_or("Permission denied by user."))
            }
            (_, Some(Fault::InvalidArguments)) => refused("Invalid arguments."),
            _ => Told::otherwise(blocked),
        }
    }

    fn more(&self, seen: &mut Seen, attempt: &Attempt) {
        let aborted = seen.fields.get("run") == Some(&Value::from("aborted"));
        seen.set("interrupted", aborted);
        let Ended::Refused(blocked, _) = &attempt.ended else {
            return;
        };
        let denial = matches!(blocked.kind(), BlockedKind::Denied | BlockedKind::Declined);
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
