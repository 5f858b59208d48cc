//! Finds the patterns that match a tool.

use super::{NameIndex, PatternError, ToolPattern};
use crate::ToolId;

/// Patterns over tools, and which of them match a tool, found without trying them all.
///
/// `read_*` means tools of the host's own, `mcp:files/read_*` those of a server, and `*` every
/// tool there is. A `*` stands for any run of characters; nothing else is special.
///
/// # Example
///
/// ```
/// use toolgate::{ToolId, ToolPatterns};
///
/// let mut patterns = ToolPatterns::new();
/// patterns.add("read_*")?;
/// let remote = patterns.add("mcp:files/*")?;
///
/// let mut found = Vec::new();
/// patterns.find(&ToolId::new("read_file").on_server("files"), |number| found.push(number));
/// assert_eq!(found, [remote]);
/// # Ok::<(), toolgate::PatternError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ToolPatterns {
    patterns: Vec<ToolPattern>,
    index: NameIndex,
}

impl ToolPatterns {
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
        let pattern = ToolPattern::parse(pattern)?;
        let number = self.patterns.len();
        self.index.add(pattern.name().clone(), number);
        self.patterns.push(pattern);
        Ok(number)
    }

    /// Reports every pattern that matches `tool`, each once.
    pub fn find(&self, tool: &ToolId, report: impl FnMut(usize)) {
        self.find_by_name(tool.server(), tool.name(), report);
    }

    /// The same for the tool of that name on `server`, or of the host's own.
    pub fn find_by_name(&self, server: Option<&str>, name: &str, mut report: impl FnMut(usize)) {
        self.index.find(name, |number| {
            let pattern = self.patterns.get(number);
            if pattern.is_some_and(|pattern| pattern.means_server(server)) {
                report(number);
            }
        });
    }
}
