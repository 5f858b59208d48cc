//! Finds the policy of a project.

use std::path::{Path, PathBuf};

use crate::fail::Fail;

/// The names under which the policy of a project is found.
pub(crate) const NAMES: [&str; 4] = [
    "toolgate.toml",
    "toolgate.json",
    "toolgate.yaml",
    "toolgate.yml",
];

/// The policy in a directory, or in the nearest one above it that has one.
///
/// Two in one directory are a mistake: nobody could tell which of them holds.
pub(crate) fn find(from: &Path) -> Result<Option<PathBuf>, Fail> {
    for directory in from.ancestors() {
        let here = NAMES.iter().map(|name| directory.join(name));
        let mut here = here.filter(|path| path.symlink_metadata().is_ok());
        match (here.next(), here.next()) {
            (Some(one), Some(other)) => {
                let message = format!("there is {} and {}", one.display(), other.display());
                return Err(Fail::new(message).with_help("keep one of them, or use `--policy`"));
            }
            (Some(one), None) => return Ok(Some(shortened(one))),
            (None, _) => {}
        }
    }
    Ok(None)
}

/// The name alone, if the file is in the current directory.
fn shortened(path: PathBuf) -> PathBuf {
    let current = std::env::current_dir().ok();
    let name = current.and_then(|current| Some(path.strip_prefix(current).ok()?.to_owned()));
    name.filter(|name| name.components().count() == 1)
        .unwrap_or(path)
}
