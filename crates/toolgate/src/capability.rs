//! What a call can do, as labels.

use std::{fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

use crate::visible::visible;

/// One thing that a call can do: a dotted name and, if known, what it is done to.
///
/// Written `fs.read`, or `fs.write(/srv/report.txt)` with a parameter. A capability describes;
/// it never says whether the call is permitted. [`words`](Capability::words) has the sentence
/// a person is shown.
///
/// # Example
///
/// ```
/// use toolgate::Capability;
///
/// let write: Capability = "fs.write(/srv/report.txt)".parse()?;
/// assert_eq!(write.name(), "fs.write");
/// assert_eq!(write.parameter(), Some("/srv/report.txt"));
/// assert_eq!(write.words(), "write files: /srv/report.txt");
/// # Ok::<(), toolgate::CapabilityError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Capability {
    name: Box<str>,
    parameter: Option<Box<str>>,
}

/// The suggested names, each with the words that a person is shown for it.
///
/// Any other dotted name is as good; a shared vocabulary lets one table of rules serve many
/// tools.
pub const CAPABILITY_WORDS: &[(&str, &str)] = &[
    ("fs.read", "read files"),
    ("fs.write", "write files"),
    ("fs.delete", "delete files"),
    ("proc.exec", "run programs"),
    ("proc.signal", "stop or signal programs"),
    ("net.fetch", "fetch from the network"),
    ("net.send", "send to the network"),
    ("net.listen", "accept connections"),
    ("secret.read", "read secrets"),
    ("env.read", "read environment variables"),
    ("agent.spawn", "start another agent"),
    ("db.read", "read from a database"),
    ("db.write", "change a database"),
    ("pay.send", "spend money"),
    ("user.notify", "show something to a person"),
];

impl Capability {
    /// The dotted name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is done to, if the describer knew.
    #[must_use]
    pub fn parameter(&self) -> Option<&str> {
        self.parameter.as_deref()
    }

    /// The same capability, done to `parameter`.
    #[must_use]
    pub fn on(mut self, parameter: impl Into<Box<str>>) -> Self {
        self.parameter = Some(parameter.into());
        self
    }

    /// What a person is shown, with everything visible: words for a name of the vocabulary, else the
    /// name itself.
    #[must_use]
    pub fn words(&self) -> String {
        let known = CAPABILITY_WORDS
            .iter()
            .find(|(name, _)| *name == &*self.name);
        let words = known.map_or(&*self.name, |(_, words)| words);
        match self.parameter() {
            Some(parameter) => format!("{words}: {}", visible(parameter)),
            None => words.to_owned(),
        }
    }
}

impl FromStr for Capability {
    type Err = CapabilityError;

    fn from_str(text: &str) -> Result<Self, CapabilityError> {
        let (name, parameter) = split(text).ok_or_else(|| CapabilityError::new(text))?;
        if !is_name(name) || parameter == Some("") {
            return Err(CapabilityError::new(text));
        }
        Ok(Self {
            name: name.into(),
            parameter: parameter.map(Into::into),
        })
    }
}

/// Splits `name(parameter)`; the parameter may contain anything.
pub(crate) fn split(text: &str) -> Option<(&str, Option<&str>)> {
    match text.split_once('(') {
        None => Some((text, None)),
        Some((name, rest)) => Some((name, Some(rest.strip_suffix(')')?))),
    }
}

fn is_name(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
    };
    name.split('.').all(part)
}

impl TryFrom<String> for Capability {
    type Error = CapabilityError;

    fn try_from(text: String) -> Result<Self, CapabilityError> {
        text.parse()
    }
}

impl From<Capability> for String {
    fn from(capability: Capability) -> Self {
        capability.to_string()
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match self.parameter() {
            Some(parameter) => write!(f, "({parameter})"),
            None => Ok(()),
        }
    }
}

/// Shows the name only: a parameter can be an argument.
impl fmt::Debug for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Capability({})", self.name)
    }
}

/// A text that is not a capability.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapabilityError {
    name: Box<str>,
}

impl CapabilityError {
    fn new(text: &str) -> Self {
        // What stands in the parentheses can be an argument.
        let name = text.split('(').next().unwrap_or_default();
        Self { name: name.into() }
    }
}

impl fmt::Display for CapabilityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "`{}` is not a capability: expected a dotted name such as `fs.read`, or `fs.write(/srv/x)`",
            self.name.escape_debug()
        )
    }
}

impl std::error::Error for CapabilityError {}

/// The capabilities of one call, from all sources together.
///
/// Holds shared slices, so that attaching what is known beforehand copies nothing.
#[derive(Clone, Default)]
pub struct Labels(SmallVec<[Arc<[Capability]>; 4]>);

impl Labels {
    /// Makes an empty set of labels.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the labels of one source.
    pub fn add(&mut self, capabilities: Arc<[Capability]>) {
        if !capabilities.is_empty() {
            self.0.push(capabilities);
        }
    }

    /// All labels. One that two sources attached comes twice.
    pub fn iter(&self) -> impl Iterator<Item = &Capability> {
        self.0.iter().flat_map(|source| source.iter())
    }

    /// Whether no source attached any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether some source attached `name`, with any parameter or none.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.iter().any(|capability| capability.name() == name)
    }

    pub(crate) fn extend(&mut self, more: Self) {
        if self.0.is_empty() {
            *self = more;
        } else {
            self.0.extend(more.0);
        }
    }
}

impl FromIterator<Capability> for Labels {
    fn from_iter<I: IntoIterator<Item = Capability>>(capabilities: I) -> Self {
        let mut labels = Self::new();
        labels.add(capabilities.into_iter().collect());
        labels
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_refused() {
        for text in [
            "",
            ".",
            "fs.",
            ".read",
            "fs read",
            "fs.read(",
            "fs.read()",
            "fs.read(a)b",
            "(a)",
            "fs.*",
        ] {
            assert!(text.parse::<Capability>().is_err(), "accepted {text:?}");
        }
    }

    #[test]
    fn reads_back_what_it_writes() {
        for text in [
            "fs.read",
            "proc.exec.unlisted",
            "fs.write(/a (b)/c)",
            "x-1._y",
        ] {
            assert_eq!(text.parse::<Capability>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn every_suggested_name_is_a_capability() {
        for (name, words) in CAPABILITY_WORDS {
            assert_eq!(name.parse::<Capability>().unwrap().words(), *words);
        }
    }

    #[test]
    fn debug_hides_the_parameter() {
        let capability: Capability = "net.send(alice@example.com)".parse().unwrap();
        assert_eq!(format!("{capability:?}"), "Capability(net.send)");
    }
}
