//! `toolgate demo`: an agent's session, played with real tools and a real stack.

mod edits;
mod handler;
mod policy;
mod question;
mod script;
mod server;
mod stage;
mod tools;

use std::{path::PathBuf, process::ExitCode};

use crate::{exit, fail::Fail, out};

use self::{handler::Answers, stage::Stage};

/// Plays the session of an agent.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DemoArgs {
    /// Say yes to questions about these tools, and no to all others; `all` is every tool
    #[arg(
        long,
        value_name = "TOOLS",
        value_delimiter = ',',
        conflicts_with = "script"
    )]
    yes_to: Option<Vec<String>>,
    /// A file with the answers, one a line: `yes`, `always`, `no` or `no, and why`
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// Keep the folder, and say where it is
    #[arg(long)]
    keep: bool,
}

pub(crate) const HELP: &str = "\
The tools are real: they read, write and run commands in a new folder, and fetch from a server that
listens on this machine for as long as the session lasts. The agent is not: what it does is written
down. You are the one who is asked.

Examples:
  toolgate demo
  toolgate demo --yes-to=write_file,fetch
  toolgate demo --yes-to=all --keep
  printf 'always\\nno, not today\\n' > answers; toolgate demo --script answers";

pub(crate) fn run(args: &DemoArgs) -> Result<ExitCode, Fail> {
    let answers = match (&args.yes_to, &args.script) {
        (Some(tools), _) => Answers::YesTo(tools.clone()),
        (None, Some(file)) => Answers::script(file)?,
        (None, None) => Answers::Person,
    };
    let handler = answers.handler()?;
    let stage = Stage::build()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .map_err(|error| Fail::new(format!("the session cannot be started: {error}")))?;
    let played = runtime.block_on(script::play(&stage, handler));
    // A question that nobody answers must not keep the folder.
    let kept = if args.keep { Some(stage.keep()) } else { None };
    played?;
    if let Some(folder) = kept {
        out::print(&format!("the folder is {}\n", folder.display()))?;
    }
    Ok(exit::FINE.into())
}
