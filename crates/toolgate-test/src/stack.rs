//! Whole stacks for tests, and how a call ended in one.

use std::{future::poll_fn, pin::pin, sync::Arc, task::Poll};

use serde_json::Value;
use toolgate::{
    AllowedBy, Args, BlockedKind, GateLayer, Policy, PolicyLayer, PromptLayer, ReviewLayer,
    Reviewing, ToolBlocked, ToolCall,
};
use tower::{Layer, ServiceExt, util::BoxCloneSyncService};

use crate::{Approver, Spy};

/// A whole stack behind one type.
pub type Stack = BoxCloneSyncService<ToolCall, Value, ToolBlocked>;

type Inside = BoxCloneSyncService<ToolCall<Reviewing>, Value, ToolBlocked>;

/// Builds the plain stack: review, prompt if there is an approver, the policies from the outside
/// in, and a gate that asks by default.
pub fn stack<P: Policy>(
    policies: impl IntoIterator<Item = P, IntoIter: DoubleEndedIterator>,
    approver: Option<Approver>,
    tool: Spy,
) -> Stack {
    let mut inside: Inside = BoxCloneSyncService::new(GateLayer::new().layer(tool));
    for policy in policies.into_iter().rev() {
        inside = BoxCloneSyncService::new(PolicyLayer::new(policy).layer(inside));
    }
    if let Some(approver) = approver {
        inside = BoxCloneSyncService::new(PromptLayer::new(approver).layer(inside));
    }
    BoxCloneSyncService::new(ReviewLayer::new().layer(inside))
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It ran, with these arguments, for this reason.
    Ran(Args, AllowedBy),
    /// It did not run.
    Blocked(BlockedKind),
}

impl Outcome {
    /// Whether the tool ran.
    #[must_use]
    pub fn ran(&self) -> bool {
        matches!(self, Self::Ran(..))
    }
}

/// Sends `call` through the stack that `build` makes around a fresh spy, and says how it ended.
///
/// # Panics
///
/// If what the stack returned and what the spy saw do not agree: a call that ran and says that
/// it did not, or that ran twice.
pub fn outcome(build: impl FnOnce(Spy) -> Stack, call: ToolCall) -> Outcome {
    let spy = Spy::new();
    let result = block_on(build(spy.clone()).oneshot(call));
    match result {
        Ok(_) => {
            assert_eq!(
                spy.runs(),
                1,
                "a call that succeeds runs the tool exactly once"
            );
            let run = spy.args().pop().zip(spy.allowed_by().pop());
            run.map_or(Outcome::Blocked(BlockedKind::Unsettled), |(args, by)| {
                Outcome::Ran(args, by)
            })
        }
        Err(blocked) => {
            assert_eq!(
                spy.runs(),
                0,
                "a call that is blocked does not run the tool: {blocked}"
            );
            Outcome::Blocked(blocked.kind())
        }
    }
}

/// Wraps policies of any type so that they can stand in one list.
pub(crate) fn shared(policy: impl Policy) -> Arc<dyn Policy> {
    Arc::new(policy)
}

/// Polls a future a few times and drops it. True if it ended by then.
pub(crate) fn poll_and_drop<F: Future>(future: F) -> bool {
    block_on(async {
        let mut future = pin!(future);
        for _ in 0..8 {
            if poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx)))
                .await
                .is_ready()
            {
                return true;
            }
            tokio::task::yield_now().await;
        }
        false
    })
}

/// Runs a future to its end on a runtime of its own.
#[expect(
    clippy::expect_used,
    reason = "a test that cannot start a runtime cannot go on"
)]
fn block_on<F: Future>(future: F) -> F::Output {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().build().expect("a runtime starts");
    runtime.block_on(future)
}
