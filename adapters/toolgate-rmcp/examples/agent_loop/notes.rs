//! An MCP server that keeps notes in a folder.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;

#[derive(Clone)]
pub(crate) struct Notes {
    folder: PathBuf,
    ran: Arc<Mutex<Vec<String>>>,
}

impl Notes {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            ran: Arc::default(),
        }
    }

    /// The tools that ran, in order.
    #[cfg(test)]
    pub(crate) fn ran(&self) -> Vec<String> {
        self.ran.lock().unwrap().clone()
    }

    fn run(&self, tool: &str, args: &JsonObject) -> io::Result<String> {
        let text = |key: &str| args.get(key).and_then(Value::as_str).unwrap_or_default();
        let file = self
            .folder
            .join(Path::new(text("name")).file_name().unwrap_or_default());
        match tool {
            "read_note" => fs::read_to_string(file),
            "save_note" => fs::write(file, text("text")).map(|()| "saved".to_owned()),
            "delete_note" => fs::remove_file(file).map(|()| "deleted".to_owned()),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl ServerHandler for Notes {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = [
            ("read_note", "reads a note"),
            ("save_note", "saves a note"),
            ("delete_note", "deletes a note"),
        ];
        let tools = tools.map(|(name, what)| Tool::new(name, what, JsonObject::new()));
        Ok(ListToolsResult::with_all_items(tools.to_vec()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let mut ran = self.ran.lock().unwrap_or_else(PoisonError::into_inner);
        ran.push(request.name.to_string());
        let args = request.arguments.unwrap_or_default();
        let result = match self.run(&request.name, &args) {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        };
        Ok(result.into())
    }
}
