//! Whether a file is worth believing: whoever can write a policy decides.

use std::{
    fs::Metadata,
    io,
    path::{Path, PathBuf},
};

/// Why a file is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Distrust {
    /// In one sentence.
    pub(super) message: String,
    pub(super) help: Option<String>,
}

/// The file that a path leads to, if it is a regular file in the directory that the path names.
pub(super) fn resolve(path: &Path) -> io::Result<Result<PathBuf, Distrust>> {
    let target = path.canonicalize()?;
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.canonicalize()?,
        _ => Path::new(".").canonicalize()?,
    };
    if !target.starts_with(&directory) {
        return Ok(Err(Distrust {
            message: "the policy is a link that leads out of its directory".to_owned(),
            help: Some("put the file itself there".to_owned()),
        }));
    }
    // Before it is opened: opening a pipe would wait for somebody to write to it.
    if !target.metadata()?.is_file() {
        return Ok(Err(not_a_file()));
    }
    Ok(Ok(target))
}

pub(super) fn not_a_file() -> Distrust {
    Distrust {
        message: "the policy is not a regular file".to_owned(),
        help: Some("name the file itself, such as `toolgate.toml` in a directory".to_owned()),
    }
}

/// Why somebody else could have written an opened file, or could put another one in its place.
pub(super) fn distrust(path: &Path, file: &Metadata) -> io::Result<Option<Distrust>> {
    owner::distrust(path, file)
}

#[cfg(unix)]
mod owner {
    use std::{
        fs::Metadata,
        io,
        os::unix::fs::{MetadataExt, PermissionsExt},
        path::Path,
    };

    use super::Distrust;

    const GROUP: u32 = 0o020;
    const OTHERS: u32 = 0o002;
    const STICKY: u32 = 0o1000;

    pub(super) fn distrust(path: &Path, file: &Metadata) -> io::Result<Option<Distrust>> {
        if let Some(distrust) = judge("the policy", path, file) {
            return Ok(Some(distrust));
        }
        for (distance, directory) in path.ancestors().skip(1).enumerate() {
            let found = directory.metadata()?;
            // In a sticky directory nobody can move what is not theirs, but anybody can be first.
            let sticky = found.permissions().mode() & STICKY != 0;
            if distance > 0 && sticky && is_ours(found.uid()) {
                continue;
            }
            let what = match distance {
                0 => "the directory of the policy",
                _ => "a directory above the policy",
            };
            if let Some(distrust) = judge(what, directory, &found) {
                return Ok(Some(distrust));
            }
        }
        Ok(None)
    }

    fn judge(what: &str, path: &Path, found: &Metadata) -> Option<Distrust> {
        let shown = path.display();
        if !is_ours(found.uid()) {
            return Some(Distrust {
                message: format!("{what} belongs to somebody else"),
                help: Some(format!("`chown` {shown} to yourself or to root")),
            });
        }
        let mode = found.permissions().mode();
        // A group of the same number as the owner is that user's own, by custom.
        let shared_group = mode & GROUP != 0 && found.gid() != found.uid();
        if mode & OTHERS != 0 || shared_group {
            return Some(Distrust {
                message: format!("{what} can be written by others"),
                help: Some(format!("run `chmod go-w {shown}`")),
            });
        }
        None
    }

    fn is_ours(uid: u32) -> bool {
        uid == 0 || uid == rustix::process::geteuid().as_raw()
    }
}

#[cfg(not(unix))]
mod owner {
    use std::{fs::Metadata, io, path::Path};

    use super::Distrust;

    /// Who may write a file is not known here.
    pub(super) fn distrust(_: &Path, _: &Metadata) -> io::Result<Option<Distrust>> {
        Ok(None)
    }
}
