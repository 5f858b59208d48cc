//! A set of tools, as the service at the end of a stack.

mod error;
mod tool;

use std::{
    collections::HashMap,
    fmt,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use serde_json::Value;
use tower_service::Service;

use self::tool::Handler;
pub use self::{
    error::{ToolboxError, ToolboxErrorKind},
    tool::Tool,
};
use crate::{
    Authorized, Describe, DescribeError, Description, Reviewing, ToolCall, ToolEntries, ToolId,
};

/// A set of tools: routes authorised calls by tool, and knows what each tool can do.
///
/// It stands at the end of a stack, and at its entry it describes the calls.
///
/// # Example
///
/// ```
/// use serde::Deserialize;
/// use tower::{ServiceBuilder, ServiceExt};
/// use toolgate::{
///     Args, Capabilities, CapabilityLayer, CapabilityRules, GateLayer, ReviewLayer, Tool, Toolbox,
///     ToolCall, ToolDecision,
/// };
///
/// #[derive(Deserialize)]
/// struct Add {
///     a: i64,
///     b: i64,
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
/// let toolbox = Toolbox::new([
///     Tool::new("add", |add: Add| async move { Ok::<_, std::io::Error>(add.a + add.b) })
///         .with_description("adds two numbers")
///         .with_capabilities(["math.add".parse()?]),
/// ])?;
///
/// let rules = CapabilityRules::new([("math.*", ToolDecision::PreApproved)])?;
/// let tools = ServiceBuilder::new()
///     .layer(ReviewLayer::new().describe(toolbox.clone()))
///     .layer(CapabilityLayer::new(Capabilities::new(rules)))
///     .layer(GateLayer::new())
///     .service(toolbox);
///
/// let sum = tools.oneshot(ToolCall::new("add", Args::parse(r#"{"a": 2, "b": 3}"#)?)).await?;
/// assert_eq!(sum, 5);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Arc<HashMap<ToolId, Tool>>,
}

impl Toolbox {
    /// Makes a set of tools.
    ///
    /// # Errors
    ///
    /// If a tool comes twice.
    pub fn new(tools: impl IntoIterator<Item = Tool>) -> Result<Self, ToolboxError> {
        let mut map = HashMap::new();
        for tool in tools {
            let id = tool.id().without_definition();
            if map.insert(id.clone(), tool).is_some() {
                return Err(ToolboxError::twice(&id));
            }
        }
        Ok(Self {
            tools: Arc::new(map),
        })
    }

    /// The tool that a call of `id` would go to. A call that names another definition than the
    /// tool has does not go to it.
    #[must_use]
    pub fn get(&self, id: &ToolId) -> Option<&Tool> {
        let tool = match id.definition() {
            None => self.tools.get(id),
            Some(_) => self.tools.get(&id.without_definition()),
        }?;
        let same = id.definition().is_none() || id.definition() == tool.id().definition();
        same.then_some(tool)
    }

    /// All tools, in no particular order.
    pub fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.tools.values()
    }
}

impl fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}

impl Describe for Toolbox {
    fn describe(
        &self,
        call: &ToolCall<Reviewing>,
        _config: &ToolEntries<'_>,
    ) -> Result<Description, DescribeError> {
        let known = self.tools.contains_key(&call.tool().without_definition());
        match self.get(call.tool()) {
            Some(tool) => tool.describe(call.args()),
            None if known => Err("the tool is defined otherwise by now".into()),
            None => Ok(Description::new()),
        }
    }
}

impl Service<ToolCall<Authorized>> for Toolbox {
    type Response = Value;
    type Error = ToolboxError;
    type Future = ToolboxFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ToolboxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: ToolCall<Authorized>) -> ToolboxFuture {
        let Some(tool) = self.get(call.tool()) else {
            let error = ToolboxError::unknown(call.tool());
            return ToolboxFuture {
                future: Box::pin(async { Err(error) }),
            };
        };
        let future = tool.run(call);
        ToolboxFuture { future }
    }
}

/// The future of a [`Toolbox`].
#[must_use = "futures do nothing unless polled"]
pub struct ToolboxFuture {
    future: <Handler as tool::Run>::Future,
}

impl Future for ToolboxFuture {
    type Output = Result<Value, ToolboxError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.future.as_mut().poll(cx)
    }
}

impl fmt::Debug for ToolboxFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolboxFuture").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
