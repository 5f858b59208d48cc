//! A real stack, with a tool that takes down its runs and a handler that follows a script.

mod stack;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::time::{sleep, timeout};
use toolgate::{
    AllowedBy, ApprovalDecision, ApprovalRequest, Args, Capability, Grant, Grants, ToolBlocked,
    run_batch,
};
use tower::{BoxError, ServiceExt};

pub(crate) use self::stack::{Complete, Stack};
use crate::{answer::Answer, case::ToolUse, fault::Fault};

/// Locks what only this thread uses; a panic cannot leave it half changed.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the parts of a stack take down.
#[derive(Debug, Default)]
pub(crate) struct Log {
    runs: Mutex<Vec<Run>>,
    shown: Mutex<Vec<ApprovalRequest>>,
    refused: Mutex<Vec<ToolBlocked>>,
    script: Mutex<Option<Script>>,
    /// How many questions wait for an answer, and how many did at once at most.
    waiting: Mutex<(usize, usize)>,
}

/// What whoever is asked does with each question.
#[derive(Clone)]
pub(crate) struct Script(Arc<dyn Fn(&ApprovalRequest) -> Answer + Send + Sync>);

impl Script {
    /// Looks at each question.
    pub(crate) fn new(answer: impl Fn(&ApprovalRequest) -> Answer + Send + Sync + 'static) -> Self {
        Self(Arc::new(answer))
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").finish_non_exhaustive()
    }
}

/// One run of the tool.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) tool: String,
    pub(crate) call_id: Option<String>,
    pub(crate) args: Args,
    pub(crate) by: AllowedBy,
    pub(crate) labels: Vec<Capability>,
}

impl Log {
    /// Takes down a refusal that the model is told of.
    pub(crate) fn refuse(&self, blocked: ToolBlocked) {
        lock(&self.refused).push(blocked);
    }

    /// Takes down a run.
    pub(crate) fn run(&self, run: Run) {
        lock(&self.runs).push(run);
    }

    /// Does what the script says.
    pub(crate) async fn ask(&self, request: ApprovalRequest) -> Result<ApprovalDecision, Fault> {
        let script = lock(&self.script).clone();
        let answer = script.map_or_else(Answer::never, |Script(answer)| answer(&request));
        let _waiting = Waiting::new(self);
        if answer.looks_late {
            sleep(answer.sleep).await;
            lock(&self.shown).push(request);
        } else {
            lock(&self.shown).push(request);
            sleep(answer.sleep).await;
        }
        answer.reply
    }
}

/// A question that waits for an answer.
struct Waiting<'a>(&'a Log);

impl<'a> Waiting<'a> {
    fn new(log: &'a Log) -> Self {
        let mut waiting = lock(&log.waiting);
        waiting.0 += 1;
        waiting.1 = waiting.1.max(waiting.0);
        Self(log)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        lock(&self.0.waiting).0 -= 1;
    }
}

/// A stack that is ready to be called.
#[derive(Debug)]
pub(crate) struct Bench {
    stack: Complete,
    log: Arc<Log>,
    grants: Grants,
}

/// What became of one call.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) ended: Ended,
    pub(crate) runs: Vec<Run>,
    pub(crate) shown: Vec<ApprovalRequest>,
    /// What is remembered afterwards.
    pub(crate) remembered: Vec<Grant>,
}

/// How a call ended.
#[derive(Debug)]
pub(crate) enum Ended {
    /// The tool ran and returned.
    Ran(Value),
    /// It was blocked, and the model is told so with this result, or the run ends.
    Refused(ToolBlocked, Option<Value>),
    /// Something else went wrong: the tool, or building the stack.
    Failed(Fault),
    /// The call was dropped.
    Dropped,
}

impl Attempt {
    /// What became of a call for which no stack could be built.
    pub(crate) fn misbuilt(fault: Fault) -> Self {
        Self {
            ended: Ended::Failed(fault),
            runs: Vec::new(),
            shown: Vec::new(),
            remembered: Vec::new(),
        }
    }
}

impl Bench {
    /// What the stack remembers with.
    pub(crate) fn grants(&self) -> &Grants {
        &self.grants
    }

    /// Has an answer remembered, by asking about a call and giving it.
    pub(crate) async fn seed(&self, call: &ToolUse, decision: ApprovalDecision) -> Attempt {
        self.call(call, Some(Answer::now(Ok(decision)))).await
    }

    /// Calls several tools at once. They are settled first, and then run.
    pub(crate) async fn call_all(&self, calls: &[ToolUse], script: Script) -> Batch {
        *lock(&self.log.script) = Some(script);
        let calls = calls.iter().map(ToolUse::to_call);
        let results = run_batch(&self.stack, calls).await;
        Batch {
            results,
            runs: std::mem::take(&mut lock(&self.log.runs)),
            shown: std::mem::take(&mut lock(&self.log.shown)),
            refused: std::mem::take(&mut lock(&self.log.refused)),
            most_at_once: lock(&self.log.waiting).1,
        }
    }

    /// Calls a tool, while whoever is asked follows `answer`.
    pub(crate) async fn call(&self, call: &ToolUse, answer: Option<Answer>) -> Attempt {
        self.call_and_drop(call, answer, None).await
    }

    /// Calls a tool, and drops the call after a while.
    pub(crate) async fn call_and_drop(
        &self,
        call: &ToolUse,
        answer: Option<Answer>,
        after: Option<Duration>,
    ) -> Attempt {
        let script = answer.map(|answer| Script::new(move |_| answer.clone()));
        self.call_by(call, script, after).await
    }

    /// Calls a tool, while whoever is asked looks at each question.
    pub(crate) async fn call_by(
        &self,
        call: &ToolUse,
        script: Option<Script>,
        after: Option<Duration>,
    ) -> Attempt {
        *lock(&self.log.script) = script;
        let calling = self.stack.clone().oneshot(call.to_call());
        let result = match after {
            Some(after) => timeout(after, calling).await.ok(),
            None => Some(calling.await),
        };
        let refused = lock(&self.log.refused).pop();
        let ended = match (result, refused) {
            (None, _) => Ended::Dropped,
            (Some(Ok(result)), Some(blocked)) => Ended::Refused(blocked, Some(result)),
            (Some(Ok(result)), None) => Ended::Ran(result),
            (Some(Err(error)), _) => failed(error),
        };
        Attempt {
            ended,
            runs: std::mem::take(&mut lock(&self.log.runs)),
            shown: std::mem::take(&mut lock(&self.log.shown)),
            remembered: self.grants.list(),
        }
    }
}

/// What became of several calls.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) results: Vec<Result<Value, BoxError>>,
    pub(crate) runs: Vec<Run>,
    pub(crate) shown: Vec<ApprovalRequest>,
    /// What the model was told of, in the order of the refusals.
    pub(crate) refused: Vec<ToolBlocked>,
    /// How many questions waited for an answer at once.
    pub(crate) most_at_once: usize,
}

fn failed(error: BoxError) -> Ended {
    match error.downcast::<ToolBlocked>() {
        Ok(blocked) => Ended::Refused(*blocked, None),
        Err(error) => Ended::Failed(match error.downcast::<Fault>() {
            Ok(fault) => *fault,
            Err(error) => Fault::raised("Error", error.to_string()),
        }),
    }
}
