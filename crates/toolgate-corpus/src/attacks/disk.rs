//! The file system that paths are looked up in.

use std::sync::{Arc, Mutex};

use serde::Deserialize;
use toolgate_policy::{FakeFiles, Files, Look};

use crate::bench::lock;

/// A file system that is made up, and that steps can change. Clones are the same one.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk(Arc<Mutex<FakeFiles>>);

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
    /// Puts something in place of what was there.
    pub(super) fn put(&self, entry: &Entry) {
        let (path, look) = entry.look();
        lock(&self.0).insert(path, look);
    }
}

impl Entry {
    fn look(&self) -> (&str, Look) {
        match self {
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
        }
    }
}

impl Files for Disk {
    fn look(&self, path: &str) -> Look {
        lock(&self.0).look(path)
    }
}
