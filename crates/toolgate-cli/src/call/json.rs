//! One call from JSON: our own form, a line of an audit, or the input of a hook.

use serde_json::{Map, Value};
use toolgate::{Annotations, Args, AuditRecord, Origin, ToolCall, ToolId};

use super::agent;
use crate::text::visible;

const KEYS: [&str; 8] = [
    "tool",
    "server",
    "args",
    "id",
    "agent",
    "session",
    "origin",
    "annotations",
];

/// Reads a call, or says what is wrong with it.
pub(crate) fn call(value: &Map<String, Value>) -> Result<ToolCall, String> {
    if value.contains_key("time_us") {
        return audited(value);
    }
    if let Some(key) = value.keys().find(|key| !KEYS.contains(&key.as_str())) {
        let known = KEYS.join("`, `");
        return Err(format!("`{}` is none of `{known}`", visible(key)));
    }
    let args = match value.get("args") {
        Some(Value::Object(args)) => Args::from(args.clone()),
        Some(_) => return Err("`args` has to be an object".to_owned()),
        None => return Err("`args` is missing; a call without arguments has `{}`".to_owned()),
    };
    let mut call = ToolCall::new(tool(value)?, args).with_origin(origin(value)?);
    if let Some(id) = text(value, "id")? {
        call = call.with_id(id);
    }
    if let Some(hints) = value.get("annotations") {
        let hints = serde_json::from_value::<Annotations>(hints.clone());
        let why = "`annotations` has to be an object with hints such as `readOnlyHint`";
        call = call.with_annotations(hints.map_err(|_| why.to_owned())?);
    }
    Ok(call)
}

fn audited(value: &Map<String, Value>) -> Result<ToolCall, String> {
    let record = serde_json::from_value::<AuditRecord>(Value::Object(value.clone()));
    let record = record.map_err(|_| "this is no line of an audit that can be read".to_owned())?;
    let call = record.to_call();
    call.ok_or_else(|| "this line of an audit has no arguments".to_owned())
}

fn tool(value: &Map<String, Value>) -> Result<ToolId, String> {
    let server = text(value, "server")?;
    let (name, inner) = match value.get("tool") {
        Some(Value::String(name)) => (name.as_str(), None),
        Some(Value::Object(tool)) => {
            if let Some(key) = tool
                .keys()
                .find(|key| !["name", "server"].contains(&key.as_str()))
            {
                return Err(format!(
                    "`tool` has `name` and `server`, not `{}`",
                    visible(key)
                ));
            }
            let name = text(tool, "name")?.ok_or("`tool` has no `name`")?;
            (name, text(tool, "server")?)
        }
        Some(_) => return Err("`tool` has to be a name".to_owned()),
        None => return Err("`tool` is missing".to_owned()),
    };
    let tool = ToolId::new(name);
    match (server, inner) {
        (Some(_), Some(_)) => Err("`server` is named twice".to_owned()),
        (Some(server), None) | (None, Some(server)) => Ok(tool.on_server(server)),
        (None, None) => Ok(tool),
    }
}

fn origin(value: &Map<String, Value>) -> Result<Origin, String> {
    let mut origin = match value.get("origin") {
        None => Origin::new(),
        Some(origin) => serde_json::from_value::<Origin>(origin.clone()).map_err(
            |_| "`origin` has `principal`, `project`, `session`, `branch`, `turn` and `agent`",
        )?,
    };
    if let Some(path) = text(value, "agent")? {
        origin = origin.with_agent(agent(path));
    }
    if let Some(session) = text(value, "session")? {
        origin = origin.with_session(session);
    }
    Ok(origin)
}

fn text<'a>(value: &'a Map<String, Value>, key: &str) -> Result<Option<&'a str>, String> {
    match value.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` has to be text")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "it is written in place")]
    fn read(value: Value) -> Result<ToolCall, String> {
        call(value.as_object().unwrap())
    }

    #[test]
    fn a_tool_is_a_name_or_a_name_on_a_server() {
        let short = read(json!({"tool": "t", "server": "s", "args": {}})).unwrap();
        let long = read(json!({"tool": {"name": "t", "server": "s"}, "args": {}})).unwrap();
        assert_eq!(short.tool(), long.tool());
        assert_eq!(short.tool().server(), Some("s"));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (value, part) in [
            (json!({"args": {}}), "`tool` is missing"),
            (json!({"tool": "t"}), "`args` is missing"),
            (json!({"tool": "t", "args": []}), "has to be an object"),
            (
                json!({"tool": "t", "args": {}, "argz": 1}),
                "`argz` is none of",
            ),
            (json!({"tool": 1, "args": {}}), "has to be a name"),
            (
                json!({"tool": "t", "args": {}, "agent": 1}),
                "`agent` has to be text",
            ),
            (
                json!({"tool": "t", "args": {}, "origin": 1}),
                "`origin` has",
            ),
            (json!({"time_us": 1}), "no line of an audit"),
        ] {
            let why = read(value).unwrap_err();
            assert!(why.contains(part), "{why}");
        }
    }

    #[test]
    fn an_agent_is_a_path() {
        let call = read(json!({"tool": "t", "args": {}, "agent": "root/x"})).unwrap();
        assert_eq!(
            call.origin().agent().parts().collect::<Vec<_>>(),
            ["root", "x"]
        );
    }
}
