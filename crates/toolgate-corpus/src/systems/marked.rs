//! Tools that say of themselves that somebody is to be asked.

use toolgate::{Describe, DescribeError, Description, Reviewing, ToolCall, ToolEntries};

/// Whether tools say of themselves that somebody is to be asked.
pub(super) struct Marked(pub(super) bool);

impl Describe for Marked {
    fn describe(
        &self,
        _: &ToolCall<Reviewing>,
        _: &ToolEntries<'_>,
    ) -> Result<Description, DescribeError> {
        let description = Description::new();
        Ok(if self.0 {
            description.requiring_approval()
        } else {
            description
        })
    }
}
