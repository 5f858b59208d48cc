//! Where policies come from, with real files.
//!
//! What somebody else brings is always a policy that allows everything. If it counted, the call
//! would run.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::mpsc::channel,
    time::Duration,
};

use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;
use toolgate::Args;
use toolgate_policy::{FilePolicy, Format, Loader, OnChange, ReloadEvent, Reloading};

use super::{
    case::Context,
    policy::{self, owning},
    world::{Ended, InForce, NewCall, World},
};
use crate::case::Invalid;

/// A policy that allows everything.
pub(super) const EVERYTHING: &str = r#"{
    "default": "allow",
    "dangerous_default_allow": true,
    "dangerous_allow_all": true,
    "shell": {"allow": ["*"]},
    "tools": {"allow": ["*"]}
}"#;

/// How long the system may take to say that a file changed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Somebody who is neither this user nor the administrator.
const NOBODY: u32 = 65_534;

/// Something that happens to where policies come from.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Source {
    ProjectFile {
        path: String,
        #[serde(default)]
        policy: Option<Value>,
        #[serde(default, alias = "content")]
        policy_text: Option<String>,
        #[serde(default)]
        trusted: bool,
    },
    /// A checkout brings something that is to decide.
    ProjectHook {
        #[serde(default, rename = "pr")]
        _pr: bool,
        #[serde(default)]
        trusted: bool,
    },
    PolicyFileOwner {
        #[serde(rename = "uid")]
        _uid: Owner,
        #[serde(default)]
        file: Option<OwnFile>,
    },
    PolicyFileSymlink {
        #[serde(rename = "to")]
        _to: String,
    },
    PolicyFileWorldWritable {},
    PolicyFileMissing {},
    HotReload {
        #[serde(default)]
        policy: Option<Value>,
        #[serde(default)]
        policy_text: Option<String>,
    },
    PolicyHashMismatch {},
    AgentWritesPolicyMidSession {},
    State {
        permission_context: Emptiness,
    },
}

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Owner {
    Other,
}

/// A file of the library's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum OwnFile {
    #[serde(alias = "policy_file")]
    Policy,
    #[serde(alias = "grants")]
    GrantStore,
}

/// How little is known of where calls come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Emptiness {
    #[serde(alias = "empty", alias = "none")]
    Trivial,
}

impl Source {
    /// Whether a step of this name is one of these.
    pub(super) fn is_word(word: &str) -> bool {
        [
            "project_file",
            "project_hook",
            "policy_file_owner",
            "policy_file_symlink",
            "policy_file_world_writable",
            "policy_file_missing",
            "hot_reload",
            "policy_hash_mismatch",
            "agent_writes_policy_mid_session",
            "state",
        ]
        .contains(&word)
    }
}

/// The real files that policies come from.
#[derive(Default)]
pub(super) struct Sources {
    directory: Option<TempDir>,
    projects: Vec<(PathBuf, bool)>,
}

impl Sources {
    /// A path in a directory that nobody else can write.
    fn path(&mut self, name: &str) -> io::Result<PathBuf> {
        let directory = match self.directory.take() {
            Some(directory) => directory,
            None => tempfile::tempdir()?,
        };
        let path = self.directory.insert(directory).path().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(path)
    }

    /// A file in a directory that nobody else can write.
    fn file(&mut self, name: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.path(name)?;
        fs::write(&path, text)?;
        Ok(path)
    }
}

impl World {
    /// Does what happens to where policies come from.
    pub(super) fn perform_source(&mut self, source: &Source) -> Result<Vec<String>, Invalid> {
        match source {
            Source::ProjectFile {
                path,
                policy,
                policy_text,
                trusted,
            } => {
                let text = written(policy.as_ref(), policy_text.as_deref())?;
                self.project(path, &text, *trusted)?;
            }
            Source::ProjectHook { trusted, .. } => {
                self.project("toolgate.json", EVERYTHING, *trusted)?;
            }
            Source::PolicyFileOwner {
                file: Some(OwnFile::GrantStore),
                ..
            } => self.store.belong_to_somebody_else(),
            Source::PolicyFileOwner { .. } => {
                let path = self.sources.file("policy.json", EVERYTHING)?;
                give_away(&path)?;
                self.load_with(&Loader::new().user(path));
            }
            Source::PolicyFileSymlink { .. } => self.link()?,
            Source::PolicyHashMismatch {} => {
                let path = self.sources.file("policy.json", EVERYTHING)?;
                let loader = Loader::new().user(&path);
                self.load_with(&loader.expect_sha256(path, "0".repeat(64)));
            }
            Source::PolicyFileWorldWritable {} => {
                let path = self.sources.file("policy.json", EVERYTHING)?;
                open_to_all(&path)?;
                self.load_with(&Loader::new().user(path));
            }
            Source::PolicyFileMissing {} => {
                let path = self.sources.path("policy.json")?;
                self.load_with(&Loader::new().user(path));
            }
            Source::HotReload {
                policy,
                policy_text,
            } => self.reload(&written(policy.as_ref(), policy_text.as_deref())?)?,
            Source::AgentWritesPolicyMidSession {} => return self.agent_writes(),
            Source::State {
                permission_context: Emptiness::Trivial,
            } => self.context = Context::default(),
        }
        Ok(Vec::new())
    }

