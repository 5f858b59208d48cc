//! Reads policies: TOML, JSON or YAML into one set of types.
//!
//! A text becomes a tree of values with places, whatever its format, and the tree becomes a policy
//! as it is written. Everything that is wrong is reported at once.

mod check;
mod decode;
mod environment;
mod file;
mod format;
mod json;
mod keys;
mod layer;
mod loader;
mod loosen;
mod narrow;
mod node;
mod policy;
mod report;
mod root;
mod rules;
mod scalar;
mod sections;
pub(crate) mod shape;
mod suggest;
mod time;
mod toml;
mod tools;
mod trust;
mod value;
mod when;
mod words;
mod yaml;

use std::{fmt, sync::Arc};

use self::report::Report;
pub(crate) use self::{
    decode::{Decoder, Field, Fields},
    node::{Entry, Kind, Node},
    policy::{ENVIRONMENT, POLICY},
    rules::{RULE, SHELL_RULE, TOOL_RULE},
    sections::{CAPABILITIES, FETCH, PATHS, SHELL},
    shape::table,
    suggest::nearest,
    tools::{TOOL, TOOLS},
    when::TEST,
};
pub use self::{
    format::Format,
    layer::{Layer, LayerKind, Layers},
    loader::Loader,
};
use crate::{
    FilePolicy, Settings,
    diagnostic::{Diagnostics, Source},
    policy::{Written, build},
    spec::PolicySpec,
};

/// A policy that was read, and what is worth knowing about it.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) spec: PolicySpec,
    /// Warnings and notes; no errors.
    pub(crate) notes: Diagnostics,
}

/// Reads a policy. `name` is what reports call the file.
pub(crate) fn load(name: &str, text: &str, format: Format) -> Result<Loaded, Diagnostics> {
    let source = Arc::new(Source::new(name, root::clip(text)));
    let mut report = Report::new(&source);
    let Some(entries) = root::read(text.len(), source.text(), format, &mut report) else {
        return Err(report.finish());
    };
    let mut decoder = Decoder::new(report, format);
    let mut spec = decoder.policy(&entries);
    spec.sources = Arc::clone(&source).into();
    source.hide(std::mem::take(&mut decoder.secrets));
    check::policy(&spec, &mut decoder.report);
    let notes = decoder.report.finish();
    match notes.has_errors() {
        true => Err(notes),
        false => Ok(Loaded { spec, notes }),
    }
}

/// Reads the outermost table of something else that is written in YAML, and returns what is worth
/// knowing about it.
pub(crate) fn read_yaml(
    name: &str,
    text: &str,
    read: impl FnOnce(&mut Decoder<'_>, &[Entry<'_>]),
) -> Result<Diagnostics, Diagnostics> {
    let source = Arc::new(Source::new(name, root::clip(text)));
    let mut report = Report::new(&source);
    let Some(entries) = root::read(text.len(), source.text(), Format::Yaml, &mut report) else {
        return Err(report.finish());
    };
    let mut decoder = Decoder::new(report, Format::Yaml);
    read(&mut decoder, &entries);
    let notes = decoder.report.finish();
    match notes.has_errors() {
        true => Err(notes),
        false => Ok(notes),
    }
}

/// A policy that was read, but not compiled.
///
/// Reading finds everything that is wrong with the text. What is wrong with patterns is found when
/// they are compiled.
#[derive(Clone)]
pub struct ParsedPolicy(Loaded);

impl ParsedPolicy {
    /// Warnings and notes about it.
    pub fn notes(&self) -> &Diagnostics {
        &self.0.notes
    }

    /// Compiles the policy for one of its environments, or for none.
    ///
    /// # Errors
    ///
    /// Says everything that is wrong with its rules, each with its place.
    pub fn compile(
        &self,
        environment: Option<&str>,
        settings: &Settings,
    ) -> Result<FilePolicy, Diagnostics> {
        let written = Written {
            spec: self.0.spec.for_environment(environment)?,
            is_managed: false,
            is_trusted: true,
        };
        build(&[written], self.0.notes.clone(), settings)
    }

    /// The names of its environments, in the order of the file.
    pub fn environments(&self) -> impl Iterator<Item = &str> {
        self.0.spec.env.iter().map(|(name, _)| name.value.as_str())
    }
}

impl fmt::Debug for ParsedPolicy {
    /// Leaves out what the policy says, which may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParsedPolicy").finish_non_exhaustive()
    }
}

/// Reads a policy from a text without a name.
///
/// # Errors
///
/// Says everything that is wrong with the text, each with its place.
///
/// # Example
///
/// ```
/// use toolgate_policy::{Format, parse_policy};
///
/// let wrong = parse_policy("[shel]\ndeny = [\"rm *\"]\n", Format::Toml).unwrap_err();
/// assert_eq!(wrong.to_string(), "\
/// error[unknown-key]: unknown key `shel`
///  --> policy.toml:1:2
///   |
/// 1 | [shel]
///   |  ^^^^ did you mean `shell`?
///
/// 1 error");
/// ```
pub fn parse_policy(text: &str, format: Format) -> Result<ParsedPolicy, Diagnostics> {
    let name = match format {
        Format::Toml => "policy.toml",
        Format::Json => "policy.json",
        Format::Yaml => "policy.yaml",
    };
    load(name, text, format).map(ParsedPolicy)
}

#[cfg(test)]
mod tests;
