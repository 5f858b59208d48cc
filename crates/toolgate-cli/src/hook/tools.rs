//! From the tools of coding agents to calls that policies know.

use std::path::Path;

use serde_json::{Map, Value};
use toolgate::{Args, ToolCall};

use super::{
    Input,
    input::text,
    mcp,
    patch::{self, Change},
};

/// What a tool of an agent amounts to.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    /// All of them have to be allowed.
    pub(crate) list: Vec<ToolCall>,
    /// Why it cannot be allowed, whatever the policy says of these.
    pub(crate) doubt: Option<String>,
    /// A directory, everything below which is read.
    pub(crate) searched: Option<String>,
}

impl Calls {
    fn one(call: ToolCall) -> Self {
        Self {
            list: vec![call],
            ..Self::default()
        }
    }
}

/// What the call of a tool amounts to; or why it cannot be read.
pub(crate) fn calls(input: &Input) -> Result<Calls, String> {
    let one = |call: Result<ToolCall, String>| call.map(Calls::one);
    if input.tool.starts_with("mcp__") || input.server.is_some() {
        return mcp::calls(input);
    }
    match input.tool.as_str() {
        "Bash" | "Monitor" | "shell" | "shell_command" | "local_shell" | "exec_command" => {
            one(shell(input))
        }
        // Its lines are read as far as they look like those of bash, which is enough to deny them.
        "PowerShell" => Ok(Calls {
            doubt: Some("a line for PowerShell cannot be read for sure".to_owned()),
            ..Calls::one(shell(input)?)
        }),
        "Read" => one(on_path(
            input,
            "read_file",
            "file_path",
            &["offset", "limit", "pages"],
        )),
        "NotebookRead" => one(on_path(input, "read_file", "notebook_path", &["cell_id"])),
        "LS" => {
            let path = inside(required(input, "path")?);
            let rest = in_directory(input, without(input, &["path", "ignore"]));
            Ok(Calls::one(
                input.call("list_directory", with(rest, "path", path)),
            ))
        }
        "Write" | "Edit" | "MultiEdit" => one(edit(input, "file_path")),
        "NotebookEdit" => one(edit(input, "notebook_path")),
        "Glob" => glob(input),
        "Grep" => grep(input),
        "WebFetch" => {
            let url = required(input, "url")?;
            let rest = without(input, &["url", "prompt"]);
            Ok(Calls::one(input.call("fetch", with(rest, "url", url))))
        }
        "apply_patch" => apply_patch(input),
        _ => Ok(Calls::one(input.own_call())),
    }
}

/// What says nothing of what a command does.
const BESIDE_A_COMMAND: [&str; 12] = [
    "command",
    "cmd",
    "workdir",
    "description",
    "justification",
    "timeout",
    "timeout_ms",
    "run_in_background",
    "persistent",
    "yield_time_ms",
    "max_output_tokens",
    "max_output_length",
];

fn shell(input: &Input) -> Result<ToolCall, String> {
    let mut rest = in_directory(input, without(input, &BESIDE_A_COMMAND));
    if let Some(directory) = text(&input.args, "workdir")?.filter(|path| !path.is_empty()) {
        let directory = match &input.cwd {
            Some(cwd) if !directory.starts_with('/') => join(cwd, directory),
            _ => directory.to_owned(),
        };
        rest.insert("cwd".to_owned(), Value::String(directory));
    }
    match (input.args.get("command"), input.args.get("cmd")) {
        (Some(Value::String(line)), None) | (None, Some(Value::String(line))) => {
            Ok(input.call("shell", with(rest, "command", line.as_str())))
        }
        (Some(words @ Value::Array(_)), None) => {
            Ok(input.call("exec", with(rest, "argv", words.clone())))
        }
        (Some(_), Some(_)) => Err("there is a `command`, and a `cmd` as well".to_owned()),
        _ => Err("`command` is not text".to_owned()),
    }
}

fn on_path(input: &Input, tool: &str, key: &str, ignored: &[&str]) -> Result<ToolCall, String> {
    let path = required(input, key)?;
    let mut rest = without(input, ignored);
    rest.remove(key);
    Ok(input.call(tool, with(in_directory(input, rest), "path", path)))
}

/// What is written is all that is not the path.
fn edit(input: &Input, key: &str) -> Result<ToolCall, String> {
    let path = required(input, key)?;
    let content = Value::Object(without(input, &[key]));
    let args = in_directory(input, Map::new());
    let args = with(args, "path", path).with("content", content);
    Ok(input.call("write_file", args))
}

