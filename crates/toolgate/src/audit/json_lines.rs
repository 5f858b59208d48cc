//! Records in a file, one to a line.

use std::{
    fmt,
    fs::{File, OpenOptions},
    io::{self, Read as _, Seek as _, SeekFrom, Write},
    path::Path,
    sync::Arc,
};

use serde::Serialize as _;
use serde_json::ser::{Formatter, Serializer};

use super::{AuditRecord, AuditSink};
use crate::{
    sync::{Mutex, lock},
    visible::is_plain,
};

/// Writes records to a file as JSON, one object to a line, and flushes after each. Clones write to
/// the same file. What a person could not see, or could take for something else, is written as an
/// escape, so that no text from a call can repaint a screen on which the file is shown.
///
/// What cannot be written is lost, and the call goes on; the error is reported through `tracing`
/// and kept for [`last_error`](Self::last_error). A line that was torn by such an error is ended
/// before the next one begins.
///
/// Writing blocks the thread for as long as the file system takes.
///
/// # Example
///
/// ```
/// use toolgate::{AuditLayer, JsonLinesSink};
///
/// let mut path = std::env::temp_dir();
/// path.push(format!("toolgate-doc-{}.jsonl", std::process::id()));
/// let sink = JsonLinesSink::open(&path)?;
/// let layer = AuditLayer::new(sink.clone());
/// assert!(sink.last_error().is_none());
/// # drop(layer);
/// # std::fs::remove_file(path)?;
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct JsonLinesSink(Arc<Mutex<Lines>>);

struct Lines {
    writer: Box<dyn Write + Send>,
    /// Whether the last line has no end.
    torn: bool,
    last_error: Option<Arc<io::Error>>,
}

impl JsonLinesSink {
    /// Appends to the file at `path`, which is made if it is not there: then nobody but its owner
    /// can read it, where the system knows of owners.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened for reading and appending.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        let torn = ends_within_a_line(&mut file)?;
        Ok(Self::from_parts(Box::new(file), torn))
    }

    /// Writes to `writer`.
    pub fn new(writer: impl Write + Send + 'static) -> Self {
        Self::from_parts(Box::new(writer), false)
    }

    fn from_parts(writer: Box<dyn Write + Send>, torn: bool) -> Self {
        Self(Arc::new(Mutex::new(Lines {
            writer,
            torn,
            last_error: None,
        })))
    }

    /// The last error there was, if there was any.
    #[must_use]
    pub fn last_error(&self) -> Option<Arc<io::Error>> {
        lock(&self.0).last_error.clone()
    }
}

/// Whether a process that wrote to the file before did not come to the end of a line.
fn ends_within_a_line(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

impl Lines {
    fn write(&mut self, record: &AuditRecord) -> io::Result<()> {
        let mut line = Vec::new();
        if self.torn {
            line.push(b'\n');
        }
        record.serialize(&mut Serializer::with_formatter(&mut line, Visible))?;
        line.push(b'\n');
        self.torn = true;
        self.writer.write_all(&line)?;
        self.torn = false;
        self.writer.flush()
    }
}

/// Escapes what would not be seen. It reads back as it was.
struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        if fragment.chars().all(is_plain) {
            return writer.write_all(fragment.as_bytes());
        }
        for c in fragment.chars() {
            match is_plain(c) {
                true => write!(writer, "{c}")?,
                false => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        write!(writer, "\\u{unit:04x}")?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl AuditSink for JsonLinesSink {
    fn record(&self, record: &AuditRecord) {
        let mut lines = lock(&self.0);
        if let Err(error) = lines.write(record) {
            tracing::error!(%error, "an audit record could not be written");
            lines.last_error = Some(Arc::new(error));
        }
    }
}

impl fmt::Debug for JsonLinesSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonLinesSink").finish_non_exhaustive()
    }
}
