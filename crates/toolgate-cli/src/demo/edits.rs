//! A policy of one's own beside that of the file: shows what would become of a file.

use std::{fs, path::PathBuf};

use serde_json::Value;
use toolgate::{Decision, Policy, Presentation, Reviewing, Rule, ToolCall, Vote};

/// Asks before a file is changed, and shows the change.
pub(super) struct ShowEdits {
    pub(super) folder: PathBuf,
}

impl Policy for ShowEdits {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        let text = |key: &str| call.args().get(key).and_then(Value::as_str);
        let ("write_file", Some(path)) = (call.tool().name(), text("path")) else {
            return Decision::abstain();
        };
        let vote = Vote::ask("a file is changed").by(Rule::new("show-edits"));
        let before = fs::read_to_string(self.folder.join(path)).unwrap_or_default();
        let vote = vote.with_presentation(Presentation::Diff {
            path: path.to_owned(),
            before,
            after: text("content").unwrap_or_default().to_owned(),
        });
        vote.into()
    }

    fn name(&self) -> &'static str {
        "edits"
    }

    fn denies_by_args(&self) -> bool {
        false
    }
}
