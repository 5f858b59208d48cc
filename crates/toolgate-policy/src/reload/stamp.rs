//! What files look like from outside: enough to notice that they changed.

use std::{
    fs::Metadata,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// What files look like from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp(Vec<Option<FileStamp>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct FileStamp {
    target: PathBuf,
    length: u64,
    modified: Option<SystemTime>,
    identity: [u64; 6],
}

impl Stamp {
    pub(super) fn of(paths: &[PathBuf]) -> Self {
        Self(paths.iter().map(|path| FileStamp::of(path)).collect())
    }
}

impl FileStamp {
    /// None if the file cannot be looked at.
    fn of(path: &Path) -> Option<Self> {
        let target = path.canonicalize().ok()?;
        let found = target.metadata().ok()?;
        Some(Self {
            target,
            length: found.len(),
            modified: found.modified().ok(),
            identity: identity(&found),
        })
    }
}

/// Which file it is, who may write it, and when that last changed.
#[cfg(unix)]
fn identity(found: &Metadata) -> [u64; 6] {
    use std::os::unix::fs::MetadataExt;
    [
        found.dev(),
        found.ino(),
        u64::from(found.mode()),
        u64::from(found.uid()),
        found.ctime().unsigned_abs(),
        found.ctime_nsec().unsigned_abs(),
    ]
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> [u64; 6] {
    [0; 6]
}
