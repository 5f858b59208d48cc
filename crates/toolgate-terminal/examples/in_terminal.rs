//! Runs a program in a terminal of its own, for the tests of this crate.
//!
//! ```text
//! in_terminal DEVICE all  PROGRAM [ARGUMENT…]   the terminal is also its input and output
//! in_terminal DEVICE only PROGRAM [ARGUMENT…]   its input and output are something else
//! in_terminal -      only PROGRAM [ARGUMENT…]   it has no terminal at all
//! ```

use std::{error::Error, fs::OpenOptions, os::unix::process::CommandExt as _, process::Command};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1);
    let mut next = || words.next().ok_or("too few arguments");
    let (device, which, program) = (next()?, next()?, next()?);
    // Whoever leads a session has no terminal, until it opens one.
    rustix::process::setsid()?;
    let mut command = Command::new(program);
    command.args(words);
    if device != "-" {
        let terminal = OpenOptions::new().read(true).write(true).open(device)?;
        rustix::process::ioctl_tiocsctty(&terminal)?;
        if which == "all" {
            command.stdin(terminal.try_clone()?);
            command.stdout(terminal.try_clone()?);
            command.stderr(terminal.try_clone()?);
        }
    }
    Err(command.exec().into())
}
