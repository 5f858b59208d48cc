//! `toolgate hook`: answers the hooks of coding agents before they run a tool.
//!
//! 1. The input is read strictly. What cannot be read is refused, with exit code 2.
//! 2. The tool and its input become one call or several, by names that policies know.
//! 3. The policy decides about each. The strictest counts.
//! 4. Rules that name the tool as the agent does are looked at, too. They can only restrict.
//!
//! Whatever goes wrong ends with exit code 2, which both agents take for a no: silence, or any
//! other code, would let the call through.

mod answer;
mod input;
mod mcp;
mod patch;
mod search;
#[cfg(test)]
mod tests;
mod tools;

use std::{
    io::{self, Read},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ValueEnum;
use toolgate::{Effect, ToolCall};
use toolgate_policy::{FilePolicy, Says};

use self::answer::Answer;
pub(crate) use self::{input::Input, tools::calls};
use crate::{
    exit,
    fail::Fail,
    out,
    policy::{Found, PolicyArgs, current_dir},
    verdict::Verdict,
};

/// Answers the hook of a coding agent.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct HookArgs {
    #[command(flatten)]
    policy: PolicyArgs,
    /// The agent that asks. Without it: told from its input
    #[arg(long = "for", value_name = "AGENT")]
    agent: Option<Agent>,
    /// Let the policy in the project allow something. Without it, and without `--policy`, it can
    /// only restrict: it came with files that somebody else may have written
    #[arg(long)]
    trust_project: bool,
}

/// The agents whose hooks are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Agent {
    /// Claude Code
    Claude,
    /// Codex, whose hooks cannot ask: what would be asked is denied
    Codex,
}

pub(crate) const HELP: &str = "\
In Claude Code, ~/.claude/settings.json (or .claude/settings.json in a project of your own):
  { \"hooks\": { \"PreToolUse\": [ { \"matcher\": \"*\", \"hooks\": [
      { \"type\": \"command\", \"command\": \"toolgate hook --policy ~/.config/toolgate/policy.toml\" }
  ] } ] } }
In Codex, ~/.codex/hooks.json has the same form.

Rules know the tools by these names:
  Bash, Monitor, exec_command             shell           { command, cwd }
  shell, shell_command, local_shell       shell, or exec  { argv, cwd } for words
  PowerShell                              shell           never allowed
  Read, NotebookRead                      read_file       { path }
  LS, Glob                                list_directory  { path }
  Grep                                    read_file       for everything below its path
  Write, Edit, MultiEdit, NotebookEdit    write_file      { path, content }
  apply_patch                             write_file, delete_file, move_path
  WebFetch                                fetch           { url }
  mcp__SERVER__TOOL                       mcp:SERVER/TOOL
  any other                               by its own name
A rule that denies or asks may also use the name on the left. A name such as mcp__a__b__c, of which
nobody can tell where the server's name ends, is never allowed unless the agent says which server.

Try it:
  echo '{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"cwd\":\"'$PWD'\",
         \"tool_input\":{\"command\":\"git push\"}}' | toolgate hook --trust-project

Exit codes: 0 with a decision in JSON on standard output, 2 with a reason on standard error, which
agents take for a no. There is no third.";

/// The longest input that is read.
const LONGEST: u64 = 16 << 20;

pub(crate) fn run(args: &HookArgs) -> Result<ExitCode, Fail> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| refused(&format!("the input cannot be read: {error}")))?;
    let policy = args.load()?;
    let mut answer = decide(&bytes, &policy, args.agent).map_err(|why| refused(&why))?;
    if is_narrowed(&policy) {
        answer.remark(DISTRUST);
    }
    if out::is_closed() {
        return Err(refused(
            "standard output is closed, so nobody can read the answer",
        ));
    }
    out::print_json(&answer)?;
    Ok(exit::FINE.into())
}

/// What somebody who is asked about everything wants to know.
const DISTRUST: &str = "what the policy of the project allows does not count, since nobody vouched \
                        for it; `--trust-project` does";

/// Whether something that a policy allows was left out.
fn is_narrowed(policy: &FilePolicy) -> bool {
    let mut warnings = policy.warnings().iter();
    warnings.any(|warning| warning.code == "untrusted")
}

impl HookArgs {
    fn load(&self) -> Result<FilePolicy, Fail> {
        let directory = project_directory()?;
        let mut args = self.policy.clone();
        // A policy from elsewhere speaks of the project at hand, not of its own directory.
        let is_elsewhere = |file: &PathBuf| {
            let file = std::path::absolute(file).unwrap_or_else(|_| file.clone());
            !file.parent().is_some_and(|own| directory.starts_with(own))
        };
        if args.workspace.is_none() && args.policy.as_ref().is_none_or(is_elsewhere) {
            args.workspace = args.workspace_from(&directory)?;
        }
        let found = match self.trust_project {
            true => Found::Trusted,
            false => Found::Restricts,
        };
        args.load_from(&directory, found)
    }
}

/// The project as the agent was started in it, wherever it is now.
fn project_directory() -> Result<PathBuf, Fail> {
    let named = std::env::var_os("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    match named.filter(|path| path.is_absolute()) {
        Some(path) => Ok(path),
        None => current_dir(),
    }
}

fn refused(why: &str) -> Fail {
    Fail::new(format!("toolgate refuses this call: {why}"))
}

/// Decides about the call that an input describes; or says why it cannot be read.
pub(crate) fn decide(
    bytes: &[u8],
    policy: &FilePolicy,
    agent: Option<Agent>,
) -> Result<Answer, String> {
    let input = Input::read(bytes)?;
    let agent = agent.unwrap_or_else(|| input.agent());
    let calls = calls(&input)?;
    let mut answer = Answer::new(agent, &input);
    for call in &calls.list {
        answer.take(&Verdict::of(policy, call));
    }
    if let Some(why) = calls.doubt {
        answer.at_least(Effect::Ask, why);
    }
    if let Some(directory) = calls.searched.filter(|_| answer.is_allowed()) {
        search::judge(policy, Path::new(&directory), &input, &mut answer);
    }
    by_own_name(policy, &input, &calls.list, &mut answer);
    answer.finish();
    Ok(answer)
}

/// What rules say of the tool by the name that the agent gives it, if they restrict.
fn by_own_name(policy: &FilePolicy, input: &Input, calls: &[ToolCall], answer: &mut Answer) {
    let own = input.own_call();
    if calls.iter().any(|call| call.tool() == own.tool()) {
        return;
    }
    for vote in policy.explain(&own).votes {
        // What is always there speaks of our names, not of those of an agent.
        let Some(place) = vote.rule.source() else {
            continue;
        };
        let effect = match vote.says {
            Says::Deny => Effect::Deny,
            Says::Ask => Effect::Ask,
            _ => continue,
        };
        answer.at_least(effect, format!("{} ({place})", vote.reason));
    }
}
