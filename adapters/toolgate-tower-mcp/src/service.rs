//! One request.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use serde_json::Value;
use toolgate::{Args, Authorized, Authorizer, Definitions, Refusal, ToolCall, ToolId, authorize};
use tower::{Service, ServiceExt};
use tower_mcp::{
    CallToolResult, RouterRequest, RouterResponse,
    protocol::{
        CallToolParams, ListToolsParams, McpRequest, McpResponse, RequestId, ToolDefinition,
    },
};

use crate::ToolgateLayer;

/// The service that [`ToolgateLayer`] makes.
///
/// It is always ready, and waits for the service inside only when it hands a request on: nothing
/// is reserved there while somebody is asked.
#[derive(Clone, Debug)]
pub struct ToolgateService<S, A> {
    inner: S,
    gate: ToolgateLayer<A>,
}

impl<S, A> ToolgateService<S, A> {
    pub(crate) fn new(inner: S, gate: ToolgateLayer<A>) -> Self {
        Self { inner, gate }
    }
}

impl<S, A> Service<RouterRequest> for ToolgateService<S, A>
where
    S: Service<RouterRequest, Response = RouterResponse, Error: Send, Future: Send>
        + Clone
        + Send
        + Sync
        + 'static,
    A: Authorizer,
{
    type Response = RouterResponse;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<RouterResponse, S::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: RouterRequest) -> Self::Future {
        let (inner, gate) = (self.inner.clone(), self.gate.clone());
        match request.inner {
            McpRequest::CallTool(_) => Box::pin(gated(inner, gate, request)),
            _ => Box::pin(inner.oneshot(request)),
        }
    }
}

async fn gated<S, A>(
    inner: S,
    gate: ToolgateLayer<A>,
    mut request: RouterRequest,
) -> Result<RouterResponse, S::Error>
where
    S: Service<RouterRequest, Response = RouterResponse> + Clone,
    A: Authorizer,
{
    let tools = match listed(&inner, &request).await? {
        Ok(tools) => tools,
        // The router says itself why it lists nothing, as before a session is initialised.
        Err(response) => return Ok(*response),
    };
    let call = proposed(&gate, &request, &tools);
    let authorized = match call {
        Ok(call) => authorize(gate.stack.clone(), call).await,
        Err(refusal) => Err(refusal),
    };
    let call = match authorized {
        Ok(call) => call,
        Err(refusal) => return Ok(told(request.id, &refusal)),
    };
    // Somebody may have been asked for long. A tool that changed meanwhile is another.
    let tools = match listed(&inner, &request).await? {
        Ok(tools) => tools,
        Err(response) => return Ok(*response),
    };
    if let Err(refusal) = unchanged(&gate, &call, &tools) {
        return Ok(told(request.id, &refusal));
    }
    put(&mut request, &call);
    inner.oneshot(request).await
}

/// Refuses a call of a tool that is no longer what was authorised.
fn unchanged<A>(
    gate: &ToolgateLayer<A>,
    call: &ToolCall<Authorized>,
    tools: &[ToolDefinition],
) -> Result<(), Refusal> {
    let named = tools.iter().map(|tool| (tool.name.as_str(), tool));
    let definitions = Definitions::new(Some(&gate.server), named)?;
    match definitions.get(call.tool().name())?.tool() == call.tool() {
        true => Ok(()),
        false => Err(Refusal::unknown_tool(call.tool().clone())),
    }
}

/// A router that lists more pages than this goes round in circles.
const MOST_PAGES: usize = 1000;

/// The tools as the service inside lists them at this moment, to whoever makes the call.
async fn listed<S>(
    inner: &S,
    request: &RouterRequest,
) -> Result<Result<Vec<ToolDefinition>, Box<RouterResponse>>, S::Error>
where
    S: Service<RouterRequest, Response = RouterResponse> + Clone,
{
    let mut tools = Vec::new();
    let mut page = ListToolsParams::default();
    for _ in 0..MOST_PAGES {
        let list = request.clone_with_inner(McpRequest::ListTools(page));
        let response = inner.clone().oneshot(list).await?;
        let Ok(McpResponse::ListTools(result)) = response.inner else {
            return Ok(Err(Box::new(response)));
        };
        tools.extend(result.tools);
        let Some(cursor) = result.next_cursor else {
            return Ok(Ok(tools));
        };
        page = ListToolsParams::default();
        page.cursor = Some(cursor);
    }
    // Without a list nothing is known, and the call is refused.
    Ok(Ok(Vec::new()))
}

fn proposed<A>(
    gate: &ToolgateLayer<A>,
    request: &RouterRequest,
    tools: &[ToolDefinition],
) -> Result<ToolCall, Refusal> {
    let McpRequest::CallTool(params) = &request.inner else {
        return Err(Refusal::unknown_tool(ToolId::new("")));
    };
    let named = tools.iter().map(|tool| (tool.name.as_str(), tool));
    let definitions = Definitions::new(Some(&gate.server), named)?;
    let definition = definitions.get(&params.name)?;
    let args =
        args(params).map_err(|error| Refusal::unreadable_args(definition.tool().clone(), error))?;
    Ok(definition
        .call(args)
        .with_id(id(&request.id))
        .with_origin((gate.origin)(request)))
}

/// No arguments at all arrive as null. Anything else that is no object is refused.
fn args(params: &CallToolParams) -> Result<Args, toolgate::ArgsError> {
    match &params.arguments {
        Value::Null => Ok(Args::new()),
        arguments => arguments.clone().try_into(),
    }
}

/// Puts exactly the arguments that were authorised into the request.
fn put(request: &mut RouterRequest, call: &ToolCall<Authorized>) {
    if let McpRequest::CallTool(params) = &mut request.inner
        && !(params.arguments.is_null() && call.args().is_empty())
    {
        params.arguments = Value::Object(call.args().as_map().clone());
    }
}

fn id(id: &RequestId) -> String {
    match id {
        RequestId::String(id) => id.clone(),
        RequestId::Number(id) => id.to_string(),
        other => format!("{other:?}"),
    }
}

fn told(id: RequestId, refusal: &Refusal) -> RouterResponse {
    let result = CallToolResult::error(refusal.for_model());
    RouterResponse {
        id,
        inner: Ok(McpResponse::CallTool(result)),
    }
}
