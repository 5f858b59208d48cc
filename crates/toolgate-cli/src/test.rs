//! `toolgate test`: the examples in a policy, and the cases beside it.

mod case;
mod examples;
mod report;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use self::{case::Cases, report::Report};
use crate::{exit, fail::Fail, policy::PolicyArgs};

/// Runs the examples in a policy, and the cases in files beside it.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TestArgs {
    #[command(flatten)]
    policy: PolicyArgs,
    /// Files with cases. Without any: the one beside the policy, `toolgate.tests.toml` beside
    /// `toolgate.toml`
    files: Vec<PathBuf>,
}

pub(crate) const HELP: &str = "\
Rules carry examples of their own, which also have to hold for the policy to load:
  deny = [{ pattern = \"rm -rf *\", match = [\"sudo rm -fr /\"], no_match = [\"rm notes\"] }]

Cases are calls and what is to become of them, in toolgate.tests.toml:
  [[case]]
  call   = \"git push\"                 # a command line
  expect = \"ask\"                      # allow, ask or deny

  [[case]]
  name   = \"secrets stay where they are\"
  read   = \".env\"                     # or write = \"PATH\", fetch = \"URL\"
  expect = \"deny\"

  [[case]]
  call   = { tool = \"send_email\", args = { to = \"ann@example.com\" } }
  env    = \"ci\"                       # in [env.ci]
  agent  = \"root/researcher\"
  expect = \"deny\"
  rule   = \"no-mail\"                  # and because of this rule

Exit codes: 0 if all passed, 1 if one failed, 2 if they could not be run.";

pub(crate) fn run(args: &TestArgs) -> Result<ExitCode, Fail> {
    let policy = args.policy.file()?;
    let mut report = Report::default();
    let examples_hold = examples::run(&args.policy, &policy, &mut report)?;
    let files = match args.files.is_empty() {
        true => beside(&policy),
        false => args.files.clone(),
    };
    for file in &files {
        let cases = Cases::read(file)?;
        match examples_hold {
            true => cases.run(&args.policy, &policy, &mut report)?,
            false => report.skipped(cases.len(), "the policy is refused as long as they fail"),
        }
    }
    report.finish()?;
    Ok(match report.is_passed() {
        true => exit::FINE.into(),
        false => exit::FAILED.into(),
    })
}

/// `toolgate.tests.toml` beside `toolgate.toml`, if it is there.
fn beside(policy: &Path) -> Vec<PathBuf> {
    let file = policy.with_extension("tests.toml");
    file.exists().then_some(file).into_iter().collect()
}
