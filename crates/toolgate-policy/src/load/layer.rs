//! Policies that lie on top of each other.

use std::fmt;

use super::{Loaded, ParsedPolicy, narrow};
use crate::{
    FilePolicy, Settings,
    diagnostic::Diagnostics,
    policy::{Written, build},
    spec::PolicySpec,
};

/// Whose policy it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LayerKind {
    /// That of whoever runs the machine. Nothing loosens it, and nothing works without it.
    Managed,
    /// That of the user.
    User,
    /// That of a project, which came with its files.
    Project {
        /// Whether the user vouched for it. Until then it can only restrict.
        trusted: bool,
    },
}

impl fmt::Display for LayerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Managed => "managed",
            Self::User => "user",
            Self::Project { trusted: true } => "project",
            Self::Project { trusted: false } => "untrusted project",
        })
    }
}

/// One policy, as it holds in the environment that was asked for.
///
/// What it does together with other layers is up to whoever evaluates them: the strictest counts.
#[derive(Clone)]
pub struct Layer {
    pub(crate) kind: LayerKind,
    pub(crate) spec: PolicySpec,
}

impl Layer {
    /// Whose policy it is.
    pub fn kind(&self) -> LayerKind {
        self.kind
    }
}

impl fmt::Debug for Layer {
    /// Leaves out what the policy says, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Layer")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// All policies that hold together, and what is worth knowing about them. There is at least one.
#[derive(Clone, Debug)]
pub struct Layers {
    pub(crate) list: Vec<Layer>,
    pub(crate) notes: Diagnostics,
}

impl Layers {
    /// Lays policies on top of each other, as they hold in an environment. One that does not know
    /// the environment holds as it is. A project that nobody vouched for can only restrict.
    ///
    /// # Errors
    ///
    /// If what a policy says of the environment cannot be.
    pub fn new(
        policies: impl IntoIterator<Item = (LayerKind, ParsedPolicy)>,
        environment: Option<&str>,
    ) -> Result<Self, Diagnostics> {
        let loaded = policies.into_iter().map(|(kind, policy)| (kind, policy.0));
        Self::from_loaded(loaded, environment)
    }

    pub(super) fn from_loaded(
        loaded: impl IntoIterator<Item = (LayerKind, Loaded)>,
        environment: Option<&str>,
    ) -> Result<Self, Diagnostics> {
        let mut notes = Diagnostics::default();
        let mut list = Vec::new();
        for (kind, loaded) in loaded {
            let mut spec = loaded.spec;
            notes.append(loaded.notes);
            let known = environment.filter(|name| spec.has_environment(name));
            if kind == (LayerKind::Project { trusted: false }) {
                let mut left_out = Diagnostics::new(spec.sources.clone());
                let narrowed = narrow::narrow(&mut spec, known);
                for note in narrowed {
                    left_out.push(note);
                }
                notes.append(left_out);
            }
            let spec = spec.for_environment(known)?;
            list.push(Layer { kind, spec });
        }
        Ok(Self { list, notes })
    }

    /// Every one of them, in the order in which they were named.
    pub fn iter(&self) -> std::slice::Iter<'_, Layer> {
        self.list.iter()
    }

    /// Compiles them, so that they decide together: the strictest counts.
    ///
    /// # Errors
    ///
    /// Says everything that is wrong with the rules of any, each with its place.
    pub fn compile(&self, settings: &Settings) -> Result<FilePolicy, Diagnostics> {
        let written: Vec<_> = self.list.iter().map(Written::of).collect();
        build(&written, self.notes.clone(), settings)
    }

    /// Whether they say the same: the same texts, worth as much.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let same = |(a, b): (&Layer, &Layer)| a.kind == b.kind && a.spec.sources == b.spec.sources;
        self.list.len() == other.list.len() && self.iter().zip(other).all(same)
    }

    /// The first of them that another has and these do not, by the name of its file.
    pub(crate) fn missing<'o>(&self, other: &'o Self) -> Option<&'o str> {
        let names = |layers: &'o Self| layers.iter().filter_map(|layer| layer.spec.sources.name());
        let here = |name: &&str| {
            self.iter()
                .any(|own| own.spec.sources.name() == Some(*name))
        };
        names(other).find(|name| !here(name))
    }

    /// Warnings, and what was left out of a policy that nobody vouched for.
    pub fn notes(&self) -> &Diagnostics {
        &self.notes
    }
}

impl<'a> IntoIterator for &'a Layers {
    type Item = &'a Layer;
    type IntoIter = std::slice::Iter<'a, Layer>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
