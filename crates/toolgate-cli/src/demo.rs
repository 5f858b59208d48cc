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

use crate::{exit, fail::Fail, out, signals::told_to_end};

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
down. You are the one who is asked. Where there is no terminal nobody is, and what has to be asked
about does not run.

Examples:
  toolgate demo
  toolgate demo --yes-to=write_file,fetch
  toolgate demo --yes-to=all --keep
  printf 'always\\nno, not today\\n' > answers; toolgate demo --script answers";

/// What is said at the end to whoever has no terminal.
const ALONE: &str = "\nThere is no terminal here, so nobody was asked, and what had to be asked\n\
                     about did not run. Answers can be given beforehand:\n  \
                     toolgate demo --yes-to=write_file,fetch\n";

pub(crate) fn run(args: &DemoArgs) -> Result<ExitCode, Fail> {
    let answers = match (&args.yes_to, &args.script) {
        (Some(tools), _) => Answers::yes_to(tools)?,
        (None, Some(file)) => Answers::script(file)?,
        (None, None) => Answers::whoever_is_there(),
    };
    let is_alone = matches!(answers, Answers::Nobody);
    let handler = answers.handler();
    let stage = Stage::build()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fail::new(format!("the session cannot be started: {error}")))?;
    let played = runtime.block_on(async {
        tokio::select! {
            // First, so that it is known before anybody is asked.
            biased;
            () = told_to_end() => Err(Fail::new("the session was ended before its last call")),
            played = script::play(&stage, handler) => played,
        }
    });
    // A question that nobody answers must not keep the folder.
    let kept = if args.keep { Some(stage.keep()) } else { None };
    played?;
    if is_alone {
        out::print(ALONE)?;
    }
    if let Some(folder) = kept {
        out::print(&format!("the folder is {}\n", folder.display()))?;
    }
    Ok(exit::FINE.into())
}
