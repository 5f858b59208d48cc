//! Streamable HTTP, on this machine.

pub(crate) mod local;
pub(crate) mod remote;
mod sessions;
mod sse;

/// The headers of the protocol.
const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
const EVENTS: &str = "text/event-stream";
const JSON: &str = "application/json";
