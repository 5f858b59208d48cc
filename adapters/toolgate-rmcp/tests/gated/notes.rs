//! A server with tools that count.

use std::sync::{Arc, Mutex};

use rmcp::{
    ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
        ToolAnnotations,
    },
    service::{RequestContext, RunningService},
};

/// Tools `read` and `write`, which do nothing but count, and can be defined anew.
#[derive(Clone)]
pub(crate) struct Notes {
    seen: Arc<Mutex<Vec<CallToolRequestParams>>>,
    tools: Arc<Mutex<Vec<Tool>>>,
}

impl Notes {
    pub(crate) fn new() -> Self {
        let read = Tool::new("read", "reads a note", JsonObject::new())
            .annotate(ToolAnnotations::new().read_only(true));
        let write = Tool::new("write", "writes a note", JsonObject::new());
        Self {
            seen: Arc::default(),
            tools: Arc::new(Mutex::new(vec![read, write])),
        }
    }

    /// The requests that reached the tools.
    pub(crate) fn seen(&self) -> Vec<CallToolRequestParams> {
        self.seen.lock().unwrap().clone()
    }

    /// Lets the server list one more tool.
    pub(crate) fn list(&self, tool: Tool) {
        self.tools.lock().unwrap().push(tool);
    }

    /// Gives every tool another description.
    pub(crate) fn describe(&self, description: &'static str) {
        for tool in self.tools.lock().unwrap().iter_mut() {
            tool.description = Some(description.into());
        }
    }
}

impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_instructions("notes")
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(
            self.tools.lock().unwrap().clone(),
        ))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.seen.lock().unwrap().push(request);
        Ok(CallToolResult::success(vec![ContentBlock::text("done")]).into())
    }
}

/// A client of `handler`, each in a task of its own.
pub(crate) async fn connect(handler: impl ServerHandler) -> RunningService<RoleClient, ()> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    tokio::spawn(async move {
        let served = handler.serve(theirs).await.unwrap();
        served.waiting().await.unwrap();
    });
    ().serve(ours).await.unwrap()
}

pub(crate) fn request(tool: &'static str, args: serde_json::Value) -> CallToolRequestParams {
    let serde_json::Value::Object(args) = args else {
        panic!("arguments are an object");
    };
    CallToolRequestParams::new(tool).with_arguments(args)
}

/// What the model reads, and whether it is marked as an error.
pub(crate) fn read(response: CallToolResponse) -> (String, bool) {
    let CallToolResponse::Complete(result) = response else {
        panic!("the call is complete");
    };
    let text = result.content.first().unwrap().as_text().unwrap();
    (text.text.clone(), result.is_error == Some(true))
}
