//! From policies as they are written to one that decides.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use toolgate::{Mode, ToolConfig, ToolRules};

use super::{FilePolicy, Inner};
use crate::{
    Diagnostic, Diagnostics, Layer, LayerKind, Layers, Place, Settings, TriedExample,
    compiled::{Compiled, Context, compile, dangers, try_examples},
    judge::World,
    spec::{ModeSpec, PolicySpec},
};

/// A policy as it is written, and whose it is.
pub(crate) struct Written {
    pub(crate) spec: PolicySpec,
    pub(crate) is_managed: bool,
    /// Whether somebody vouched for it.
    pub(crate) is_trusted: bool,
}

impl Written {
    pub(crate) fn of(layer: &Layer) -> Self {
        Self {
            spec: layer.spec.clone(),
            is_managed: layer.kind == LayerKind::Managed,
            is_trusted: layer.kind != (LayerKind::Project { trusted: false }),
        }
    }
}

/// Compiles policies, each for its environment, so that they decide together.
pub(crate) fn build(
    written: &[Written],
    mut notes: Diagnostics,
    settings: &Settings,
) -> Result<FilePolicy, Diagnostics> {
    let mut layers = Vec::new();
    for one in written {
        notes.append(Diagnostics::new(one.spec.sources.clone()));
        for danger in dangers(&one.spec) {
            notes.push(note(danger));
        }
        match compile(&one.spec, &context(one, settings)) {
            Ok((compiled, lints)) => {
                for lint in lints {
                    notes.push(warning(lint));
                }
                layers.push(compiled);
            }
            Err(problems) => {
                for problem in problems {
                    notes.push(error(problem));
                }
            }
        }
    }
    notes.sort();
    if notes.has_errors() {
        return Err(notes);
    }
    Ok(FilePolicy(Arc::new(Inner {
        entries: merged_entries(&layers, true),
        unvouched: merged_entries(&layers, false),
        mode: strictest_mode(written),
        deadline: shortest_deadline(written),
        world: World {
            files: Arc::clone(&settings.files),
            now: Arc::clone(&settings.now),
        },
        warnings: notes,
        layers,
    })))
}

impl Layers {
    /// Tries every example that a rule carries. [`compile`](Self::compile) does so, too, and
    /// refuses a policy with a wrong one; this tells how each of them fared.
    ///
    /// # Errors
    ///
    /// Says everything else that is wrong with the rules of any, each with its place.
    pub fn try_examples(&self, settings: &Settings) -> Result<Vec<TriedExample>, Diagnostics> {
        let (mut tried, mut notes) = (Vec::new(), Diagnostics::default());
        for layer in self {
            let one = Written::of(layer);
            match try_examples(&one.spec, &context(&one, settings)) {
                Ok(examples) => tried.extend(examples),
                Err(problems) => {
                    notes.append(Diagnostics::new(one.spec.sources.clone()));
                    for problem in problems {
                        notes.push(error(problem));
                    }
                }
            }
        }
        match notes.has_errors() {
            true => Err(notes),
            false => Ok(tried),
        }
    }
}

/// What all layers say of tools beside decisions that somebody vouched for, or nobody. An entry that
/// comes in several says what each says.
fn merged_entries(layers: &[Compiled], vouched_for: bool) -> ToolRules {
    let mut merged: BTreeMap<&str, ToolConfig> = BTreeMap::new();
    let trusted = layers
        .iter()
        .filter(|layer| layer.is_trusted == vouched_for);
    for (name, config) in trusted.flat_map(|layer| &layer.configs) {
        let so_far = merged.remove(&**name).unwrap_or_default();
        merged.insert(name, so_far.and(config));
    }
    // Each was tried alone, and none comes twice.
    ToolRules::new(merged).unwrap_or_default()
}

fn context(written: &Written, settings: &Settings) -> Context {
    Context {
        own_files: settings.own_files.clone(),
        home: settings.home.clone(),
        base: settings.base.clone(),
        is_managed: written.is_managed,
        is_trusted: written.is_trusted,
    }
}

fn error((place, why): (Place, String)) -> Diagnostic {
    Diagnostic::error("invalid-rule", place, why)
}

fn warning((place, why): (Place, String)) -> Diagnostic {
    Diagnostic::warning("lint", place, why)
}

fn note((place, why): (Place, String)) -> Diagnostic {
    Diagnostic::note("dangerous", place, why)
}

/// Strict before interactive before approving; a layer that names no mode has none.
fn strictest_mode(written: &[Written]) -> Mode {
    let modes = written.iter().filter_map(|one| one.spec.mode.as_ref());
    let strictness = |mode: ModeSpec| match mode {
        ModeSpec::ApproveAll => 0,
        ModeSpec::Interactive | ModeSpec::Plan | ModeSpec::Yolo => 1,
        ModeSpec::Strict => 2,
    };
    match modes.map(|mode| strictness(mode.value)).max() {
        Some(0) => Mode::ApproveAll,
        Some(2) => Mode::Strict,
        _ => Mode::Interactive,
    }
}

fn shortest_deadline(written: &[Written]) -> Option<Duration> {
    let deadlines = written.iter().filter_map(|one| one.spec.deadline.as_ref());
    deadlines.map(|deadline| deadline.value).min()
}
