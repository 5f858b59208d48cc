//! The command line.

use std::process::ExitCode;

use anstream::ColorChoice;
use clap::{Parser, Subcommand, ValueEnum};

use crate::{
    call::SYNTAX,
    check::{self, CheckArgs},
    completions::{self, CompletionsArgs},
    demo::{self, DemoArgs},
    diff::{self, DiffArgs},
    exit::DECISIONS,
    explain::{self, ExplainArgs},
    fail::Fail,
    grants::{self, GrantsArgs},
    hook::{self, HookArgs},
    import::{self, ImportArgs},
    init::{self, InitArgs},
    lint::{self, LintArgs},
    mcp::{self, McpArgs},
    schema,
    test::{self, TestArgs},
};

const EXAMPLES: &str = "\
Start here:
  toolgate demo                    watch a policy guard an agent
  toolgate init                    write a policy for this project
  toolgate check -- git push       what would become of this command?
  toolgate explain -- git push     and why?

Rules that deny count before rules that ask, and those before rules that allow, wherever they are
written. What no rule speaks of is asked about.";

/// Decides which tool calls an agent may make.
#[derive(Debug, Parser)]
#[command(version, after_help = EXAMPLES, max_term_width = 100)]
#[command(disable_help_subcommand = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play the session of an agent, with real tools in a folder of its own
    #[command(after_help = demo::HELP)]
    Demo(DemoArgs),
    /// Say what becomes of a call: allow, ask or deny
    #[command(after_help = check_help())]
    Check(CheckArgs),
    /// Say why: every vote, the rule and where it is written, and what would change it
    #[command(after_help = explain_help())]
    Explain(ExplainArgs),
    /// Run the examples in the policy, and the cases beside it
    #[command(after_help = test::HELP)]
    Test(TestArgs),
    /// Find rules that are dead, shadowed, too broad or dangerous
    #[command(after_help = lint::HELP)]
    Lint(LintArgs),
    /// Write a policy to start from
    #[command(after_help = init::HELP)]
    Init(InitArgs),
    /// Answer the hooks of Claude Code and Codex
    #[command(after_help = hook::HELP)]
    Hook(HookArgs),
    /// Stand between an MCP client and its servers, and judge their tool calls
    #[command(after_help = mcp::HELP)]
    Mcp(McpArgs),
    /// Make a policy out of the permission file of another system
    #[command(after_help = import::HELP)]
    Import(ImportArgs),
    /// Replay recorded calls, and say what another policy would change
    #[command(after_help = diff::HELP)]
    Diff(DiffArgs),
    /// List, show and revoke what people answered for longer than once
    #[command(after_help = grants::HELP)]
    Grants(GrantsArgs),
    /// Print the JSON Schema of policy files
    #[command(after_help = schema::HELP)]
    Schema,
    /// Print what a shell needs to complete command lines
    #[command(after_help = completions::HELP)]
    Completions(CompletionsArgs),
}

impl Cli {
    /// Runs the command.
    pub(crate) fn run(self) -> Result<ExitCode, Fail> {
        match self.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        }
        .write_global();
        match self.command {
            Command::Demo(args) => demo::run(&args),
            Command::Check(args) => check::run(&args),
            Command::Explain(args) => explain::run(&args),
            Command::Test(args) => test::run(&args),
            Command::Lint(args) => lint::run(&args),
            Command::Init(args) => init::run(&args),
            Command::Hook(args) => hook::run(&args),
            Command::Mcp(args) => mcp::run(&args),
            Command::Import(args) => import::run(&args),
            Command::Diff(args) => diff::run(&args),
            Command::Grants(args) => grants::run(&args),
            Command::Schema => schema::run(),
            Command::Completions(args) => completions::run(&args),
        }
    }
}

fn check_help() -> String {
    format!(
        "{SYNTAX}

Examples:
  toolgate check -- cargo test
  toolgate check -- 'git status && git push'      one word: a line, as a shell reads it
  toolgate check --env ci --tool fetch --arg url=https://docs.rs/
  toolgate check --json < calls.jsonl

{DECISIONS}"
    )
}

fn explain_help() -> String {
    format!(
        "{SYNTAX}

Examples:
  toolgate explain -- git push --force
  toolgate explain --tool write_file --arg path=.env
  toolgate explain --json --tool shell --arg command='git log -p' | jq .explanation.votes

{DECISIONS}"
    )
}
