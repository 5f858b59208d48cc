//! The file system that paths are looked up in.

use std::sync::{Arc, Mutex};

use serde::Deserialize;
use serde_json::Value;
use toolgate_policy::{FakeFiles, Files, Look};

use crate::bench::lock;

/// A file system that is made up, and that steps can change. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    files: FakeFiles,
    /// The same in small letters.
    folded: FakeFiles,
    is_case_insensitive: bool,
}

/// Something in the file system, seen as the system shows it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum Entry {
    Symlink {
        symlink: String,
        to: String,
    },
    Hardlink {
        hardlink: String,
        #[serde(rename = "to")]
        _to: String,
    },
    Fifo {
        #[serde(alias = "socket", alias = "device")]
        fifo: String,
    },
    RealpathError {
        realpath_error: String,
        #[serde(default, rename = "error")]
        _error: Option<String>,
    },
    RealpathMissing {
        realpath_missing: String,
    },
    /// Capital and small letters are the same everywhere.
    CaseInsensitive {
        #[serde(rename = "case_insensitive")]
        _case_insensitive: Value,
    },
    File {
        file: String,
    },
    Directory {
        #[serde(alias = "dir")]
        directory: String,
    },
    /// What is mounted looks like any other directory.
    BindMount {
        bind_mount: String,
        #[serde(rename = "to")]
        _to: String,
    },
    /// A link that only another system understands looks like any other file.
    CygwinSymlink {
        cygwin_symlink: String,
        #[serde(rename = "to")]
        _to: String,
    },
}

impl Disk {
    /// Puts all of this in place of what was there.
    pub(super) fn put_all(&self, entries: &[Entry]) {
        for entry in entries {
            self.put(entry);
        }
    }

    fn put(&self, entry: &Entry) {
        let mut state = lock(&self.0);
        match entry.look() {
            Some((path, look)) => {
                state.folded.insert(&path.to_lowercase(), look.clone());
                state.files.insert(path, look);
            }
            None => state.is_case_insensitive = true,
        }
    }
}

impl Entry {
    /// What is where; none if it is about the file system as a whole.
    fn look(&self) -> Option<(&str, Look)> {
        Some(match self {
            Self::CaseInsensitive { .. } => return None,
            Self::Symlink { symlink, to } => (symlink, Look::Link(to.clone())),
            Self::Hardlink { hardlink, .. } => (hardlink, Look::File { links: 2 }),
            Self::Fifo { fifo } => (fifo, Look::Special),
            Self::RealpathError { realpath_error, .. } => (realpath_error, Look::Error),
            Self::RealpathMissing { realpath_missing } => (realpath_missing, Look::Missing),
            Self::BindMount { bind_mount, .. } => (bind_mount, Look::Directory),
            Self::Directory { directory } => (directory, Look::Directory),
            Self::File { file: path }
            | Self::CygwinSymlink {
                cygwin_symlink: path,
                ..
            } => (path, Look::File { links: 1 }),
        })
    }
}

impl Files for Disk {
    fn look(&self, path: &str) -> Look {
        let state = lock(&self.0);
        match state.is_case_insensitive {
            true => state.folded.look(&path.to_lowercase()),
            false => state.files.look(path),
        }
    }
}
