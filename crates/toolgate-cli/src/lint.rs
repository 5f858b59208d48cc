//! `toolgate lint`: rules that are dead, shadowed, too broad or dangerous.

use std::{fs, path::Path, process::ExitCode};

use serde::Serialize;
use toolgate_policy::{
    Diagnostic, Diagnostics, Format, Loader, ParsedPolicy, Severity, parse_policy,
};

use crate::{exit, fail::Fail, out, policy::PolicyArgs};

/// Looks for what is wrong with a policy, in all of its environments.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LintArgs {
    #[command(flatten)]
    policy: PolicyArgs,
    /// One line of JSON for each finding
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Finding<'a> {
    severity: String,
    code: &'a str,
    message: &'a str,
    file: &'a str,
    line: u32,
    column: u32,
    help: Option<&'a str>,
}

pub(crate) const HELP: &str = "\
Examples:
  toolgate lint
  toolgate lint --policy policies/agent.toml --json

Exit codes: 0 if there is nothing to change (notes are no reason), 1 with warnings, 2 if the policy
cannot be used at all.";

pub(crate) fn run(args: &LintArgs) -> Result<ExitCode, Fail> {
    let file = args.policy.file()?;
    let found = findings(&args.policy, &file)?;
    let has = |severity: Severity| found.iter().any(|one| one.severity == severity);
    if args.json {
        found
            .iter()
            .try_for_each(|one| out::print_json(&finding(one)))?;
    } else if found.is_empty() {
        out::print(&format!("{}: nothing to complain about\n", file.display()))?;
    } else {
        out::print(&format!("{}\n", found.render(true)))?;
    }
    Ok(match (has(Severity::Error), has(Severity::Warning)) {
        (true, _) => exit::ERROR.into(),
        (false, true) => exit::FAILED.into(),
        (false, false) => exit::FINE.into(),
    })
}

/// Everything that is found in the environment that was named, or else in any.
fn findings(args: &PolicyArgs, file: &Path) -> Result<Diagnostics, Fail> {
    let mut found = Diagnostics::default();
    for environment in environments(args, file) {
        let args = PolicyArgs {
            environment,
            ..args.clone()
        };
        match args.compile(Loader::new().project(file, true)) {
            Ok(policy) => found.merge(policy.warnings()),
            Err(Fail::Policy(wrong)) => found.merge(&wrong),
            Err(other) => return Err(other),
        }
    }
    Ok(found)
}

/// The environments to look at: the one that was named, or none and every one of the file.
pub(crate) fn environments(args: &PolicyArgs, file: &Path) -> Vec<Option<String>> {
    if args.environment.is_some() {
        return vec![args.environment.clone()];
    }
    let text = fs::read_to_string(file).unwrap_or_default();
    let format = Format::of(file).unwrap_or_else(|| Format::guess(&text));
    // What cannot be read has no environments, and is complained of when it is loaded.
    let parsed = parse_policy(&text, format).ok();
    let names = parsed.iter().flat_map(ParsedPolicy::environments);
    let names = names.map(|name| Some(name.to_owned()));
    std::iter::once(None).chain(names).collect()
}

fn finding(one: &Diagnostic) -> Finding<'_> {
    Finding {
        severity: one.severity.to_string(),
        code: one.code,
        message: &one.message,
        file: &one.place.file,
        line: one.place.line,
        column: one.place.column,
        help: one.help.as_deref(),
    }
}
