//! The operation in words.

use std::{
    fmt::{self, Write as _},
    ops::Deref,
    sync::{Arc, OnceLock},
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::shown_key;
use crate::{Args, ToolId, visible::visible};

/// An operation in words, with everything visible.
///
/// Unless a policy found words of its own, it is the call as it would be written, and is written out
/// when somebody reads it.
#[derive(Clone)]
pub struct Words {
    said: OnceLock<Arc<str>>,
    call: Option<(ToolId, Args)>,
}

impl Words {
    /// The words of a policy.
    pub(super) fn said(words: &str) -> Self {
        Self {
            said: OnceLock::from(Arc::from(visible(words))),
            call: None,
        }
    }

    /// The call itself.
    pub(super) fn of(tool: &ToolId, args: &Args) -> Self {
        Self {
            said: OnceLock::new(),
            call: Some((tool.clone(), args.clone())),
        }
    }

    /// The words, unless they only repeat the call.
    pub(crate) fn own(&self) -> Option<&str> {
        match &self.call {
            Some(_) => None,
            None => Some(self),
        }
    }

    pub(crate) fn shared(&self) -> Arc<str> {
        Arc::clone(self.text())
    }

    fn text(&self) -> &Arc<str> {
        self.said.get_or_init(|| match &self.call {
            Some((tool, args)) => visible(&describe(tool, args)).into(),
            None => Arc::default(),
        })
    }
}

/// The call as it would be written: `send_email(to="a", n=1)`.
pub(crate) fn describe(tool: &ToolId, args: &Args) -> String {
    let mut text = format!("{tool}(");
    for (index, (key, value)) in args.as_map().iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{comma}{}={value}", shown_key(key));
    }
    text.push(')');
    text
}

impl Deref for Words {
    type Target = str;

    fn deref(&self) -> &str {
        self.text()
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

/// Shows nothing: there are arguments in it.
impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Words").finish_non_exhaustive()
    }
}

impl PartialEq for Words {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Words {}

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::said(&text))
    }
}
