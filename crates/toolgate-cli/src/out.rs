//! Writing to the terminal, to a file or to whoever reads along.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use anstream::AutoStream;
use toolgate_policy::Diagnostics;

use crate::{
    fail::{Fail, why},
    style::{self, paint},
    text::visible,
};

/// Writes to standard output, in colour only where colour can be seen.
pub(crate) fn print(text: &str) -> Result<(), Fail> {
    let mut stdout = AutoStream::auto(io::stdout().lock());
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
    written.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Fail::Unheard,
        _ => Fail::new(format!("the output cannot be written: {}", why(&error)))
            .with_help("name another place for it"),
    })
}

/// Whether standard output was closed when the program began.
///
/// The standard library then puts the null device in its place, open for reading as well, and
/// whatever is written seems to have arrived.
#[cfg(unix)]
pub(crate) fn is_closed() -> bool {
    use std::{
        fs::{self, File},
        io::Read,
        os::{fd::AsFd, unix::fs::MetadataExt},
    };
    let Ok(mut file) = io::stdout().as_fd().try_clone_to_owned().map(File::from) else {
        return true;
    };
    let device = |found: io::Result<fs::Metadata>| found.ok().map(|found| found.rdev());
    let null = device(fs::metadata("/dev/null"));
    null.is_some() && device(file.metadata()) == null && file.read(&mut [0]).is_ok()
}

#[cfg(not(unix))]
pub(crate) fn is_closed() -> bool {
    false
}

/// One line of JSON to standard output.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<(), Fail> {
    let text = serde_json::to_string(value);
    let text = text.map_err(|_| Fail::new("the result cannot be written as JSON"))?;
    print(&format!("{text}\n"))
}

/// Writes to standard error. If nobody listens there, nobody does.
pub(crate) fn note(text: &str) {
    let mut stderr = AutoStream::auto(io::stderr().lock());
    let _ = stderr.write_all(text.as_bytes());
    let _ = stderr.flush();
}

/// Says why the command did not work.
pub(crate) fn complain(fail: &Fail) {
    match fail {
        Fail::Said { message, help } => {
            let mut text = format!("{}: {}\n", paint(style::DENY, "error"), lines(message));
            if let Some(help) = help {
                let _ = writeln!(text, "{}: {}", paint(style::HELP, "help"), lines(help));
            }
            note(&text);
        }
        Fail::Policy(diagnostics) => show(diagnostics),
        Fail::Unheard => {}
    }
}

/// Shows what is wrong with a policy, or worth knowing.
pub(crate) fn show(diagnostics: &Diagnostics) {
    // The stream takes the colours out again where they cannot be seen.
    note(&format!("{}\n", diagnostics.render(true)));
}

/// Visible, but with its own line breaks.
fn lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(visible).collect();
    lines.join("\n")
}
