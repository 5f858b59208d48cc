//! The `toolgate` command: decides, explains, tests and guards tool calls by a policy file.

mod call;
mod check;
mod cli;
mod completions;
mod demo;
mod diff;
mod exit;
mod explain;
mod fail;
mod grants;
mod hook;
mod import;
mod init;
mod lint;
mod mcp;
mod out;
mod policy;
mod schema;
mod signals;
mod style;
mod test;
mod text;
mod verdict;

use std::{panic, process::ExitCode};

use clap::Parser;

use self::{cli::Cli, fail::Fail};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(usage) => {
            // Help goes to standard output and is no mistake; clap knows which is which.
            let _ = usage.print();
            return u8::try_from(usage.exit_code()).map_or(exit::ERROR.into(), ExitCode::from);
        }
    };
    panic::set_hook(Box::new(|_| {}));
    let ran = panic::catch_unwind(|| cli.run()).unwrap_or_else(|_| Err(Fail::own_mistake()));
    ran.unwrap_or_else(|fail| {
        out::complain(&fail);
        exit::ERROR.into()
    })
}
