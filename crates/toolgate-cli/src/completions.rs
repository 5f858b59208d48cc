//! `toolgate completions`: what a shell needs to complete our command line.

use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::{Shell, generate};

use crate::{cli::Cli, exit, fail::Fail, out};

/// Prints what a shell needs to complete command lines.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) const HELP: &str = "\
Examples:
  bash  toolgate completions bash > ~/.local/share/bash-completion/completions/toolgate
  zsh   toolgate completions zsh > ~/.zfunc/_toolgate
  fish  toolgate completions fish > ~/.config/fish/completions/toolgate.fish";

pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitCode, Fail> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "toolgate", &mut script);
    out::print(&String::from_utf8_lossy(&script))?;
    Ok(exit::FINE.into())
}
