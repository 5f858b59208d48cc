//! What is played in the terminal, until there is something to see.

use std::{error::Error, fs, path::Path};

use crate::terminal::Terminal;

/// The question about a file in the demonstration.
pub(crate) fn prompt() -> Result<vt100::Screen, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let mut terminal = Terminal::start(directory.path(), &["demo"], (98, 34))?;
    // The first question is about a page, which is on a port that is never the same.
    terminal.wait_for("http://127.0.0.1")?;
    terminal.answer("y")?;
    terminal.wait_for("How are you, Ann?")?;
    terminal.wait_for("Your answer")?;
    Terminal::settle();
    let screen = terminal.screen();
    terminal.answer("n")?;
    terminal.answer_all("n")?;
    Ok(screen)
}

const POLICY: &str = r#"default = "ask"

[shell]
allow = ["git status *", "git log *", "cargo test *"]
ask   = ["git push *"]
deny  = [{ pattern = "rm -rf *", reason = "delete files by name" }]
"#;

/// Why a line is refused.
pub(crate) fn explain() -> Result<vt100::Screen, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    fs::write(directory.path().join("toolgate.toml"), POLICY)?;
    let line = "git log --oneline && sudo rm -fr build";
    explained(directory.path(), line)
}

fn explained(directory: &Path, line: &str) -> Result<vt100::Screen, Box<dyn Error>> {
    let mut terminal = Terminal::start(directory, &["explain", "--", line], (72, 40))?;
    terminal.ended()?;
    Ok(terminal.screen())
}
