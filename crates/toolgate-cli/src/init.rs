//! `toolgate init`: a policy to start from.

mod kind;

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

pub(crate) use self::kind::Kind;
use crate::{
    exit,
    fail::Fail,
    out,
    policy::{NAMES, current_dir},
};

/// Writes a policy to start from.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct InitArgs {
    /// The directory of the project. Without it: the current one
    directory: Option<PathBuf>,
    /// What kind of project it is. Without it: found out from its files
    #[arg(short, long)]
    kind: Option<Kind>,
    /// Write over a policy that is there
    #[arg(short, long)]
    force: bool,
    /// Print the policy, and write nothing
    #[arg(long, conflicts_with = "force")]
    stdout: bool,
}

pub(crate) const HELP: &str = "\
Writes toolgate.toml, with a comment on everything in it, and toolgate.tests.toml with cases that it
passes. Both are yours: change them.

Examples:
  toolgate init
  toolgate init --kind python path/to/project
  toolgate init --stdout | less";

pub(crate) fn run(args: &InitArgs) -> Result<ExitCode, Fail> {
    let directory = match &args.directory {
        Some(directory) => directory.clone(),
        None => current_dir()?,
    };
    let kind = args.kind.unwrap_or_else(|| Kind::of(&directory));
    if args.stdout {
        out::print(&kind.policy())?;
        return Ok(exit::FINE.into());
    }
    let files = [
        (directory.join("toolgate.toml"), kind.policy()),
        (directory.join("toolgate.tests.toml"), kind.tests()),
    ];
    if !args.force {
        refuse_to_overwrite(&directory, &files)?;
    }
    for (path, text) in &files {
        fs::write(path, text).map_err(|error| Fail::unwritable(path, &error))?;
    }
    out::print(&format!(
        "wrote toolgate.toml and toolgate.tests.toml for a {kind} project\n\n\
         next:  toolgate explain -- git push\n       toolgate test\n       toolgate hook --help\n"
    ))?;
    Ok(exit::FINE.into())
}

fn refuse_to_overwrite(directory: &Path, files: &[(PathBuf, String)]) -> Result<(), Fail> {
    let policies = NAMES.iter().map(|name| directory.join(name));
    let mut all = policies.chain(files.iter().map(|(path, _)| path.clone()));
    match all.find(|path| path.symlink_metadata().is_ok()) {
        Some(path) => Err(Fail::new(format!("{} is there already", path.display()))
            .with_help("`--force` writes over it, `--stdout` prints the policy instead")),
        None => Ok(()),
    }
}
