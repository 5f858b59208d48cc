//! A call in one line.

use serde_json::Value;
use toolgate::ToolCall;

use crate::text::short;

/// The longest line that is shown of a call.
const LONGEST: usize = 160;

/// A call in one line: its tool, and what it is about.
pub(crate) fn show(call: &ToolCall) -> String {
    let args = call.args();
    let text = |key: &str| args.get(key).and_then(Value::as_str);
    let only = |key: &str| text(key).filter(|_| args.len() == 1);
    let what = only("command")
        .or_else(|| only("path"))
        .or_else(|| only("url"));
    let what = match what {
        Some(text) => text.to_owned(),
        None => serde_json::to_string(args).unwrap_or_default(),
    };
    format!("{}  {}", call.tool(), short(&what, LONGEST))
}
