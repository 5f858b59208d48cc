//! What a policy needs to know of the world around it.

use std::{fmt, sync::Arc};

use jiff::Timestamp;

use crate::{Files, SystemFiles};

/// What a policy needs to know of the world around it.
///
/// # Example
///
/// ```
/// use toolgate_policy::{FakeFiles, Settings};
///
/// let settings = Settings::new()
///     .with_base("/home/ann/project")
///     .with_own_file("/home/ann/project/toolgate.toml")
///     .with_files(FakeFiles::new());
/// # let _ = settings;
/// ```
#[derive(Clone)]
#[must_use]
pub struct Settings {
    pub(crate) base: Option<String>,
    pub(crate) home: Option<String>,
    pub(crate) own_files: Vec<String>,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) now: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl Settings {
    /// The file system and the clock of this machine, and nothing else.
    pub fn new() -> Self {
        Self {
            base: None,
            home: None,
            own_files: Vec::new(),
            files: Arc::new(SystemFiles),
            now: Arc::new(Timestamp::now),
        }
    }

    /// Sets the directory that a relative workspace is relative to, and that is the workspace if a
    /// policy names none. From the root.
    pub fn with_base(mut self, base: impl Into<String>) -> Self {
        self.base = Some(base.into());
        self
    }

    /// Sets what `~/` stands for in patterns. From the root.
    pub fn with_home(mut self, home: impl Into<String>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Adds a file that no call may write, whatever is allowed: a policy, stored grants, an audit.
    pub fn with_own_file(mut self, file: impl Into<String>) -> Self {
        self.own_files.push(file.into());
        self
    }

    /// Sets where links are looked up.
    pub fn with_files(mut self, files: impl Files + 'static) -> Self {
        self.files = Arc::new(files);
        self
    }

    /// Sets the clock by which rules expire.
    pub fn with_clock(mut self, now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        self.now = Arc::new(now);
        self
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("base", &self.base)
            .field("own_files", &self.own_files)
            .finish_non_exhaustive()
    }
}
