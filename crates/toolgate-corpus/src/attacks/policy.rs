//! A policy as a case writes it, and the real one that is loaded from it.
//!
//! A policy is written as it is, as a `config` or a `config_text` for the loader, or as `layers`
//! that hold together. One policy is read as text. Several are put into files and loaded from there,
//! so that what the loader says of files counts. What cannot be loaded refuses everything.

use std::{fs, path::Path, sync::Arc};

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value, json, value::RawValue};
use toolgate_policy::{Diagnostics, FilePolicy, Format, LayerKind, Loader, Settings, parse_policy};

use super::names;
use crate::case::Invalid;

/// A policy as it is written: one text, or several that hold together.
#[derive(Clone, Debug)]
pub(super) struct Spec(Vec<Written>);

#[derive(Clone, Debug)]
struct Written {
    kind: LayerKind,
    text: Text,
}

/// What is written.
#[derive(Clone, Debug)]
enum Text {
    Policy(Arc<str>, Format),
    /// Something that nobody can read.
    Unreadable,
}

/// The forms of a policy that are not the policy itself.
#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(borrow, default)]
    config: Option<&'a RawValue>,
    #[serde(default)]
    config_text: Option<String>,
    #[serde(default)]
    format: Option<String>,
    #[serde(borrow, default)]
    layers: Option<Vec<Layer<'a>>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer<'a> {
    name: String,
    #[serde(borrow)]
    policy: &'a RawValue,
    #[serde(default)]
    trusted: Option<bool>,
}

/// Why everything is refused.
pub(super) type Refused = String;

impl Spec {
    /// Reads how a policy is written.
    pub(super) fn read(text: &str) -> Result<Self, Invalid> {
        let value: Value = serde_json::from_str(text)?;
        let words = ["config", "config_text", "layers"];
        let wrapped = words.iter().any(|word| value.get(word).is_some());
        if !wrapped {
            return Ok(Self::user(Text::Policy(text.into(), Format::Json)));
        }
        let known =
            |object: &Map<String, Value>| object.len() - usize::from(object.contains_key("format"));
        if value.as_object().map(known) != Some(1) {
            return Err(Invalid::new(format!("a policy has one of {words:?} alone")));
        }
        let wrapped: Wrapped<'_> = serde_json::from_str(text)?;
        Ok(
            match (wrapped.config, wrapped.config_text, wrapped.layers) {
                (Some(config), _, _) => Self::user(Text::Policy(config.get().into(), Format::Json)),
                (_, Some(text), _) => {
                    let format = match wrapped.format.as_deref() {
                        None => Format::guess(&text),
                        Some("toml") => Format::Toml,
                        Some("json") => Format::Json,
                        Some("yaml") => Format::Yaml,
                        Some(other) => {
                            return Err(Invalid::new(format!("unknown format `{other}`")));
                        }
                    };
                    Self::user(Text::Policy(text.into(), format))
                }
                (_, _, layers) => {
                    let layers = layers.unwrap_or_default();
                    Self(layers.iter().map(Layer::read).collect::<Result<_, _>>()?)
                }
            },
        )
    }

    fn user(text: Text) -> Self {
        let kind = LayerKind::User;
        Self(vec![Written { kind, text }])
    }

    /// The same, below what whoever runs the machine allows.
    pub(super) fn managed(&self, allow: &[String], ask: &[String], deny: &[String]) -> Self {
        let text = json!({"shell": {"allow": allow, "ask": ask, "deny": deny}}).to_string();
        let managed = Written {
            kind: LayerKind::Managed,
            text: Text::Policy(text.into(), Format::Json),
        };
        Self([vec![managed], self.0.clone()].concat())
    }

    /// The text of a policy that is only one, for a file.
    pub(super) fn text(&self) -> Result<(&str, Format), Invalid> {
        match self.0.as_slice() {
            [
                Written {
                    text: Text::Policy(text, format),
                    ..
                },
            ] => Ok((text, *format)),
            _ => Err(Invalid::new("the policy is not one text")),
        }
    }

    /// A shell line that the policy allows, if it allows one.
    pub(super) fn allowed_line(&self) -> Option<String> {
        let (text, _) = self.text().ok()?;
        let policy: Value = serde_json::from_str(text).ok()?;
        let pattern = policy.pointer("/shell/allow/0")?.as_str()?;
        Some(pattern.trim_end_matches(" *").to_owned())
    }

    /// Loads the policy, or says why everything is refused.
    pub(super) fn load(&self, settings: &Settings) -> Result<FilePolicy, Refused> {
        match self.text() {
            Ok((text, format)) => load(text, format, settings),
            Err(_) => self.load_from_files(settings),
        }
    }

    fn load_from_files(&self, settings: &Settings) -> Result<FilePolicy, Refused> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut loader = Loader::new();
        for (number, written) in self.0.iter().enumerate() {
            let path = directory.path().join(format!("{number}.policy"));
            if let Text::Policy(text, _) = &written.text {
                fs::write(&path, &**text).map_err(|error| error.to_string())?;
            }
            loader = match written.kind {
                LayerKind::Managed => loader.managed(path),
                LayerKind::User => loader.user(path),
                LayerKind::Project { trusted } => loader.project(path, trusted),
            };
        }
        load_with(&loader, settings)
    }
}

impl<'de> Deserialize<'de> for Spec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::read(&value.to_string()).map_err(D::Error::custom)
    }
}

impl Layer<'_> {
    /// A project that is named among layers is one that somebody vouched for.
    fn read(&self) -> Result<Written, Invalid> {
        let kind = match &*self.name {
            "managed" | "system" | "enterprise" | "admin" => LayerKind::Managed,
            "user" | "global" | "local" | "cli" | "session" => LayerKind::User,
            "project" | "workspace" => LayerKind::Project {
                trusted: self.trusted.unwrap_or(true),
            },
            other => return Err(Invalid::new(format!("unknown layer `{other}`"))),
        };
        let value: Value = serde_json::from_str(self.policy.get())?;
        let text = match value.get("error") {
            Some(_) => Text::Unreadable,
            None => Text::Policy(self.policy.get().into(), Format::Json),
        };
        Ok(Written { kind, text })
    }
}

/// Reads and compiles one policy.
pub(super) fn load(text: &str, format: Format, settings: &Settings) -> Result<FilePolicy, Refused> {
    let loaded = parse_policy(text, format).and_then(|policy| policy.compile(None, settings));
    loaded.map_err(|problems| problems.to_string())
}

/// Reads and compiles policies from files, which no call may write.
pub(super) fn load_with(loader: &Loader, settings: &Settings) -> Result<FilePolicy, Refused> {
    let layers = loader.load();
    let policy = layers.and_then(|layers| layers.compile(&owning(loader.paths(), settings)));
    policy.map_err(|problems: Diagnostics| problems.to_string())
}

/// The same settings, with files that no call may write.
pub(super) fn owning<'a>(files: impl Iterator<Item = &'a Path>, settings: &Settings) -> Settings {
    let files = files.filter_map(Path::to_str);
    files.fold(settings.clone(), Settings::with_own_file)
}

/// What is known of the world around every policy, for calls in this file system.
pub(super) fn settings(files: impl toolgate_policy::Files + 'static) -> Settings {
    let settings = Settings::new().with_files(files).with_home(names::HOME);
    let own = names::OWN.iter().map(|(_, path)| *path);
    own.fold(settings, Settings::with_own_file)
}
