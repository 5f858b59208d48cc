//! Several calls at once.

use futures_util::future::join_all;
use tower::util::Oneshot;
use tower_service::Service;

use crate::{BlockedError, ToolBlocked, ToolCall, round::Reach};

/// Sends a batch of calls through a stack: first all are settled, then those that may run do.
///
/// Settling is voting, remembering and asking. Nothing runs before the last question is answered,
/// so that a person sees the whole batch before anything happens; unless something changes
/// meanwhile, such as a policy, or the last use of a grant that two calls counted on. Then every call is judged once
/// more, with its answer, and those that may run do so at the same time. A call that is refused
/// leaves the others alone. The results come in the order of the calls.
///
/// Questions of one session are asked one at a time, in the order of the calls; a remembered answer
/// settles equal calls behind it.
///
/// # Example
///
/// ```
/// use toolgate::{
///     Args, Authorized, Decision, GateLayer, PolicyLayer, Reviewing, ReviewLayer, ToolBlocked,
///     ToolCall, run_batch,
/// };
/// use tower::ServiceBuilder;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let only_reading = |call: &ToolCall<Reviewing>| match call.tool().name() {
///     "read" => Decision::allow(),
///     _ => Decision::deny("only reading"),
/// };
/// let stack = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(PolicyLayer::new(only_reading))
///     .layer(GateLayer::new())
///     .service_fn(|_: ToolCall<Authorized>| async { Ok::<_, ToolBlocked>("done") });
///
/// let calls = ["read", "write", "read"].map(|tool| ToolCall::new(tool, Args::new()));
/// let results = run_batch(&stack, calls).await;
/// assert!(results[0].is_ok() && results[1].is_err() && results[2].is_ok());
/// # }
/// ```
pub async fn run_batch<S>(
    stack: &S,
    calls: impl IntoIterator<Item = ToolCall>,
) -> Vec<Result<S::Response, S::Error>>
where
    S: Service<ToolCall> + Clone,
    S::Error: BlockedError,
{
    let send = |call| Oneshot::new(stack.clone(), call);
    let settling = calls
        .into_iter()
        .map(|call| send(call.reaching(Reach::Settle)));
    let settled = join_all(settling).await.into_iter().map(settled);
    let running = settled.map(|settled| async move {
        match settled {
            Settled::MayRun(call) => send(call).await,
            Settled::Ended(result) => result,
        }
    });
    join_all(running).await
}

/// What came of settling one call.
enum Settled<R, E> {
    MayRun(ToolCall),
    /// It was refused; or refused as a result, if the stack does that.
    Ended(Result<R, E>),
}

fn settled<R, E: BlockedError>(result: Result<R, E>) -> Settled<R, E> {
    let error = match result {
        Ok(response) => return Settled::Ended(Ok(response)),
        Err(error) => error,
    };
    match error.into_blocked().map(ToolBlocked::into_settled) {
        Ok(Ok(call)) => Settled::MayRun(call.into_settled()),
        Ok(Err(blocked)) => Settled::Ended(Err(blocked.into())),
        Err(error) => Settled::Ended(Err(error)),
    }
}
