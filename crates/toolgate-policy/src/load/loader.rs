//! Reads the files that hold together.

use std::path::{Path, PathBuf};

use super::{
    Format, Loaded, check,
    file::{self, everywhere},
    layer::{LayerKind, Layers},
    load,
};
use crate::{
    FilePolicy, Settings,
    diagnostic::{Diagnostic, Diagnostics, Sources},
};

/// Reads policies from files: that of the machine, of the user, of the project.
///
/// Each stays a policy of its own, and the strictest of them counts. Every file that is named has
/// to be there, has to be right, and has to be one that nobody else can write: otherwise nothing is
/// loaded at all. A project that nobody vouched for can only restrict.
///
/// # Example
///
/// ```no_run
/// # fn main() -> Result<(), toolgate_policy::Diagnostics> {
/// let layers = toolgate_policy::Loader::new()
///     .managed("/etc/toolgate/policy.toml")
///     .project("toolgate.toml", false)
///     .environment("ci")
///     .load()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use = "a loader does nothing until it loads"]
pub struct Loader {
    files: Vec<LayerFile>,
    environment: Option<String>,
    /// What the digest of a file has to be.
    digests: Vec<(PathBuf, String)>,
}

#[derive(Clone, Debug)]
struct LayerFile {
    path: PathBuf,
    kind: LayerKind,
    /// Whether it is no mistake if the file is not there.
    optional: bool,
}

impl Loader {
    /// No files yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the policy of whoever runs the machine.
    pub fn managed(self, path: impl Into<PathBuf>) -> Self {
        self.file(path, LayerKind::Managed, false)
    }

    /// Adds the policy of the user.
    pub fn user(self, path: impl Into<PathBuf>) -> Self {
        self.file(path, LayerKind::User, false)
    }

    /// Adds the policy of the user, if there is one.
    pub fn user_if_there(self, path: impl Into<PathBuf>) -> Self {
        self.file(path, LayerKind::User, true)
    }

    /// Adds the policy of a project. It can only restrict unless it is trusted.
    pub fn project(self, path: impl Into<PathBuf>, trusted: bool) -> Self {
        self.file(path, LayerKind::Project { trusted }, false)
    }

    /// Adds the policy of a project, if there is one. It can only restrict unless it is trusted.
    pub fn project_if_there(self, path: impl Into<PathBuf>, trusted: bool) -> Self {
        self.file(path, LayerKind::Project { trusted }, true)
    }

    /// Says in which environment the policies are to hold.
    pub fn environment(mut self, name: impl Into<String>) -> Self {
        self.environment = Some(name.into());
        self
    }

    /// Says what the SHA-256 of a file has to be, in hexadecimal digits.
    pub fn expect_sha256(mut self, path: impl Into<PathBuf>, digest: impl Into<String>) -> Self {
        self.digests.push((path.into(), digest.into()));
        self
    }

