//! `toolgate check`: what becomes of a call.

use std::process::ExitCode;

use serde::Serialize;
use toolgate::{Effect, ToolCall};
use toolgate_policy::FilePolicy;

use crate::{
    call::{CallArgs, no_call, show},
    exit,
    fail::Fail,
    out,
    policy::{Found, PolicyArgs},
    style,
    text::indented,
    verdict::Verdict,
};

/// Decides about calls.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    calls: CallArgs,
    /// One line of JSON for each call
    #[arg(long)]
    json: bool,
    /// Nothing but the exit code
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    call: &'a ToolCall,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

#[derive(Serialize)]
struct Unread<'a> {
    error: &'a str,
}

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Fail> {
    let policy = args.policy.load(Found::Trusted)?;
    let (mut strictest, mut unread, mut seen) = (Effect::Allow, 0, 0_usize);
    for item in args.calls.calls()? {
        seen += 1;
        match item {
            Ok(call) => strictest = strictest.max(args.decide(&policy, &call)?),
            Err(why) => {
                unread += 1;
                args.complain(&why)?;
            }
        }
    }
    match (seen, unread) {
        (0, _) => Err(no_call()),
        (_, 0) => Ok(exit::of(strictest)),
        _ => Ok(exit::ERROR.into()),
    }
}

impl CheckArgs {
    fn decide(&self, policy: &FilePolicy, call: &ToolCall) -> Result<Effect, Fail> {
        let verdict = Verdict::of(policy, call);
        if self.json {
            let verdict = &verdict;
            out::print_json(&Line { call, verdict })?;
        } else if !self.quiet {
            out::print(&human(call, &verdict))?;
        }
        Ok(verdict.effect)
    }

    fn complain(&self, why: &str) -> Result<(), Fail> {
        if self.json {
            return out::print_json(&Unread { error: why });
        }
        out::complain(&Fail::new(why));
        Ok(())
    }
}

fn human(call: &ToolCall, verdict: &Verdict) -> String {
    let mut text = format!("{}  {}\n", style::padded(verdict.effect), show(call));
    text += &indented("       ", &verdict.lines().join("\n"));
    text
}
