//! Reads one file of a policy, and finds out whether it is worth believing.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
    sync::Arc,
};

use sha2::{Digest, Sha256};

use super::{
    root::MAX_BYTES,
    trust::{self, Distrust},
};
use crate::{
    Place,
    diagnostic::{Diagnostic, Diagnostics, Source, Sources, Span},
};

/// A file that was read.
pub(super) struct Content {
    pub(super) text: String,
    /// Why it is not to be believed, if so.
    pub(super) distrust: Option<Distrust>,
}

/// Reads a file; `digests` are what its SHA-256 has to be, in hexadecimal digits.
pub(super) fn read<'d>(
    path: &Path,
    mut digests: impl Iterator<Item = &'d str>,
) -> Result<Content, Diagnostics> {
    let name = path.display().to_string();
    let failed = |error: io::Error| unreadable(&name, &error);
    let target = match trust::resolve(path).map_err(failed)? {
        Ok(target) => target,
        Err(distrust) => return Err(untrusted(&name, distrust)),
    };
    let mut file = File::open(&target).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    if !found.is_file() {
        return Err(untrusted(&name, trust::not_a_file()));
    }
    let distrust = trust::distrust(&target, &found).map_err(failed)?;
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX) + 1;
    file.by_ref()
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if !digests.all(|digest| has_digest(&bytes, digest)) {
        let message = "the policy is not the one that was expected: its SHA-256 differs";
        return Err(whole(&name, "digest", message.to_owned()));
    }
    let text = String::from_utf8(bytes).map_err(|error| not_text(&name, &error))?;
    Ok(Content { text, distrust })
}

fn unreadable(name: &str, error: &io::Error) -> Diagnostics {
    let message = format!("the policy cannot be read: {}", why(error));
    let problem = Diagnostic::error("unreadable", everywhere(name), message);
    let help = match error.kind() {
        io::ErrorKind::NotFound => "names are seen from the current directory",
        io::ErrorKind::PermissionDenied => "run it as somebody who may read the file",
        _ => "name a file that can be read",
    };
    Diagnostics::one(Sources::default(), problem.with_help(help))
}

fn has_digest(bytes: &[u8], expected: &str) -> bool {
    use std::fmt::Write;
    let mut found = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(found, "{byte:02x}");
    }
    expected.eq_ignore_ascii_case(&found)
}

fn not_text(name: &str, error: &std::string::FromUtf8Error) -> Diagnostics {
    let valid = error.utf8_error().valid_up_to();
    let text = String::from_utf8_lossy(error.as_bytes());
    let source = Arc::new(Source::new(name, &text));
    let place = source.place(Span::new(valid, valid + '\u{fffd}'.len_utf8()));
    let problem = Diagnostic::error("not-utf8", place, "the policy is not UTF-8")
        .with_help("save it as UTF-8, or name another file if this is no policy");
    Diagnostics::one(Sources::from(source), problem)
}

/// The reason of the system, without its number.
fn why(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((words, _)) => words.to_lowercase(),
        None => text,
    }
}

/// That a file is not believed.
pub(super) fn untrusted(name: &str, distrust: Distrust) -> Diagnostics {
    let mut problem = Diagnostic::error("untrusted-file", everywhere(name), distrust.message);
    problem.help = distrust.help;
    Diagnostics::one(Sources::default(), problem)
}

/// Something about a file as a whole.
pub(super) fn whole(name: &str, code: &'static str, message: String) -> Diagnostics {
    let problem = Diagnostic::error(code, everywhere(name), message);
    Diagnostics::one(Sources::default(), problem)
}

/// A file as a whole.
pub(super) fn everywhere(name: &str) -> Place {
    Place {
        file: name.into(),
        line: 0,
        column: 0,
        length: 0,
    }
}
