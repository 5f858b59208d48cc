//! Names that stand for paths of the library's own.

use std::borrow::Cow;

/// The home of whoever the agent works for.
pub(super) const HOME: &str = "/home/u";

/// Where the library's own files are: in the middle of the workspace, under names that mean nothing.
pub(super) const OWN: [(&str, &str); 3] = [
    ("${POLICY_FILE}", "/w/gate/one"),
    ("${GRANT_STORE}", "/w/gate/two"),
    ("${AUDIT_LOG}", "/w/gate/three"),
];

/// The text with paths in the place of their names.
pub(super) fn replaced(text: &str) -> Cow<'_, str> {
    OWN.iter().fold(Cow::Borrowed(text), |text, (name, path)| {
        match text.contains(name) {
            true => Cow::Owned(text.replace(name, path)),
            false => text,
        }
    })
}