    fn load_with(&self, loader: &Loader) {
        let policy = policy::load_with(loader, &self.scene.settings());
        self.scene.set_in_force(InForce::Loaded(policy));
    }

    /// Puts the policy of the case into a file.
    fn write_policy(&mut self) -> Result<PathBuf, Invalid> {
        let spec = self.scene.spec();
        let (text, format) = spec.text()?;
        let ending = match format {
            Format::Toml => "toml",
            Format::Yaml => "yaml",
            _ => "json",
        };
        Ok(self.sources.file(&format!("policy.{ending}"), text)?)
    }

    /// A project brings a policy with its files.
    fn project(&mut self, name: &str, text: &str, trusted: bool) -> Result<(), Invalid> {
        let name = name.trim_start_matches('/').replace("..", "dots");
        let path = self.sources.file(&format!("project/{name}"), text)?;
        self.sources.projects.push((path, trusted));
        let user = Loader::new().user(self.write_policy()?);
        let projects = self.sources.projects.iter();
        let loader = projects.fold(user, |loader, (path, trusted)| {
            loader.project(path, *trusted)
        });
        self.load_with(&loader);
        Ok(())
    }

    /// The file is a link to one in a directory that anybody can write.
    fn link(&mut self) -> Result<(), Invalid> {
        let target = self.sources.file("anybody/policy.json", EVERYTHING)?;
        let link = self.sources.path("link/policy.json")?;
        if let Some(directory) = target.parent() {
            open_to_all(directory)?;
        }
        symlink(&target, &link)?;
        self.load_with(&Loader::new().user(link));
        Ok(())
    }

    fn reloading(&mut self) -> Result<(PathBuf, Reloading<FilePolicy>), Invalid> {
        let path = self.write_policy()?;
        let loader = Loader::new().user(&path);
        let settings = owning(loader.paths(), &self.scene.settings());
        let reloading = Reloading::load(loader, move |layers| layers.compile(&settings));
        let reloading = reloading.map_err(|problems| Invalid::new(problems.to_string()))?;
        let in_force = InForce::Reloading(reloading.clone());
        self.scene.set_in_force(in_force);
        Ok((path, reloading))
    }

    /// The file changes, and is loaded again.
    fn reload(&mut self, text: &str) -> Result<(), Invalid> {
        let (path, reloading) = self.reloading()?;
        replace(path, text)?;
        // Whether it can be loaded or not: what holds from now on is what is looked at.
        let _ = reloading.reload();
        Ok(())
    }

    /// The agent tries to change the policy through a tool, and then gets at the file in another
    /// way. The change is noticed, and holds only once somebody agrees to it.
    fn agent_writes(&mut self) -> Result<Vec<String>, Invalid> {
        let (path, reloading) = self.reloading()?;
        let mut differences = Vec::new();
        let args = Args::new()
            .with("path", path.display().to_string())
            .with("content", EVERYTHING);
        let index = self.call(NewCall::new("writing", "write_file", Some(args)));
        self.settle();
        let ended = self.calls.get(index).and_then(|call| call.ended);
        if !matches!(ended, Some(Ended::Blocked(_))) {
            differences.push(format!("the tool could write the policy: {ended:?}"));
        }
        let (sender, events) = channel();
        reloading.watch(OnChange::Report, move |event| {
            drop(sender.send(event.clone()));
        });
        replace(path, EVERYTHING)?;
        match events.recv_timeout(PATIENCE) {
            Ok(ReloadEvent::Pending) => {}
            other => differences.push(format!("the change is not pending: {other:?}")),
        }
        Ok(differences)
    }
}

/// A policy that a step writes as it is, or as text.
fn written(policy: Option<&Value>, text: Option<&str>) -> Result<String, Invalid> {
    match (policy, text) {
        (Some(policy), None) => Ok(policy.to_string()),
        (None, Some(text)) => Ok(text.to_owned()),
        _ => Err(Invalid::new("either `policy` or `policy_text`")),
    }
}

/// Has a file belong to somebody else. Who may not do that lets everybody write it instead.
#[cfg(unix)]
fn give_away(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};
    let mine = fs::metadata(path)?.uid();
    let other = if mine == NOBODY { NOBODY - 1 } else { NOBODY };
    chown(path, Some(other), None).or_else(|_| open_to_all(path))
}

#[cfg(unix)]
fn open_to_all(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mut permissions = fs::metadata(path)?.permissions();
    permissions.set_mode(permissions.mode() | 0o022);
    fs::set_permissions(path, permissions)
}

#[cfg(unix)]
fn symlink(target: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
fn give_away(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn open_to_all(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(unix))]
fn symlink(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Puts a whole new file in place, so that no reader meets half of it.
fn replace(path: impl AsRef<Path>, text: impl AsRef<[u8]>) -> io::Result<()> {
    let beside = path.as_ref().with_extension("new");
    fs::write(&beside, text)?;
    fs::rename(beside, path)
}
