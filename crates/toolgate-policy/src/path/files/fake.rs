//! A file system that is made up.

use std::collections::HashMap;

use super::{Files, Look};

/// A file system that has what it was told, for tests.
///
/// Directories on the way to what was told are there. Everything else is missing.
///
/// # Example
///
/// ```
/// use toolgate_policy::{FakeFiles, Files, Look};
///
/// let files = FakeFiles::new().with("/w/link", Look::Link("/etc".into()));
/// assert_eq!(files.look("/w"), Look::Directory);
/// assert_eq!(files.look("/w/file"), Look::Missing);
/// ```
#[derive(Clone, Debug, Default)]
pub struct FakeFiles {
    entries: HashMap<String, Look>,
}

impl FakeFiles {
    /// A file system with nothing in it.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Puts something at an absolute path.
    #[must_use]
    pub fn with(mut self, path: &str, look: Look) -> Self {
        self.insert(path, look);
        self
    }

    /// Puts something at an absolute path, in place of what was there.
    pub fn insert(&mut self, path: &str, look: Look) {
        let mut parent = path;
        while let Some((above, _)) = parent.rsplit_once('/') {
            let entry = self.entries.entry(above.to_owned());
            entry.or_insert(Look::Directory);
            parent = above;
        }
        self.entries.insert(path.to_owned(), look);
    }
}

impl Files for FakeFiles {
    fn look(&self, path: &str) -> Look {
        self.entries.get(path).cloned().unwrap_or(Look::Missing)
    }
}
