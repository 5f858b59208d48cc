//! `toolgate explain`: everything that is to be said about the decision on a call.

mod parsed;
mod render;

use std::process::ExitCode;

use serde::Serialize;
use toolgate::{Effect, ToolCall};
use toolgate_policy::Explanation;

use crate::{
    call::{CallArgs, no_call},
    exit,
    fail::Fail,
    out,
    policy::{Found, PolicyArgs},
    verdict::Verdict,
};

/// Says why calls are decided as they are.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    policy: PolicyArgs,
    #[command(flatten)]
    calls: CallArgs,
    /// One line of JSON for each call
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    call: &'a ToolCall,
    #[serde(flatten)]
    verdict: &'a Verdict,
    explanation: &'a Explanation,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode, Fail> {
    let policy = args.policy.load(Found::Trusted)?;
    let mut strictest = None;
    for item in args.calls.calls()? {
        let call = item.map_err(Fail::new)?;
        let verdict = Verdict::of(&policy, &call);
        if args.json {
            out::print_json(&Line {
                call: &call,
                explanation: &verdict.explanation,
                verdict: &verdict,
            })?;
        } else {
            let gap = if strictest.is_some() { "\n" } else { "" };
            out::print(&format!("{gap}{}", render::text(&call, &verdict)))?;
        }
        strictest = strictest.max(Some(verdict.effect));
    }
    let effect: Option<Effect> = strictest;
    effect.map(exit::of).ok_or_else(no_call)
}
