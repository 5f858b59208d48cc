//! `toolgate diff`: what would become of recorded calls under another policy.

mod history;
mod report;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ValueEnum;
use toolgate::{Effect, ToolCall};
use toolgate_policy::{FilePolicy, Loader};

use self::{history::History, report::Report};
use crate::{
    exit,
    fail::Fail,
    policy::PolicyArgs,
    verdict::{Verdict, in_mode},
};

/// Replays recorded calls against two policies.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct DiffArgs {
    /// The policy as it is
    old: PathBuf,
    /// The policy as it would be
    new: PathBuf,
    /// The recorded calls: an audit with arguments, or calls as `toolgate check` takes them; `-` is
    /// standard input
    #[arg(long, value_name = "FILE")]
    history: PathBuf,
    /// The environment of both
    #[arg(short, long = "env", value_name = "NAME")]
    environment: Option<String>,
    /// The directory that relative paths of both are in. Without it: that of the new policy
    #[arg(long, value_name = "DIR")]
    workspace: Option<PathBuf>,
    /// Which changes end with exit code 1
    #[arg(long, value_name = "WHICH", default_value = "any")]
    fail_on: FailOn,
    /// How many examples of each change are shown
    #[arg(long, value_name = "N", default_value_t = 3)]
    examples: usize,
    /// One line of JSON for each call that changes
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Any change
    Any,
    /// Something would be let through that was asked about or denied, or asked that was denied
    Looser,
    /// Something would be asked about or denied that was not
    Stricter,
    /// None
    Never,
}

pub(crate) const HELP: &str = "\
Examples:
  git show HEAD:toolgate.toml > /tmp/old.toml
  toolgate diff /tmp/old.toml toolgate.toml --history audit.jsonl
  toolgate diff old.toml new.toml --history audit.jsonl --fail-on looser    in CI

A record is one line of JSON. Records without arguments cannot be replayed and are counted.

Exit codes: 0 if nothing changes, 1 if something does that `--fail-on` names, 2 if it could not be
found out, also if a record could not be read.";

pub(crate) fn run(args: &DiffArgs) -> Result<ExitCode, Fail> {
    let (old, new) = (args.load(&args.old)?, args.load(&args.new)?);
    let mut report = Report::new(args.json, args.examples);
    let mut history = History::open(&args.history)?;
    for call in history.by_ref() {
        compare(&old, &new, &call, &mut report)?;
    }
    report.finish(&history)?;
    let fails = report
        .changes()
        .any(|(old, new)| args.fail_on.means(old, new));
    Ok(match (fails, history.unread) {
        (true, _) => exit::FAILED.into(),
        (false, 0) => exit::FINE.into(),
        // Nobody knows what becomes of what could not be read.
        (false, _) => exit::ERROR.into(),
    })
}

fn compare(
    old: &FilePolicy,
    new: &FilePolicy,
    call: &ToolCall,
    report: &mut Report,
) -> Result<(), Fail> {
    let effect = |policy: &FilePolicy| in_mode(policy.effect(call), policy.mode()).0;
    let (before, after) = (effect(old), effect(new));
    match before == after {
        true => {
            report.same();
            Ok(())
        }
        false => report.change(call, before, &Verdict::of(new, call)),
    }
}

impl DiffArgs {
    /// Both are loaded as if they lay in the same place.
    fn load(&self, file: &Path) -> Result<FilePolicy, Fail> {
        let beside_new = || {
            let new = std::path::absolute(&self.new).ok()?;
            Some(new.parent()?.to_owned())
        };
        let args = PolicyArgs {
            policy: None,
            environment: self.environment.clone(),
            workspace: self.workspace.clone().or_else(beside_new),
        };
        args.compile(Loader::new().project(file, true))
    }
}

impl FailOn {
    fn means(self, old: Effect, new: Effect) -> bool {
        match self {
            Self::Any => true,
            Self::Looser => new < old,
            Self::Stricter => new > old,
            Self::Never => false,
        }
    }
}
