//! The source systems, one file each.

mod batch;
mod budget;
mod capability;
mod coding;
mod config;
mod continuation;
mod controller;
mod described;
mod hpd;
mod llmdo;
mod marked;
mod native;
mod paba;
mod pam;
mod runtime;
mod session;
mod shell;
mod shields;
mod toolset;
mod toolsets;

use std::collections::HashSet;

use serde_json::json;

use crate::{
    Finding, Skip,
    answer::Answer,
    bench::{Attempt, Bench},
    case::{Act, Case, Fields, Invalid, Op, Turn},
    compare::compare,
    expectation::Expectation,
    seen::{Seen, Voice},
};

/// Runs a case as its system means it.
pub(crate) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let (name, _) = case.system.split_once('(').unwrap_or((&case.system, ""));
    match name.trim() {
        "pydantic-ai-middleware@0.2.4" | "pydantic-ai-blocking-approval@0.9.0"
            if case.gives("batch") =>
        {
            batch::run(case).await
        }
        "pydantic-ai-middleware@0.2.4" if case.gives("budget_limit_usd") => budget::run(case),
        "pydantic-ai-middleware@0.2.4" if case.gives("agent_toolsets") => toolsets::run(case),
        "pydantic-ai-middleware@0.2.4" => pam::run(case).await,
        "pydantic-ai-blocking-approval@0.9.0" if case.gives("memory_key") => {
            session::run(case).await
        }
        "pydantic-ai-blocking-approval@0.9.0" => paba::run(case).await,
        "pydantic-ai-blocking-approval@0.8.0" => controller::paba8(case).await,
        "llm-do@04e569b/tool_approval.py" if case.gives("mode") => controller::llmdo(case).await,
        "llm-do@04e569b/tool_approval.py" => llmdo::run(case).await,
        "llm-do@04e569b/llm_do/shell.py" => shell::run(case, shell::Version::Old).await,
        "llm-do@8d2109a/llm_do/toolsets/shell" => shell::run(case, shell::Version::New).await,
        "llm-do@73ae6bb/experiments/pydanticai-runtime-deps/approval_utils.py" => {
            capability::run(case).await
        }
        "llm-do@8d2109a/llm_do/runtime/approval.py" => runtime::run(case).await,
        "HPD-Agent#A" => hpd::run(case, hpd::Version::A).await,
        "HPD-Agent#B" => hpd::run(case, hpd::Version::B).await,
        "HPD-Agent#C" => hpd::run(case, hpd::Version::C).await,
        "HPD-Agent coding harness" => coding::run(case).await,
        "HPD-Agent ContinuationPermissionMiddleware" => continuation::run(case).await,
        "pydantic-ai@2.66.0 native approvals" => native::run(case).await,
        "pydantic-ai-shields@0.3.4" => shields::run(case).await,
        _ => Err(Invalid::new(format!("unknown system `{}`", case.system))),
    }
}

/// What became of a case in which these things differ.
fn finding(differences: Vec<String>) -> Finding {
    if differences.is_empty() {
        Finding::Passed
    } else {
        Finding::Failed(differences)
    }
}

/// What holds in place of recorded behaviour that is unsafe, where the case itself names no
/// other. It is compared, and the case then counts as skipped.
struct Instead {
    why: &'static str,
    expectation: Expectation,
}

impl Instead {
    /// The tool does not run.
    fn refused(why: &'static str) -> Self {
        Self::outcome(why, "error|blocked")
    }

    /// Whoever was asked said something that is not an answer.
    fn not_a_decision() -> Self {
        Self::refused("a handler's answer is typed; anything else is blocked")
    }

    /// Somebody is asked.
    fn asked(why: &'static str) -> Self {
        Self::outcome(why, "asked")
    }

    fn outcome(why: &'static str, outcome: &str) -> Self {
        let fields = [("outcome", json!(outcome)), ("tool_ran", json!(false))];
        let fields = fields.map(|(name, value)| (name.to_owned(), value));
        Self {
            why,
            expectation: Expectation(Fields::from_iter(fields)),
        }
    }

    /// What became of a case in which this was compared.
    fn finding(&self, differences: Vec<String>) -> Finding {
        match finding(differences) {
            Finding::Passed => Finding::Skipped(Skip::NotReproduced(self.why)),
            other => other,
        }
    }
}

/// Does what the turns of a case say, and returns everything that differs.
///
/// `answer` says what whoever is asked does in a turn.
async fn drive(
    turns: &[Turn<'_>],
    bench: &Bench,
    voice: &dyn Voice,
    answer: impl Fn(&Turn<'_>) -> Result<Option<Answer>, Invalid>,
) -> Result<Vec<String>, Invalid> {
    drive_and(turns, bench, voice, answer, |_, _| Ok(())).await
}

/// Does what the turns of a case say, and `after` each call something of the host's own.
async fn drive_and(
    turns: &[Turn<'_>],
    bench: &Bench,
    voice: &dyn Voice,
    answer: impl Fn(&Turn<'_>) -> Result<Option<Answer>, Invalid>,
    after: impl Fn(&Turn<'_>, &mut Attempt) -> Result<(), Invalid>,
) -> Result<Vec<String>, Invalid> {
    let mut differences = Vec::new();
    let mut ids = HashSet::new();
    for turn in turns {
        let seen = match &turn.act {
            Act::Call(call) => {
                let mut attempt = bench.call(call, answer(turn)?).await;
                after(turn, &mut attempt)?;
                if !attempt.shown.iter().all(|request| ids.insert(request.id)) {
                    differences.push(format!("{}a request has an old id", turn.place));
                }
                Seen::new(&attempt, voice)
            }
            Act::Op(op) => {
                if *op == Op::Clear {
                    bench.grants().clear();
                }
                Seen::nothing(voice, &bench.grants().list())
            }
        };
        let found = compare(&turn.expectation, &seen)?;
        differences.extend(found.into_iter().map(|line| turn.place.clone() + &line));
    }
    Ok(differences)
}
