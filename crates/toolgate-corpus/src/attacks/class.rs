//! Which attacks can be run yet.

use super::case::{Attack, Must, Scenario, Tag};
use crate::{Missing, Skip, case::Invalid, skip::Tagged};

/// What a class of attacks needs.
#[derive(Clone, Copy)]
enum Needs {
    /// Nothing that is missing.
    Nothing,
    /// A part that is not built yet.
    Part(Missing),
}

/// Every class, by the name of its kind.
const KINDS: &[(&str, Needs)] = &[
    ("approval", Needs::Nothing),
    ("args", Needs::Nothing),
    ("config", Needs::Part(Missing::Loader)),
    ("handler", Needs::Nothing),
    ("memory", Needs::Nothing),
    ("net", Needs::Part(Missing::Hosts)),
    ("path", Needs::Part(Missing::Paths)),
    ("prompt", Needs::Nothing),
    ("shell", Needs::Part(Missing::Shell)),
    ("subagent", Needs::Nothing),
    ("tool", Needs::Part(Missing::ToolIdentity)),
];

/// What is harmless has classes of its own.
const BENIGN: &[(&str, Needs)] = &[
    ("approval-flow", Needs::Nothing),
    ("build-and-misc", Needs::Part(Missing::Shell)),
    ("files", Needs::Part(Missing::Paths)),
    ("git", Needs::Part(Missing::Shell)),
    ("node", Needs::Part(Missing::Shell)),
    ("pipes-and-chains", Needs::Part(Missing::Shell)),
    ("python", Needs::Part(Missing::Shell)),
    ("rust", Needs::Part(Missing::Shell)),
    ("search-and-view", Needs::Part(Missing::Shell)),
    ("tools-and-net", Needs::Part(Missing::Hosts)),
];

fn needs(class: &str) -> Option<Needs> {
    let (kind, rest) = class.split_once('/')?;
    let (table, name) = match kind {
        "benign" => (BENIGN, rest),
        _ => (KINDS, kind),
    };
    let found = table.iter().find(|(known, _)| *known == name);
    found.map(|(_, needs)| *needs)
}

/// Why an attack is not even read completely, if it is not.
pub(super) fn skip(attack: &Attack) -> Result<Option<Skip>, Invalid> {
    let Some(needs) = needs(&attack.class) else {
        return Err(Invalid::new(format!("unknown class `{}`", attack.class)));
    };
    if let Needs::Part(missing) = needs {
        return Ok(Some(Skip::Missing(missing)));
    }
    Ok(attack.tags.first().map(|tag| {
        Skip::Tagged(match tag {
            Tag::Optional => Tagged::Optional,
            Tag::HostIntegration => Tagged::HostIntegration,
        })
    }))
}

/// The part that is missing to run an attack of a class that is run, if one is.
///
/// A policy with parts that are missing still asks by default. That is enough where asking is.
pub(super) fn missing(attack: &Scenario) -> Option<Missing> {
    if attack.call.identity.is_some() {
        return Some(Missing::ToolIdentity);
    }
    let asking_is_enough = matches!(attack.must, Must::Ask | Must::NotAllow);
    let missing = attack.policy.missing();
    missing.filter(|missing| !asking_is_enough || *missing == Missing::Loader)
}
