//! Editing arguments in somebody's own editor.

use std::{
    ffi::OsString,
    fs,
    io::Write as _,
    process::{Child, Command},
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use toolgate::Args;

use crate::{error::TerminalError, tty::Tty};

/// How often it is looked whether the editor has ended.
const LOOK: Duration = Duration::from_millis(50);

/// How long an editor may take to end when it is told to.
pub(crate) const PATIENCE: Duration = Duration::from_secs(1);

/// The editor that somebody likes, if the environment says so.
pub(crate) fn of_environment() -> Option<OsString> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    set("VISUAL").or_else(|| set("EDITOR"))
}

/// Lets somebody edit arguments. None if the editor says that it failed.
pub(crate) fn edit(
    tty: &Tty,
    editor: &OsString,
    args: &Args,
) -> Result<Option<String>, TerminalError> {
    let mut file = tempfile::Builder::new()
        .prefix("toolgate-")
        .suffix(".json")
        .tempfile()?;
    let text = serde_json::to_string_pretty(args).map_err(std::io::Error::from)?;
    writeln!(file, "{text}")?;
    let [input, output, errors] = tty.begin_editing()?;
    // What the environment names is a command, with options if need be. It takes the place of the
    // shell, so that it is the editor that is told to end.
    let child = Command::new("sh")
        .arg("-c")
        .arg("eval exec \"$0\" '\"$1\"'")
        .arg(editor)
        .arg(file.path())
        .stdin(input)
        .stdout(output)
        .stderr(errors)
        .spawn();
    let edited = match child.map(|child| wait(tty, child)) {
        Ok(true) => fs::read_to_string(file.path()).map(Some),
        Ok(false) => Ok(None),
        Err(error) => Err(error),
    };
    // What somebody edits is gone before anybody hears that it was edited.
    let removed = file.close();
    tty.end_editing()?;
    removed?;
    Ok(edited?)
}

/// Waits for the editor, and ends it if nobody is asked any more. True if it ended well.
fn wait(tty: &Tty, mut child: Child) -> bool {
    let mut told: Option<Instant> = None;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => {}
            Err(_) => return false,
        }
        if tty.has_ended() {
            match told {
                None => {
                    told = Some(Instant::now());
                    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
                    // It may have ended by itself meanwhile.
                    let _ = pid.map(|pid| kill_process(pid, Signal::TERM));
                }
                Some(since) if since.elapsed() > PATIENCE => drop(child.kill()),
                Some(_) => {}
            }
        }
        sleep(LOOK);
    }
}
