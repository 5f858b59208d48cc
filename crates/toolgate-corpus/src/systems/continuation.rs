//! Asking whether an agent may go on.
//!
//! Iterations count from zero; questions show them counted from one. The limit after a call is
//! found by going on from there until somebody is asked again. A run counts as terminated if
//! neither its first iteration, nor this one, nor the next can be made any more, although whoever
//! is asked would now say yes.

use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::sleep;
use toolgate::{
    ApprovalDecision, ApprovalRequest, ContinuationLayer, Iteration, Origin, Run, RunEnded,
};
use tower::{ServiceBuilder, ServiceExt as _, service_fn, util::BoxCloneSyncService};

use super::{finding, hpd::Response};
use crate::{
    Finding,
    answer::Answer,
    bench::lock,
    case::{Case, Invalid},
    compare::compare,
    expectation,
    fault::Fault,
    seen::{Outcome, Seen},
};

/// By how much a yes extends the limit if nothing is said of it.
const EXTENSION: u64 = 3;
/// How far a run goes on in search of its limit.
const FAR: u64 = 1_000;

/// What such a case is given.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    max_iterations: u64,
    #[serde(default)]
    extension_amount: Option<u64>,
    /// The limit after what was approved earlier in the run.
    #[serde(default)]
    state_limit: Option<u64>,
    #[serde(default)]
    response: Option<Response>,
}

/// Runs a case.
pub(super) async fn run(case: &Case) -> Result<Finding, Invalid> {
    let given: Given = case.given()?;
    let number = match &case.call {
        Some(call) if call.tool.is_none() && case.steps.is_none() => call.iteration,
        _ => None,
    };
    let number = number.ok_or_else(|| Invalid::new("`call` is not an iteration"))?;
    let reply = match &given.response {
        Some(response) => Reply {
            extend_by: response.extension(),
            answer: response.answer()?,
        },
        None => Reply::from(Answer::never()),
    };
    let agent = Agent::new(&given);
    agent.approve_up_to(&given).await?;
    let seen = agent.attempt(number, reply).await;
    Ok(finding(compare(&expectation::of_call(case)?, &seen)?))
}

/// What whoever is asked does, and by how much the limit is extended.
#[derive(Clone, Debug)]
struct Reply {
    answer: Answer,
    extend_by: Option<i64>,
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        Self {
            answer,
            extend_by: None,
        }
    }
}

impl Reply {
    fn yes() -> Self {
        Answer::now(Ok(ApprovalDecision::approve())).into()
    }

    async fn to(self, request: &ApprovalRequest) -> Result<ApprovalDecision, Fault> {
        sleep(self.answer.sleep).await;
        let decision = self.answer.reply?;
        Ok(match self.extend_by {
            Some(by) if decision.approved => {
                ApprovalDecision::edit(request.args.clone().with("extend_by", by))
            }
            _ => decision,
        })
    }
}

/// What is scripted, and what is taken down.
#[derive(Debug)]
struct Log {
    reply: Mutex<Reply>,
    shown: Mutex<Vec<ApprovalRequest>>,
    made: Mutex<Vec<u64>>,
}

/// One run of an agent that may have to ask.
struct Agent {
    stack: BoxCloneSyncService<Iteration, (), RunEnded>,
    run: Run,
    log: Arc<Log>,
}

impl Agent {
    fn new(given: &Given) -> Self {
        let log = Arc::new(Log {
            reply: Mutex::new(Answer::never().into()),
            shown: Mutex::default(),
            made: Mutex::default(),
        });
        let (asked, made) = (Arc::clone(&log), Arc::clone(&log));
        let handler = service_fn(move |request: ApprovalRequest| {
            let reply = lock(&asked.reply).clone();
            lock(&asked.shown).push(request.clone());
            async move { reply.to(&request).await }
        });
        let extension = given.extension_amount.unwrap_or(EXTENSION);
        let layer = ContinuationLayer::new(given.max_iterations, handler).with_extension(extension);
        let stack = ServiceBuilder::new()
            .layer(layer)
            .service_fn(move |iteration: Iteration| {
                lock(&made.made).push(iteration.number());
                async { Ok(()) }
            });
        Self {
            stack: BoxCloneSyncService::new(stack),
            run: Run::new(Origin::new()),
            log,
        }
    }

    /// Makes an iteration while whoever is asked replies so.
    async fn make(&self, number: u64, reply: Reply) -> Result<(), RunEnded> {
        *lock(&self.log.reply) = reply;
        self.stack.clone().oneshot(self.run.iteration(number)).await
    }

    fn asked(&self) -> usize {
        lock(&self.log.shown).len()
    }

    /// Says yes to so many questions that the limit is the one that is given.
    async fn approve_up_to(&self, given: &Given) -> Result<(), Invalid> {
        let wanted = given.state_limit.unwrap_or(given.max_iterations);
        let extension = given.extension_amount.unwrap_or(EXTENSION).max(1);
        let missing = wanted.checked_sub(given.max_iterations);
        let Some(questions) = missing
            .filter(|more| more % extension == 0)
            .map(|more| more / extension)
        else {
            return Err(Invalid::new("`state_limit` cannot come of approvals"));
        };
        for question in 0..questions {
            let number = given.max_iterations + question * extension;
            let made = self.make(number, Reply::yes()).await;
            made.map_err(|ended| Invalid::new(format!("no approval: {ended}")))?;
        }
        let asked = std::mem::take(&mut *lock(&self.log.shown)).len() as u64;
        lock(&self.log.made).clear();
        (asked == questions)
            .then_some(())
            .ok_or_else(|| Invalid::new(format!("{asked} questions for {questions} approvals")))
    }

    /// Makes the iteration that the case is about, and puts what became of it.
    async fn attempt(&self, number: u64, reply: Reply) -> Seen {
        let result = self.make(number, reply).await;
        let shown = lock(&self.log.shown).clone();
        let made = lock(&self.log.made).contains(&number);
        let mut seen = Seen {
            outcome: match &result {
                Ok(()) => Outcome::Executed,
                Err(_) => Outcome::Blocked,
            },
            prompts: shown.iter().map(|request| vec![prompt(request)]).collect(),
            asked: !shown.is_empty(),
            ended_asking: result.is_err(),
            ..Seen::blank()
        };
        seen.set("tool_ran", made);
        seen.set("prompt_count", shown.len());
        match result {
            Ok(()) => {
                seen.set("terminated", false);
                seen.set("new_limit", self.limit_beyond(number).await);
            }
            Err(ended) => {
                seen.set("reason", ended.note());
                seen.set("new_limit", ended.limit());
                seen.set("terminated", !made && self.is_over(number).await);
            }
        }
        seen
    }

    /// The first iteration after this one that somebody is asked about.
    async fn limit_beyond(&self, number: u64) -> Option<u64> {
        let asked = self.asked();
        for next in number + 1..number + FAR {
            let ended = self.make(next, Answer::never().into()).await.err();
            if self.asked() > asked {
                return ended.filter(|ended| ended.limit() == next).map(|_| next);
            }
        }
        None
    }

    /// Whether nothing comes after an iteration that was refused, not even a question.
    async fn is_over(&self, number: u64) -> bool {
        let asked = self.asked();
        let mut over = true;
        for next in [0, number, number + 1] {
            over &= self.make(next, Reply::yes()).await.is_err();
        }
        over && self.asked() == asked
    }
}

fn prompt(request: &ApprovalRequest) -> Value {
    json!({
        "iteration_shown": request.args.get("iteration"),
        "limit": request.args.get("limit"),
    })
}
