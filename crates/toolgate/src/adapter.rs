//! What adapters for runtimes share: asking a stack, and saying why nothing is handed on.

mod definition;

use std::{error::Error, fmt, future::poll_fn};

use tower_service::Service;

pub use self::definition::{Definition, Definitions};
use crate::{ArgsError, Authorized, BlockedError, ToolBlocked, ToolCall, ToolId};

type Source = Box<dyn Error + Send + Sync>;

/// Asks a stack that ends in [`Authorize`](crate::Authorize) about one call.
///
/// Waits until `stack` is ready, so a runtime that never does need not. Dropping the future
/// withdraws whatever is being asked.
///
/// # Errors
///
/// If the call may not run. Then the runtime's request must not be handed on.
///
/// # Example
///
/// ```
/// use tower::ServiceBuilder;
/// use toolgate::{Args, Authorize, GateLayer, ReviewLayer, ToolCall, authorize};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let stack = ServiceBuilder::new()
///     .layer(ReviewLayer::new())
///     .layer(GateLayer::deny_by_default())
///     .service(Authorize::new());
///
/// let refusal = authorize(stack, ToolCall::new("rm", Args::new())).await.unwrap_err();
/// assert!(refusal.for_model().starts_with("`rm` did not run"));
/// # }
/// ```
pub async fn authorize<S>(mut stack: S, call: ToolCall) -> Result<ToolCall<Authorized>, Refusal>
where
    S: Service<ToolCall, Response = ToolCall<Authorized>>,
    S::Error: BlockedError + Into<Source>,
{
    let tool = call.tool().clone();
    let ready = poll_fn(|cx| stack.poll_ready(cx)).await;
    let authorized = match ready {
        Ok(()) => stack.call(call).await,
        Err(error) => Err(error),
    };
    authorized.map_err(|error| Refusal::from_stack(tool, error))
}

/// A stack that ends in [`Authorize`](crate::Authorize), as adapters take it. There is nothing to
/// implement: every such stack that can be cloned and sent is one.
pub trait Authorizer:
    Service<
        ToolCall,
        Response = ToolCall<Authorized>,
        Error: BlockedError + Into<Source> + Send,
        Future: Send,
    > + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> Authorizer for S
where
    S: Service<ToolCall, Response = ToolCall<Authorized>> + Clone + Send + Sync + 'static,
    S::Error: BlockedError + Into<Source> + Send,
    S::Future: Send,
{
}

/// Why an adapter hands nothing on to the tool.
///
/// Never quotes an argument.
#[derive(Debug)]
pub struct Refusal {
    tool: ToolId,
    cause: Cause,
}

#[derive(Debug)]
enum Cause {
    Unknown,
    Definition,
    Cancelled,
    Args(ArgsError),
    Blocked(ToolBlocked),
    Failed(Source),
}

impl Refusal {
    /// Nobody offers the tool, or more than one does: nothing could be said of what would run.
    #[must_use]
    pub fn unknown_tool(tool: ToolId) -> Self {
        Self::new(tool, Cause::Unknown)
    }

    /// The definition of the tool cannot be digested, so no grant could be tied to it.
    #[must_use]
    pub fn unreadable_definition(tool: ToolId) -> Self {
        Self::new(tool, Cause::Definition)
    }

    /// The runtime no longer wants the call.
    #[must_use]
    pub fn cancelled(tool: ToolId) -> Self {
        Self::new(tool, Cause::Cancelled)
    }

    /// The arguments could not be read.
    #[must_use]
    pub fn unreadable_args(tool: ToolId, error: ArgsError) -> Self {
        Self::new(tool, Cause::Args(error))
    }

    fn from_stack<E: BlockedError + Into<Source>>(tool: ToolId, error: E) -> Self {
        let cause = match error.into_blocked() {
            Ok(blocked) => Cause::Blocked(blocked),
            Err(error) => Cause::Failed(error.into()),
        };
        Self::new(tool, cause)
    }

    fn new(tool: ToolId, cause: Cause) -> Self {
        Self { tool, cause }
    }

    /// The tool that did not run.
    #[must_use]
    pub fn tool(&self) -> &ToolId {
        &self.tool
    }

    /// What the stack said, if the call came so far and the stack did not fail.
    #[must_use]
    pub fn blocked(&self) -> Option<&ToolBlocked> {
        match &self.cause {
            Cause::Blocked(blocked) => Some(blocked),
            _ => None,
        }
    }

    /// A sentence for the model.
    #[must_use]
    pub fn for_model(&self) -> String {
        match &self.cause {
            Cause::Blocked(blocked) => blocked.for_model(),
            _ => format!("`{}` did not run: {}.", self.tool, self.what()),
        }
    }

    /// An error of somebody's layer may quote anything, so it is only the source.
    fn what(&self) -> String {
        match &self.cause {
            Cause::Unknown => "there is no such tool, or more than one".to_owned(),
            Cause::Definition => "its definition cannot be read".to_owned(),
            Cause::Cancelled => "it was cancelled".to_owned(),
            Cause::Args(error) => error.to_string(),
            Cause::Blocked(blocked) => blocked.kind().to_string(),
            Cause::Failed(_) => "whether this call is permitted could not be decided".to_owned(),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Blocked(blocked) => blocked.fmt(f),
            _ => write!(f, "tool `{}` blocked: {}", self.tool, self.what()),
        }
    }
}

impl Error for Refusal {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.cause {
            Cause::Unknown | Cause::Definition | Cause::Cancelled => None,
            Cause::Args(error) => Some(error),
            Cause::Blocked(blocked) => blocked.source(),
            Cause::Failed(error) => Some(&**error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::{Ready, ready},
        task::{Context, Poll},
    };

    use super::*;
    use crate::Args;

    /// A stack that is never ready, but fails.
    struct Fails;

    impl Service<ToolCall> for Fails {
        type Response = ToolCall<Authorized>;
        type Error = Source;
        type Future = Ready<Result<ToolCall<Authorized>, Source>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Source>> {
            Poll::Ready(Err("token hunter2 expired".into()))
        }

        fn call(&mut self, _: ToolCall) -> Self::Future {
            ready(Err("called though not ready".into()))
        }
    }

    #[tokio::test]
    async fn a_stack_that_fails_refuses_and_the_model_is_not_told_how() {
        let refusal = authorize(Fails, ToolCall::new("t", Args::new()))
            .await
            .unwrap_err();
        let told = format!("{} {refusal}", refusal.for_model());
        assert!(
            told.contains("could not be decided") && !told.contains("hunter2"),
            "{told}"
        );
        assert_eq!(
            refusal.source().unwrap().to_string(),
            "token hunter2 expired"
        );
        assert!(refusal.blocked().is_none());
    }

    #[test]
    fn says_what_could_not_be_read() {
        let error = Args::parse("{").unwrap_err();
        let refusal = Refusal::unreadable_args("t".into(), error);
        assert!(refusal.for_model().contains("arguments cannot be read"));
        let refusal = Refusal::unknown_tool(ToolId::new("t").on_server("s"));
        assert!(refusal.for_model().starts_with("`s/t` did not run"));
    }
}