/// The directory that a pattern of names begins in.
fn glob(input: &Input) -> Result<Calls, String> {
    let pattern = required(input, "pattern")?;
    let is_plain = |part: &&str| !part.contains(['*', '?', '[', '{', '(', '!', '\\']);
    let plain: Vec<_> = pattern.split('/').take_while(is_plain).collect();
    let doubt = pattern.split('/').any(|part| part == "..");
    let begin = plain.join("/");
    let root = if pattern.starts_with('/') { "/" } else { "" };
    let path = match (text(&input.args, "path")?, &input.cwd) {
        _ if !root.is_empty() => format!("/{}", begin.trim_start_matches('/')),
        (Some(path), _) => join(path, &begin),
        (None, Some(cwd)) => join(cwd, &begin),
        (None, None) => join(".", &begin),
    };
    let rest = in_directory(input, without(input, &["pattern", "path"]));
    Ok(Calls {
        doubt: doubt.then(|| "the pattern has `..` in it".to_owned()),
        ..Calls::one(input.call("list_directory", with(rest, "path", inside(&path))))
    })
}

/// A search reads everything below its path.
fn grep(input: &Input) -> Result<Calls, String> {
    required(input, "pattern")?;
    let harmless = [
        "pattern",
        "path",
        "glob",
        "type",
        "output_mode",
        "head_limit",
        "offset",
        "multiline",
        "-A",
        "-B",
        "-C",
        "-i",
        "-n",
        "context",
    ];
    let rest = in_directory(input, without(input, &harmless));
    let path = match (text(&input.args, "path")?, &input.cwd) {
        (Some(path), Some(cwd)) if !path.starts_with('/') => join(cwd, path),
        (Some(path), _) => path.to_owned(),
        (None, Some(cwd)) => cwd.clone(),
        (None, None) => return Err("neither `path` nor `cwd` says where to search".to_owned()),
    };
    let judged = match Path::new(&path).is_dir() {
        true => inside(&path),
        false => path.clone(),
    };
    Ok(Calls {
        searched: Some(path),
        ..Calls::one(input.call("read_file", with(rest, "path", judged)))
    })
}

fn apply_patch(input: &Input) -> Result<Calls, String> {
    let keys = ["command", "input", "patch"];
    let mut texts = keys.iter().filter_map(|key| input.args.get(*key));
    let (Some(Value::String(text)), None) = (texts.next(), texts.next()) else {
        return Err("the patch is not one text".to_owned());
    };
    let rest = in_directory(input, without(input, &keys));
    let call = |change: &Change| {
        let path = |key: &str, path: &str| with(rest.clone(), key, path);
        match change {
            Change::Write { path: at, text } => input.call(
                "write_file",
                path("path", at).with("content", text.as_str()),
            ),
            Change::Delete { path: at } => input.call("delete_file", path("path", at)),
            Change::Move { from, to } => {
                input.call("move_path", path("from", from).with("to", to.as_str()))
            }
        }
    };
    Ok(Calls {
        list: patch::changes(text)?.iter().map(call).collect(),
        ..Calls::default()
    })
}

fn required<'a>(input: &'a Input, key: &str) -> Result<&'a str, String> {
    let found = text(&input.args, key)?;
    found.ok_or_else(|| format!("`tool_input` has no `{key}`"))
}

/// What is left of the input: what is not known is asked about.
fn without(input: &Input, keys: &[&str]) -> Map<String, Value> {
    let rest = input.args.iter();
    let rest = rest.filter(|(key, _)| !keys.contains(&key.as_str()));
    rest.map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn in_directory(input: &Input, mut args: Map<String, Value>) -> Map<String, Value> {
    if let Some(cwd) = &input.cwd {
        // An agent that has an argument of that name means something else by it.
        let own = args.insert("cwd".to_owned(), Value::String(cwd.clone()));
        if let Some(own) = own {
            args.insert("tool_input.cwd".to_owned(), own);
        }
    }
    args
}

fn with(args: Map<String, Value>, key: &str, value: impl Into<Value>) -> Args {
    let mut args = args;
    // An argument that is there under our name, and not under the agent's, is not known.
    let own = args.insert(key.to_owned(), value.into());
    if let Some(own) = own {
        args.insert(format!("tool_input.{key}"), own);
    }
    args.into()
}

/// Any entry of a directory: who lists it learns the names in it. The directory itself may be the
/// whole workspace, and whatever is done to that is asked about.
fn inside(directory: &str) -> String {
    join(directory, "any-entry")
}

fn join(base: &str, rest: &str) -> String {
    match (base, rest) {
        (base, "") => base.to_owned(),
        ("/", rest) => format!("/{rest}"),
        (base, rest) => format!("{}/{rest}", base.trim_end_matches('/')),
    }
}
