//! Whoever runs the tool, between the gate and the tool.
//!
//! What a path leads to can change after a call was let through. Whoever runs the tool has to look
//! again before it does: here, it has the policy judge the call once more, and goes on only if that
//! comes out as before.

use std::{
    collections::HashMap,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use serde_json::Value;
use tokio::sync::Notify;
use toolgate::{Authorized, ToolCall};
use toolgate_policy::Says;
use tower::BoxError;
use tower_service::Service;

use super::{super::disk::Entry, Scene, spy::Spy};
use crate::{bench::lock, fault::Fault};

/// Whoever runs the tool. Clones are the same one.
#[derive(Clone)]
pub(in crate::attacks) struct Executor {
    scene: Arc<Scene>,
    spy: Spy,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    released: Notify,
}

#[derive(Default)]
struct State {
    /// The calls that are to wait, by turn, and whether they came.
    waiting: HashMap<String, bool>,
    /// What happens to the file system before the next call runs.
    next: Vec<Entry>,
}

impl Executor {
    pub(super) fn new(scene: &Arc<Scene>, spy: &Spy) -> Self {
        Self {
            scene: Arc::clone(scene),
            spy: spy.clone(),
            shared: Arc::default(),
        }
    }

    /// Has the call of this turn wait before it runs.
    pub(super) fn hold(&self, turn: String) {
        lock(&self.shared.state).waiting.insert(turn, false);
    }

    /// Whether the call of this turn was let through, and waits.
    pub(in crate::attacks) fn holds(&self, turn: &str) -> bool {
        lock(&self.shared.state).waiting.get(turn) == Some(&true)
    }

    /// Changes the file system between what was decided and what runs: for the calls that wait, or
    /// for the next one.
    pub(in crate::attacks) fn change(&self, entries: &[Entry]) {
        let any_waits = {
            let mut state = lock(&self.shared.state);
            let any = state.waiting.values().any(|came| *came);
            state.waiting.clear();
            if !any {
                state.next.extend_from_slice(entries);
            }
            any
        };
        if any_waits {
            self.scene.disk().put_all(entries);
            self.shared.released.notify_waiters();
        }
    }

    /// Comes for a call: true if it has to wait.
    fn come(&self, turn: &str) -> bool {
        let mut state = lock(&self.shared.state);
        match state.waiting.get_mut(turn) {
            Some(came) => {
                *came = true;
                true
            }
            None => false,
        }
    }

    /// How the policy judges the call now.
    fn judge(&self, call: &ToolCall<Authorized>) -> Vec<(Says, String)> {
        let call = ToolCall::new(call.tool().clone(), call.args().clone())
            .with_origin(call.origin().clone())
            .with_annotations(call.annotations());
        let Ok(policy) = self.scene.policy() else {
            return Vec::new();
        };
        let votes = policy.explain(&call).votes.into_iter();
        votes
            .map(|vote| (vote.says, vote.rule.id().to_owned()))
            .collect()
    }

    async fn run(mut self, call: ToolCall<Authorized>) -> Result<Value, BoxError> {
        let turn = call.origin().turn().unwrap_or_default().to_owned();
        let released = self.shared.released.notified();
        let has_to_wait = self.come(&turn);
        let next = std::mem::take(&mut lock(&self.shared.state).next);
        if has_to_wait || !next.is_empty() {
            let decided = self.judge(&call);
            if has_to_wait {
                released.await;
            }
            self.scene.disk().put_all(&next);
            if self.judge(&call) != decided {
                return Err(Fault::raised("Error", "it leads elsewhere by now").into());
            }
        }
        self.spy.call(call).await
    }
}

impl Service<ToolCall<Authorized>> for Executor {
    type Response = Value;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Value, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.spy.poll_ready(cx)
    }

    fn call(&mut self, call: ToolCall<Authorized>) -> Self::Future {
        Box::pin(self.clone().run(call))
    }
}
