//! What an agent tells its hook.

use serde_json::{Map, Value};
use toolgate::{Args, ArgsLimits, Origin, ToolCall, ToolId};

use super::Agent;
use crate::text::{unreadable_json, visible};

/// What an agent tells its hook.
#[derive(Debug)]
pub(crate) struct Input {
    pub(super) tool: String,
    pub(super) args: Map<String, Value>,
    pub(super) cwd: Option<String>,
    /// The server of the tool, if the agent says which.
    pub(super) server: Option<String>,
    origin: Origin,
    id: Option<String>,
    agent: Agent,
}

impl Input {
    /// Reads an input, or says why that cannot be done.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let limits = ArgsLimits::default().with_bytes(16 << 20);
        let whole = Args::parse_slice(bytes, limits)
            .map_err(|error| unreadable_json(&error, "the input"))?;
        Self::of(whole.as_map())
    }

    /// Takes the parts of an input that is JSON.
    pub(crate) fn of(whole: &Map<String, Value>) -> Result<Self, String> {
        match text(whole, "hook_event_name")? {
            Some("PreToolUse") => {}
            Some(other) => {
                let other = visible(other);
                return Err(format!("it answers `PreToolUse`, and this is `{other}`"));
            }
            None => return Err("the input has no `hook_event_name`".to_owned()),
        }
        let tool = text(whole, "tool_name")?.filter(|name| !name.is_empty());
        let tool = tool.ok_or("the input has no `tool_name`")?.to_owned();
        let Some(Value::Object(args)) = whole.get("tool_input") else {
            return Err("the input has no `tool_input` that is an object".to_owned());
        };
        let cwd = text(whole, "cwd")?.map(str::to_owned);
        if cwd.as_ref().is_some_and(|cwd| !is_absolute(cwd)) {
            return Err("`cwd` does not begin at the root".to_owned());
        }
        // Only Codex tells these. If that ever changes, what would be asked is denied.
        let is_codex = ["turn_id", "model"]
            .iter()
            .any(|key| whole.contains_key(*key));
        Ok(Self {
            tool,
            args: args.clone(),
            cwd,
            server: server(whole)?,
            origin: origin(whole)?,
            id: text(whole, "tool_use_id")?.map(str::to_owned),
            agent: if is_codex {
                Agent::Codex
            } else {
                Agent::Claude
            },
        })
    }

    /// The agent that this is from.
    pub(super) fn agent(&self) -> Agent {
        self.agent
    }

    /// A call that comes from where this comes from.
    pub(super) fn call(&self, tool: impl Into<ToolId>, args: impl Into<Args>) -> ToolCall {
        let call = ToolCall::new(tool, args.into()).with_origin(self.origin.clone());
        match &self.id {
            Some(id) => call.with_id(id.as_str()),
            None => call,
        }
    }

    /// The call by the name that the agent gives it.
    pub(super) fn own_call(&self) -> ToolCall {
        self.call(self.tool.as_str(), self.args.clone())
    }
}

fn is_absolute(path: &str) -> bool {
    std::path::Path::new(path).is_absolute()
}

fn server(whole: &Map<String, Value>) -> Result<Option<String>, String> {
    match whole.get("mcp_server") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(server)) => {
            let name = text(server, "name")?.filter(|name| !name.is_empty());
            let name = name.ok_or("`mcp_server` has no `name`")?;
            Ok(Some(name.to_owned()))
        }
        Some(_) => Err("`mcp_server` is not an object".to_owned()),
    }
}

/// The session, and the agent: `root`, or one that works for it.
fn origin(whole: &Map<String, Value>) -> Result<Origin, String> {
    let mut origin = Origin::new().with_agent("root");
    if let Some(session) = text(whole, "session_id")? {
        origin = origin.with_session(session);
    }
    let kind = text(whole, "agent_type")?.or(text(whole, "agent_id")?);
    Ok(match kind {
        Some(name) => origin.child(name),
        None => origin,
    })
}

pub(super) fn text<'a>(
    object: &'a Map<String, Value>,
    key: &str,
) -> Result<Option<&'a str>, String> {
    match object.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` is not text")),
    }
}
