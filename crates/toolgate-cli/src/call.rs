//! Which calls a command is asked about.

mod json;
mod show;
mod stream;

use std::{
    fs::File,
    io::{self, BufReader, IsTerminal},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value};
use toolgate::{AgentPath, Args, Origin, ToolCall, ToolId};

pub(crate) use self::{
    json::call as from_json,
    show::show,
    stream::{Objects, Stream},
};
use crate::{fail::Fail, text::command_line};

/// Which calls a command is asked about.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CallArgs {
    /// A file of calls as JSON, one or many; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tool", "command"])]
    calls: Option<PathBuf>,

    /// The tool that is called, such as `shell`, `read_file` or `send_email`
    #[arg(short, long, value_name = "NAME", conflicts_with = "command")]
    tool: Option<String>,

    /// The server that offers the tool, if it is not the host's own
    #[arg(long, value_name = "NAME", requires = "tool")]
    server: Option<String>,

    /// An argument of the call, as text
    #[arg(short, long = "arg", value_name = "KEY=TEXT", requires = "tool")]
    args: Vec<String>,

    /// An argument of the call, as JSON
    #[arg(long = "arg-json", value_name = "KEY=JSON", requires = "tool")]
    json_args: Vec<String>,

    /// The agent that makes the call, from the root: `root/researcher`
    #[arg(long, value_name = "PATH")]
    agent: Option<String>,

    /// A command line, as a call of the tool `shell`
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// How calls are written, for the help of commands that take them.
pub(crate) const SYNTAX: &str = "\
A call can be written in three ways:
  as a command line    toolgate check -- git push
  as tool and args     toolgate check --tool write_file --arg path=src/main.rs
  as JSON              {\"tool\": \"shell\", \"args\": {\"command\": \"git push\"}}
JSON comes from standard input or from `--calls FILE`: one call, one call a line, or a list. It may
also name \"server\", \"agent\", \"session\" and \"annotations\". Lines of an audit with arguments and
inputs of coding agents' hooks are calls, too.";

impl CallArgs {
    /// The calls, one after the other.
    pub(crate) fn calls(&self) -> Result<Stream, Fail> {
        if let Some(tool) = &self.tool {
            return Ok(Stream::one(self.with_agent(self.named(tool)?)));
        }
        if !self.command.is_empty() {
            return Ok(Stream::one(self.with_agent(self.line())));
        }
        let objects = match &self.calls {
            Some(path) => objects(path)?,
            None if io::stdin().is_terminal() => return Err(nothing_asked()),
            None => objects(Path::new("-"))?,
        };
        let agent = self.agent.as_deref().map(agent);
        Ok(Stream::new(objects, agent))
    }

    fn named(&self, tool: &str) -> Result<ToolCall, Fail> {
        let mut args = Map::new();
        for pair in &self.args {
            let (key, text) = split(pair, "--arg")?;
            add(&mut args, key, Value::String(text.to_owned()))?;
        }
        for pair in &self.json_args {
            let (key, text) = split(pair, "--arg-json")?;
            add(&mut args, key, value(key, text)?)?;
        }
        let tool = ToolId::new(tool);
        let tool = match &self.server {
            Some(server) => tool.on_server(server.as_str()),
            None => tool,
        };
        Ok(ToolCall::new(tool, args.into()))
    }

    /// One word is a line as it is; several are words that a shell has to take as they are.
    fn line(&self) -> ToolCall {
        let line = match &*self.command {
            [line] => line.clone(),
            words => command_line(words),
        };
        ToolCall::new("shell", Args::new().with("command", line))
    }

    fn with_agent(&self, call: ToolCall) -> ToolCall {
        match &self.agent {
            Some(path) => call.with_origin(Origin::new().with_agent(agent(path))),
            None => call,
        }
    }
}

/// The objects of a file; `-` is standard input.
pub(crate) fn objects(path: &Path) -> Result<Objects, Fail> {
    if path.as_os_str() == "-" {
        return Ok(Objects::new(Box::new(io::stdin().lock()), "standard input"));
    }
    let unreadable = |error| Fail::unreadable(path, &error);
    let file = File::open(path).map_err(unreadable)?;
    if file.metadata().map_err(unreadable)?.is_dir() {
        return Err(unreadable(io::ErrorKind::IsADirectory.into()));
    }
    let name = path.display().to_string();
    Ok(Objects::new(Box::new(BufReader::new(file)), name))
}

/// The agent that a person means by `root/researcher`.
pub(crate) fn agent(path: &str) -> AgentPath {
    let names = path.split('/').filter(|name| !name.is_empty());
    names.fold(AgentPath::default(), |agent, name| agent.join(name))
}

fn split<'a>(pair: &'a str, option: &str) -> Result<(&'a str, &'a str), Fail> {
    pair.split_once('=').ok_or_else(|| {
        Fail::new(format!("`{option} {pair}` has no `=`"))
            .with_help(format!("write `{option} path=src/main.rs`"))
    })
}

fn add(args: &mut Map<String, Value>, key: &str, value: Value) -> Result<(), Fail> {
    match args.insert(key.to_owned(), value) {
        None => Ok(()),
        Some(_) => Err(Fail::new(format!("the argument `{key}` is given twice"))),
    }
}

/// Reads a value as strictly as arguments are read.
fn value(key: &str, text: &str) -> Result<Value, Fail> {
    let wrapped = Args::parse(&format!("{{\"value\":{text}}}"));
    let value = wrapped.ok().filter(|args| args.len() == 1);
    let value = value.and_then(|args| args.get("value").cloned());
    value.ok_or_else(|| {
        Fail::new(format!("the value of `--arg-json {key}=…` is not JSON")).with_help(format!(
            "text goes into quotes: `--arg-json '{key}=\"text\"'`"
        ))
    })
}

/// There is a text, and no call in it.
pub(crate) fn no_call() -> Fail {
    Fail::new("there was no call in the input").with_help(HOW)
}

fn nothing_asked() -> Fail {
    Fail::new("which call is meant?").with_help(HOW)
}

const HOW: &str = "write a command behind `--`, name a `--tool`, or pipe calls in as JSON";
