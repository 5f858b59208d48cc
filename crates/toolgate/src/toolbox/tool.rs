//! One tool: what it is, and how it runs.

use std::{error::Error, fmt, future::Future, pin::Pin, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use super::ToolboxError;
use crate::{
    Annotations, Args, Authorized, Capability, DescribeError, Description, ToolCall, ToolId,
};

type BoxFuture = Pin<Box<dyn Future<Output = Result<Value, ToolboxError>> + Send>>;
pub(super) type Handler = dyn Fn(ToolCall<Authorized>) -> BoxFuture + Send + Sync;
type ByArgs = dyn Fn(&Args) -> Result<Vec<Capability>, DescribeError> + Send + Sync;

/// Names the future of a [`Handler`].
pub(super) trait Run {
    type Future;
}

impl Run for Handler {
    type Future = BoxFuture;
}

/// One tool of a [`Toolbox`](crate::Toolbox): what it is, and how it runs.
#[derive(Clone)]
#[must_use = "a tool does nothing until a toolbox has it"]
pub struct Tool {
    id: ToolId,
    handler: Arc<Handler>,
    description: Option<Arc<str>>,
    schema: Option<Arc<Value>>,
    annotations: Annotations,
    requires_approval: bool,
    capabilities: Arc<[Capability]>,
    by_args: Option<Arc<ByArgs>>,
}

impl Tool {
    /// Makes a tool of an asynchronous function that takes arguments of a type of its own.
    pub fn new<A, R, E, F, Fut>(id: impl Into<ToolId>, run: F) -> Self
    where
        A: DeserializeOwned,
        R: Serialize,
        E: Into<Box<dyn Error + Send + Sync>>,
        F: Fn(A) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, E>> + Send + 'static,
    {
        Self::with_call(id, move |call: ToolCall<Authorized>| {
            let started = call.args().to().map(&run);
            let tool = call.tool().clone();
            async move {
                match started {
                    Ok(running) => finish(tool, running.await),
                    Err(error) => Err(ToolboxError::invalid_args(tool, error)),
                }
            }
        })
    }

    /// Makes a tool of an asynchronous function that takes the authorised call as it is.
    pub fn raw<R, E, F, Fut>(id: impl Into<ToolId>, run: F) -> Self
    where
        R: Serialize,
        E: Into<Box<dyn Error + Send + Sync>>,
        F: Fn(ToolCall<Authorized>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, E>> + Send + 'static,
    {
        Self::with_call(id, move |call: ToolCall<Authorized>| {
            let tool = call.tool().clone();
            let running = run(call);
            async move { finish(tool, running.await) }
        })
    }

    /// Makes a tool that starts another agent: it can `agent.spawn`, and somebody is asked
    /// before it runs unless that is lifted.
    pub fn sub_agent<R, E, F, Fut>(id: impl Into<ToolId>, run: F) -> Self
    where
        R: Serialize,
        E: Into<Box<dyn Error + Send + Sync>>,
        F: Fn(ToolCall<Authorized>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<R, E>> + Send + 'static,
    {
        let spawn = "agent.spawn".parse::<Capability>();
        Self::raw(id, run)
            .requiring_approval()
            .with_capabilities(spawn)
    }

    fn with_call<F, Fut>(id: impl Into<ToolId>, run: F) -> Self
    where
        F: Fn(ToolCall<Authorized>) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Value, ToolboxError>> + Send + 'static,
    {
        Self {
            id: id.into(),
            handler: Arc::new(move |call| Box::pin(run(call))),
            description: None,
            schema: None,
            annotations: Annotations::new(),
            requires_approval: false,
            capabilities: Arc::default(),
            by_args: None,
        }
    }

    /// Says what the tool does, for the model.
    pub fn with_description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// Sets the JSON Schema of the arguments, for the model.
    pub fn with_schema(mut self, schema: Value) -> Self {
        self.schema = Some(Arc::new(schema));
        self
    }

    /// Sets what the tool says of itself.
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Wants somebody to be asked before every call.
    pub fn requiring_approval(mut self) -> Self {
        self.requires_approval = true;
        self
    }

    /// Adds what the tool can do, whatever its arguments.
    pub fn with_capabilities(mut self, capabilities: impl IntoIterator<Item = Capability>) -> Self {
        self.capabilities = self
            .capabilities
            .iter()
            .cloned()
            .chain(capabilities)
            .collect();
        self
    }

    /// Sets what the tool can do with given arguments, beside what it can always do.
    ///
    /// If the function fails, the call is blocked.
    pub fn with_capabilities_by_args<F>(mut self, capabilities: F) -> Self
    where
        F: Fn(&Args) -> Result<Vec<Capability>, DescribeError> + Send + Sync + 'static,
    {
        self.by_args = Some(Arc::new(capabilities));
        self
    }

    /// What the tool is known by.
    #[must_use]
    pub fn id(&self) -> &ToolId {
        &self.id
    }

    /// What the tool does, for the model.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// The JSON Schema of the arguments.
    #[must_use]
    pub fn schema(&self) -> Option<&Value> {
        self.schema.as_deref()
    }

    /// What the tool says of itself.
    pub fn annotations(&self) -> Annotations {
        self.annotations
    }

    /// Whether the tool wants somebody to be asked before every call.
    #[must_use]
    pub fn requires_approval(&self) -> bool {
        self.requires_approval
    }

    /// What the tool can do, whatever its arguments.
    #[must_use]
    pub fn capabilities(&self) -> &[Capability] {
        &self.capabilities
    }

    pub(super) fn describe(&self, args: &Args) -> Result<Description, DescribeError> {
        let mut description = Description::new()
            .with_shared(Arc::clone(&self.capabilities))
            .with_annotations(self.annotations);
        if let Some(by_args) = &self.by_args {
            description = description.with(by_args(args)?);
        }
        if self.requires_approval {
            description = description.requiring_approval();
        }
        Ok(description)
    }

    pub(super) fn run(&self, call: ToolCall<Authorized>) -> BoxFuture {
        (self.handler)(call)
    }
}

fn finish<R: Serialize, E: Into<Box<dyn Error + Send + Sync>>>(
    tool: ToolId,
    result: Result<R, E>,
) -> Result<Value, ToolboxError> {
    let result = result.map_err(Into::into);
    let value = result.and_then(|response| Ok(serde_json::to_value(response)?));
    value.map_err(|error| ToolboxError::failed(tool, error))
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("id", &self.id)
            .field("requires_approval", &self.requires_approval)
            .field("capabilities", &self.capabilities)
            .finish_non_exhaustive()
    }
}
