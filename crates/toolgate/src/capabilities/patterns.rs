//! Finds the patterns that match a capability.

use super::target::Target;
use crate::{
    Capability,
    capability::split,
    pattern::{Glob, NameIndex, PatternError},
};

/// Patterns over capabilities, and which of them match one, found without trying them all.
///
/// A pattern is a name (`fs.read`), a pattern over names (`proc.exec.*`, which needs the dot), or
/// either with a target: `fs.write(/srv/**)`, `net.fetch(*.example.com)`. In a target `*` stays
/// within one level of a path and `**` does not. Without a target every target is meant.
///
/// # Example
///
/// ```
/// use toolgate::CapabilityPatterns;
///
/// let mut patterns = CapabilityPatterns::new();
/// let number = patterns.add("fs.write(/srv/**)")?;
///
/// let mut found = Vec::new();
/// patterns.find(&"fs.write(/srv/a)".parse()?, |number, surely| found.push((number, surely)));
/// patterns.find(&"fs.write(/etc/a)".parse()?, |number, surely| found.push((number, surely)));
/// // It is not said what is written: it may be something below `/srv`.
/// patterns.find(&"fs.write".parse()?, |number, surely| found.push((number, surely)));
/// assert_eq!(found, [(number, true), (number, false)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CapabilityPatterns {
    targets: Vec<Option<Target>>,
    index: NameIndex,
}

impl CapabilityPatterns {
    /// Patterns that match nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a pattern, and says by which number [`find`](Self::find) reports it: they count from
    /// zero.
    ///
    /// # Errors
    ///
    /// If the pattern is invalid.
    pub fn add(&mut self, pattern: &str) -> Result<usize, PatternError> {
        let fail = |why| PatternError::new(pattern, why);
        let (name, target) = split(pattern).ok_or_else(|| fail("the `(` is never closed"))?;
        let name = Glob::parse(name).map_err(|error| fail(error.why()))?;
        let target = target.map(Target::parse).transpose().map_err(fail)?;
        let number = self.targets.len();
        self.index.add(name, number);
        self.targets.push(target);
        Ok(number)
    }

    /// Reports every pattern that matches `capability`, each once: surely, or perhaps because the
    /// capability does not say what it is done to.
    pub fn find(&self, capability: &Capability, mut report: impl FnMut(usize, bool)) {
        self.index
            .find(capability.name(), |number| match self.targets.get(number) {
                Some(None) => report(number, true),
                Some(Some(target)) => match target.matches(capability) {
                    Some(true) => report(number, true),
                    Some(false) => {}
                    None => report(number, false),
                },
                None => {}
            });
    }
}
