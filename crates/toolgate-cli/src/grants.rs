//! `toolgate grants`: what people answered for longer than once.

mod file;
mod show;

use std::{path::PathBuf, process::ExitCode};

use clap::Subcommand;
use toolgate::Grant;

use self::file::GrantsFile;
use crate::{exit, fail::Fail, out, text::count};

/// Lists, shows and revokes grants.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct GrantsArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Clone, Subcommand)]
enum Command {
    /// One line for each grant
    List {
        /// Grants as they were exported
        file: PathBuf,
        /// One line of JSON for each
        #[arg(long)]
        json: bool,
    },
    /// Everything about one grant
    Show {
        /// Grants as they were exported
        file: PathBuf,
        /// Its id, as `list` shows it
        id: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Take grants back
    Revoke {
        /// Grants as they were exported
        file: PathBuf,
        /// Their ids, as `list` shows them
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        ids: Vec<String>,
        /// Every one of them
        #[arg(long)]
        all: bool,
    },
}

pub(crate) const HELP: &str = "\
FILE is what a program writes when it exports its grants, as the library of this name does it.

Examples:
  toolgate grants list grants.json
  toolgate grants show grants.json g3
  toolgate grants revoke grants.json g3 g4

A program that runs has its grants in memory: what is revoked in the file counts from the next time
that it reads it.";

pub(crate) fn run(args: &GrantsArgs) -> Result<ExitCode, Fail> {
    match &args.command {
        Command::List { file, json } => list(&GrantsFile::read(file)?, *json)?,
        Command::Show { file, id, json } => {
            let file = GrantsFile::read(file)?;
            let grant = file.find(id)?;
            match json {
                true => out::print_json(grant)?,
                false => out::print(&show::whole(grant))?,
            }
        }
        Command::Revoke { file, ids, all } => {
            let mut file = GrantsFile::read(file)?;
            let revoked = match all {
                true => file.clear(),
                false => file.remove(ids)?,
            };
            file.write()?;
            out::print(&format!("revoked {}\n", count(revoked, "grant")))?;
        }
    }
    Ok(exit::FINE.into())
}

fn list(file: &GrantsFile, json: bool) -> Result<(), Fail> {
    if json {
        return file.grants().iter().try_for_each(out::print_json);
    }
    match file.grants() {
        [] => out::print("there are no grants\n"),
        grants => out::print(
            &grants
                .iter()
                .map(|grant: &Grant| show::line(grant))
                .collect::<String>(),
        ),
    }
}
