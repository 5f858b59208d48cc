//! A tool that takes down its runs.

use std::{
    collections::HashSet,
    future::{Ready, ready},
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use serde_json::Value;
use toolgate::{AllowedBy, Args, Authorized, ToolCall, ToolId};
use tower::BoxError;
use tower_service::Service;

use crate::{bench::lock, fault::Fault};

/// One run.
#[derive(Clone, Debug)]
pub(in crate::attacks) struct Run {
    /// The turn of the call.
    pub(in crate::attacks) turn: String,
    pub(in crate::attacks) tool: ToolId,
    pub(in crate::attacks) args: Args,
    pub(in crate::attacks) by: AllowedBy,
}

/// A tool that takes down its runs. Clones are the same tool.
#[derive(Clone, Default)]
pub(in crate::attacks) struct Spy(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    runs: Vec<Run>,
    never_ready: bool,
    failing: HashSet<String>,
}

impl Spy {
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Every run so far.
    pub(in crate::attacks) fn runs(&self) -> Vec<Run> {
        lock(&self.0).runs.clone()
    }

    /// Fails before it is called, from now on.
    pub(in crate::attacks) fn never_be_ready(&self) {
        lock(&self.0).never_ready = true;
    }

    /// Fails in the run of this turn.
    pub(in crate::attacks) fn fail_in(&self, turn: String) {
        lock(&self.0).failing.insert(turn);
    }
}

impl Service<ToolCall<Authorized>> for Spy {
    type Response = Value;
    type Error = BoxError;
    type Future = Ready<Result<Value, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(match lock(&self.0).never_ready {
            true => Err(Fault::raised("Error", "not ready").into()),
            false => Ok(()),
        })
    }

    fn call(&mut self, call: ToolCall<Authorized>) -> Self::Future {
        let mut state = lock(&self.0);
        let turn = call.origin().turn().unwrap_or_default().to_owned();
        let fails = state.failing.contains(&turn);
        state.runs.push(Run {
            turn,
            tool: call.tool().clone(),
            args: call.args().clone(),
            by: call.allowed_by(),
        });
        ready(match fails {
            true => Err(Fault::raised("Error", "the tool failed").into()),
            false => Ok(Value::from("ok")),
        })
    }
}