    /// The files, in the order in which they were named.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    fn file(mut self, path: impl Into<PathBuf>, kind: LayerKind, optional: bool) -> Self {
        self.files.push(LayerFile {
            path: path.into(),
            kind,
            optional,
        });
        self
    }

    /// Reads them.
    ///
    /// # Errors
    ///
    /// Says everything that is wrong with any of them, and why one of them is not believed.
    pub fn load(&self) -> Result<Layers, Diagnostics> {
        let mut problems = Diagnostics::default();
        let mut read = Vec::new();
        for file in self.files.iter().filter(|file| file.is_wanted()) {
            match file.load(&self.digests) {
                Ok(loaded) => read.push(loaded),
                Err(wrong) => problems.append(wrong),
            }
        }
        self.stray_digests(&mut problems);
        if problems.is_empty() {
            self.check(&read, &mut problems);
        }
        if problems.has_errors() {
            return Err(problems);
        }
        Layers::from_loaded(read, self.environment.as_deref())
    }

    /// Reads and compiles them.
    ///
    /// Relative workspaces are relative to the directory of the project's file; without one, to the
    /// current directory. `~/` stands for `$HOME`. No call may write any of the files.
    ///
    /// # Errors
    ///
    /// Says everything that is wrong with any of them, and why one of them is not believed.
    pub fn policy(&self) -> Result<FilePolicy, Diagnostics> {
        self.load()?.compile(&self.settings())
    }

    /// What a policy from these files has to know of the world around it.
    pub fn settings(&self) -> Settings {
        let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let is_project = |file: &&LayerFile| matches!(file.kind, LayerKind::Project { .. });
        let project = self.files.iter().find(is_project);
        let base = match project {
            Some(file) => absolute(&file.path).parent().map(Path::to_owned),
            None => std::env::current_dir().ok(),
        };
        let mut settings = Settings::new();
        if let Some(base) = base.as_deref().and_then(Path::to_str) {
            settings = settings.with_base(base);
        }
        if let Ok(home) = std::env::var("HOME") {
            settings = settings.with_home(home);
        }
        // As they are named, and where that leads.
        let own = self.files.iter().flat_map(|file| {
            let named = absolute(&file.path);
            [named.canonicalize().ok(), Some(named)]
        });
        let own = own.flatten();
        own.filter_map(|path| path.to_str().map(str::to_owned))
            .fold(settings, Settings::with_own_file)
    }

    /// A digest of a file that is not read would never be looked at.
    fn stray_digests(&self, problems: &mut Diagnostics) {
        for (path, _) in &self.digests {
            let is_read = |file: &LayerFile| file.path == *path && file.is_wanted();
            if !self.files.iter().any(is_read) {
                let message = "a SHA-256 is expected of a policy that is not there";
                let name = path.display().to_string();
                problems.append(file::whole(&name, "digest", message.to_owned()));
            }
        }
    }

    /// Something has to have been read, and one of the files has to know the environment.
    fn check(&self, read: &[(LayerKind, Loaded)], problems: &mut Diagnostics) {
        if read.is_empty() {
            problems.append(file::whole(
                "",
                "no-policy",
                "no policy was found".to_owned(),
            ));
            return;
        }
        let Some(name) = &self.environment else {
            return;
        };
        if read
            .iter()
            .any(|(_, loaded)| loaded.spec.has_environment(name))
        {
            return;
        }
        let sections = read.iter().flat_map(|(_, loaded)| &loaded.spec.env);
        let known = sections.map(|(name, _)| name.value.as_str());
        let named = crate::Located::new(name.clone(), everywhere(""));
        problems.push(check::unknown_environment(&named, known));
    }
}

impl LayerFile {
    fn is_wanted(&self) -> bool {
        // A link that leads nowhere is there. So is what cannot be looked at.
        !self.optional
            || !matches!(self.path.symlink_metadata(), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
    }

    /// Reads the file and finds out what it is worth.
    fn load(&self, digests: &[(PathBuf, String)]) -> Result<(LayerKind, Loaded), Diagnostics> {
        let name = self.path.display().to_string();
        let mine = digests.iter().filter(|(path, _)| *path == self.path);
        let read = file::read(&self.path, mine.map(|(_, digest)| digest.as_str()))?;
        let project = matches!(self.kind, LayerKind::Project { .. });
        let mut kind = self.kind;
        let mut doubts = Diagnostics::new(Sources::default());
        if let Some(distrust) = read.distrust {
            if !project {
                return Err(file::untrusted(&name, distrust));
            }
            kind = LayerKind::Project { trusted: false };
            doubts.push(doubt(&name, distrust));
        }
        let format = Format::of(&self.path).unwrap_or_else(|| Format::guess(&read.text));
        let Loaded { spec, notes } = load(&name, &read.text, format)?;
        doubts.append(notes);
        Ok((
            kind,
            Loaded {
                spec,
                notes: doubts,
            },
        ))
    }
}

/// That a project is not trusted although somebody vouched for it.
fn doubt(name: &str, distrust: super::trust::Distrust) -> Diagnostic {
    let message = format!("{}, so it can only restrict", distrust.message);
    let mut problem = Diagnostic::warning("untrusted-file", everywhere(name), message);
    problem.help = distrust.help;
    problem
}
