//! `toolgate import`: policies out of the permission files of other systems.
//!
//! What is allowed here was allowed there; the other way round it need not be so. What cannot be
//! said exactly is said more narrowly if it allows, and more broadly if it restricts; each time
//! that is reported.

mod claude;
mod codex;
mod commands;
mod draft;
mod gemini;
mod mcp;
mod opencode;
mod ordered;
mod paths;
mod render;
mod settled;
mod starlark;
#[cfg(test)]
mod tests;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ValueEnum;

use self::draft::{Draft, Loss};
use crate::{
    exit,
    fail::Fail,
    out,
    style::{self, paint},
    text::{count, visible},
};

/// Makes a policy out of the permission file of another system.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ImportArgs {
    /// The system that the file is of
    system: System,
    /// The file
    file: PathBuf,
    /// Where to write the policy. Without it: standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write nothing, and end with exit code 1, if anything could not be carried over as it was
    #[arg(long)]
    strict: bool,
}

/// The systems whose permission files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum System {
    /// Claude Code: settings.json
    Claude,
    /// Codex: *.rules
    Codex,
    /// Gemini CLI: policies/*.toml
    Gemini,
    /// opencode: opencode.json
    Opencode,
    /// llm-do: the YAML of a worker
    LlmDo,
}

pub(crate) const HELP: &str = "\
Examples:
  toolgate import claude .claude/settings.json -o toolgate.toml
  toolgate import codex ~/.codex/rules/default.rules
  toolgate import gemini ~/.gemini/policies/mine.toml
  toolgate import opencode opencode.json --strict

What the policy allows was allowed before. What could not be carried over as it was is reported on
standard error: a rule that allowed then allows less or nothing, a rule that restricted restricts
more.

Exit codes: 0 if a policy was written, 1 with `--strict` if something was lost, 2 if the file cannot
be read.";

/// A policy, and what was lost on the way.
pub(crate) struct Imported {
    pub(crate) toml: String,
    pub(crate) losses: Vec<Loss>,
}

pub(crate) fn run(args: &ImportArgs) -> Result<ExitCode, Fail> {
    let path = &args.file;
    let text = fs::read_to_string(path).map_err(|error| Fail::unreadable(path, &error))?;
    let imported = import(args.system, path, &text)?;
    report(&imported.losses);
    if args.strict && !imported.losses.is_empty() {
        return Ok(exit::FAILED.into());
    }
    match &args.output {
        None => out::print(&imported.toml)?,
        Some(output) if output.exists() => {
            return Err(Fail::new(format!("{} is there already", output.display()))
                .with_help("move it away, or write to another file"));
        }
        Some(output) => {
            fs::write(output, &imported.toml).map_err(|error| Fail::unwritable(output, &error))?;
            out::note(&format!("wrote {}\n", output.display()));
        }
    }
    Ok(exit::FINE.into())
}

/// Makes a policy out of a text.
pub(crate) fn import(system: System, path: &Path, text: &str) -> Result<Imported, Fail> {
    let name = path.display().to_string();
    let draft: Draft = match system {
        System::Claude => claude::read(path, text)?,
        System::Codex => codex::read(&name, text)?,
        System::Gemini => gemini::read(&name, text)?,
        System::Opencode => opencode::read(&name, text)?,
        System::LlmDo => return llm_do(&name, text),
    };
    settled::settle(draft)
}

fn llm_do(name: &str, text: &str) -> Result<Imported, Fail> {
    let imported = toolgate_policy::import_llm_do(name, text)?;
    let loss = |one: &toolgate_policy::Diagnostic| Loss {
        rule: one.place.to_string(),
        what: one.message.clone(),
    };
    Ok(Imported {
        losses: imported.losses.iter().map(loss).collect(),
        toml: imported.toml,
    })
}

fn report(losses: &[Loss]) {
    for loss in losses {
        let (rule, what) = (visible(&loss.rule), visible(&loss.what));
        out::note(&format!("{}: {rule}: {what}\n", paint(style::ASK, "loss")));
    }
    match losses.len() {
        0 => out::note("everything was carried over as it was\n"),
        number => out::note(&format!("{} not as before\n", count(number, "rule"))),
    }
}
