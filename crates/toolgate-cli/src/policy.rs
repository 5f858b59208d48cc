//! Which policy a command works with.

mod find;

use std::path::{Path, PathBuf};

use toolgate_policy::{FilePolicy, Loader};

pub(crate) use self::find::{NAMES, find};
use crate::{
    fail::{self, Fail},
    out,
};

/// Which policy a command works with.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct PolicyArgs {
    /// The policy file. Without it: `toolgate.toml` (or .json, .yaml) in this directory or the
    /// nearest one above that has one, together with your own policy in
    /// `~/.config/toolgate/policy.toml`
    #[arg(short, long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// The environment of the policy, such as `ci` for `[env.ci]`
    #[arg(short, long = "env", value_name = "NAME")]
    pub(crate) environment: Option<String>,

    /// The directory that relative paths of the policy are in. Without it: that of the policy file
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
}

/// Whether a policy that was found, and not named, may allow anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// As much as one that was named: nothing runs because of it.
    Trusted,
    /// It came with the files of the project, so it can only restrict.
    Restricts,
}

/// The policy of whoever runs the machine. If it is there, it always holds.
const MANAGED: &str = "/etc/toolgate/policy.toml";

impl PolicyArgs {
    /// Loads everything that holds here: the machine's policy, the user's, the project's.
    pub(crate) fn load(&self, found: Found) -> Result<FilePolicy, Fail> {
        self.load_from(&current_dir()?, found)
    }

    /// The same, seen from a directory.
    pub(crate) fn load_from(&self, directory: &Path, found: Found) -> Result<FilePolicy, Fail> {
        let mut loader = match &self.policy {
            Some(file) => Loader::new().project(file, true),
            None => around(directory, found)?,
        };
        if is_there(Path::new(MANAGED)) {
            loader = loader.managed(MANAGED);
        }
        let policy = self.compile(loader)?;
        warn_of_distrust(&policy);
        Ok(policy)
    }

    /// The directory of a policy that is found from here; if there is none, or one was named, the
    /// directory itself.
    pub(crate) fn workspace_from(&self, directory: &Path) -> Result<Option<PathBuf>, Fail> {
        let found = match self.policy {
            Some(_) => None,
            None => find(directory)?,
        };
        Ok(found.is_none().then(|| directory.to_owned()))
    }

    /// The file that is named, or that of the project, and no other.
    pub(crate) fn file(&self) -> Result<PathBuf, Fail> {
        match &self.policy {
            Some(file) => Ok(file.clone()),
            None => find(&current_dir()?)?.ok_or_else(|| nothing_found(&current_dir())),
        }
    }

    /// Compiles what a loader reads, for the environment and the workspace that were named.
    pub(crate) fn compile(&self, loader: Loader) -> Result<FilePolicy, Fail> {
        let loader = match &self.environment {
            Some(name) => loader.environment(name),
            None => loader,
        };
        let mut settings = loader.settings();
        if let Some(workspace) = &self.workspace {
            settings = settings.with_base(absolute(workspace)?);
        }
        Ok(loader.load()?.compile(&settings)?)
    }
}

/// The policies around a directory: the project's and the user's.
fn around(directory: &Path, found: Found) -> Result<Loader, Fail> {
    let project = find(directory)?;
    let user = user_file().filter(|file| is_there(file));
    if project.is_none() && user.is_none() && !is_there(Path::new(MANAGED)) {
        return Err(nothing_found(&Ok(directory.to_owned())));
    }
    let mut loader = Loader::new();
    if let Some(file) = project {
        loader = loader.project(file, found == Found::Trusted);
    }
    if let Some(file) = user {
        loader = loader.user(file);
    }
    Ok(loader)
}

/// Where a user keeps a policy for all projects.
fn user_file() -> Option<PathBuf> {
    let given = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let config = given("XDG_CONFIG_HOME").map(PathBuf::from);
    let config = config.or_else(|| Some(PathBuf::from(given("HOME")?).join(".config")))?;
    Some(config.join("toolgate").join("policy.toml"))
}

/// A link that leads nowhere is there, and so is what cannot be looked at: both are complained of.
fn is_there(path: &Path) -> bool {
    !matches!(path.symlink_metadata(), Err(error) if error.kind() == std::io::ErrorKind::NotFound)
}

fn nothing_found(directory: &Result<PathBuf, Fail>) -> Fail {
    let place = match directory {
        Ok(directory) => format!(" in {} or above it", directory.display()),
        Err(_) => String::new(),
    };
    Fail::new(format!("there is no policy{place}")).with_help(format!(
        "run `toolgate init` to write one, or name one with `--policy`; looked for {}",
        NAMES.join(", ")
    ))
}

pub(crate) fn current_dir() -> Result<PathBuf, Fail> {
    let found = std::env::current_dir();
    found.map_err(|error| {
        let why = fail::why(&error);
        Fail::new(format!("the current directory cannot be found: {why}"))
            .with_help("go to a directory that is there")
    })
}

fn absolute(path: &Path) -> Result<String, Fail> {
    let absolute = std::path::absolute(path).map_err(|error| Fail::unreadable(path, &error))?;
    let text = absolute.to_str().map(str::to_owned);
    text.ok_or_else(|| Fail::new(format!("{} is not a name in UTF-8", path.display())))
}

/// Whoever named a file wants to know that it does not count for what they think.
fn warn_of_distrust(policy: &FilePolicy) {
    for warning in policy.warnings() {
        if warning.code == "untrusted-file" {
            let help = warning.help.as_deref().unwrap_or_default();
            out::note(&format!(
                "warning: {}: {}; {help}\n",
                warning.place, warning.message
            ));
        }
    }
}
