//! What is wrong with a policy, and where: with the text, and with what would help.

mod excerpt;
mod render;
mod source;

use std::{error::Error, fmt};

pub(crate) use self::{
    excerpt::quoted,
    source::{Source, Sources, Span},
};
use crate::Place;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// The policy is refused.
    Error,
    /// The policy is accepted, but it hardly says what was meant.
    Warning,
    /// Something that is good to know.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// One thing that is wrong, or worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of thing it is, in kebab case, such as `unknown-key`.
    pub code: &'static str,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where.
    pub place: Place,
    /// What is said beside the mark under the text; may be empty.
    pub label: String,
    /// What would help.
    pub help: Option<String>,
    /// Other places that have to do with it, and what is there.
    pub related: Vec<(Place, String)>,
}

impl Diagnostic {
    /// Says what is wrong at a place.
    pub(crate) fn new(
        severity: Severity,
        code: &'static str,
        place: Place,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity,
            code,
            message: message.into(),
            place,
            label: String::new(),
            help: None,
            related: Vec::new(),
        }
    }

    /// Something for which the policy is refused.
    pub(crate) fn error(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, place, message)
    }

    /// Something that hardly says what was meant.
    pub(crate) fn warning(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, place, message)
    }

    /// Something that is good to know.
    pub(crate) fn note(code: &'static str, place: Place, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, place, message)
    }

    /// Says something beside the mark under the text.
    pub(crate) fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Says what would help.
    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Points at another place that has to do with it.
    pub(crate) fn with_related(mut self, place: Place, what: impl Into<String>) -> Self {
        self.related.push((place, what.into()));
        self
    }
}

/// Everything that is wrong with a policy, or worth knowing about it.
///
/// Displays every one of them with its place, the text there, and what would help.
#[derive(Clone, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    sources: Sources,
}

impl Diagnostics {
    /// Nothing so far; `sources` are the texts that places point into.
    pub(crate) fn new(sources: Sources) -> Self {
        Self {
            list: Vec::new(),
            sources,
        }
    }

    /// One problem and nothing else.
    pub(crate) fn one(sources: Sources, problem: Diagnostic) -> Self {
        Self {
            list: vec![problem],
            sources,
        }
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        self.list.push(diagnostic);
    }

    /// Adds everything that another one holds.
    pub(crate) fn append(&mut self, other: Self) {
        self.list.extend(other.list);
        self.sources.extend(&other.sources);
    }

    /// Adds what another one holds and these do not.
    pub fn merge(&mut self, other: &Self) {
        let new = other.iter().filter(|one| !self.list.contains(one));
        let new: Vec<_> = new.cloned().collect();
        self.list.extend(new);
        self.sources.extend(&other.sources);
        self.sort();
    }

    /// Brings them into the order of the files. What is at the same place keeps its order.
    pub(crate) fn sort(&mut self) {
        self.list.sort_by(|a, b| {
            let key = |d: &Diagnostic| (d.place.line, d.place.column);
            (&a.place.file, key(a)).cmp(&(&b.place.file, key(b)))
        });
    }

    /// All of them, in the order of the file.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether the policy is refused.
    pub fn has_errors(&self) -> bool {
        self.iter().any(|d| d.severity == Severity::Error)
    }

    /// As text, with the colours of a terminal if asked for.
    pub fn render(&self, color: bool) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = render::write(&mut out, self, color);
        out
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        render::write(f, self, false)
    }
}

impl fmt::Debug for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.list).finish()
    }
}

impl Error for Diagnostics {}
