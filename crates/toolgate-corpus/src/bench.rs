//! A real stack, with a tool that takes down its runs and a handler that follows a script.

mod stack;

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde_json::Value;
use tokio::time::{sleep, timeout};
use toolgate::{AllowedBy, ApprovalDecision, ApprovalRequest, Args, Capability, ToolBlocked};
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
    refused: Mutex<Option<ToolBlocked>>,
    answer: Mutex<Option<Answer>>,
}

/// One run of the tool.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) args: Args,
    pub(crate) by: AllowedBy,
    pub(crate) labels: Vec<Capability>,
}

impl Log {
    /// Takes down a refusal that the model is told of.
    pub(crate) fn refuse(&self, blocked: ToolBlocked) {
        *lock(&self.refused) = Some(blocked);
    }

    /// Takes down a run.
    pub(crate) fn run(&self, run: Run) {
        lock(&self.runs).push(run);
    }

    /// Does what the script says.
    pub(crate) async fn ask(&self, request: ApprovalRequest) -> Result<ApprovalDecision, Fault> {
        let answer = lock(&self.answer).clone().unwrap_or_else(Answer::never);
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

/// A stack that is ready to be called.
#[derive(Debug)]
pub(crate) struct Bench {
    stack: Complete,
    log: Arc<Log>,
}

/// What became of one call.
#[derive(Debug)]
pub(crate) struct Attempt {
    pub(crate) ended: Ended,
    pub(crate) runs: Vec<Run>,
    pub(crate) shown: Vec<ApprovalRequest>,
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
        }
    }
}

impl Bench {
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
        *lock(&self.log.answer) = answer;
        let calling = self.stack.clone().oneshot(call.to_call());
        let result = match after {
            Some(after) => timeout(after, calling).await.ok(),
            None => Some(calling.await),
        };
        let refused = lock(&self.log.refused).take();
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
        }
    }
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
