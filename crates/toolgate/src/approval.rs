//! The question that a person is asked, and what the person says.

mod suggestions;
mod words;

use std::{
    borrow::Cow,
    fmt,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

pub(crate) use self::words::describe;
pub use self::{
    suggestions::{Suggestion, Suggestions},
    words::Words,
};
use crate::{
    Args, CallId, Capability, Origin, RequestId, Rule, ToolCall, ToolId, call::Reviewing,
    visible::visible,
};

/// A question for whoever may answer it: may this call run?
///
/// It shows the final arguments, and every rule that asked with its reason.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// What the question is known by. Nobody can guess it.
    pub id: RequestId,
    /// The call that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    /// The tool.
    pub tool: ToolId,
    /// The operation in words, with everything visible.
    pub description: Words,
    /// The arguments that will run if the answer is yes, all of them.
    pub args: Args,
    /// Every rule that asked. An answer covers these and no others.
    pub asks: Vec<Asked>,
    /// What the call can do.
    pub capabilities: Vec<Capability>,
    /// How the call is best shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presentation: Option<Presentation>,
    /// Where the call comes from.
    pub origin: Origin,
    /// When it will be too late to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<SystemTime>,
    /// Whether the answer may come with other arguments.
    pub editable: bool,
    /// What an answer can be remembered for, from exactly this operation to all that are alike.
    /// Empty if nothing is remembered: then there is no sense in offering more than once.
    pub suggestions: Suggestions,
}

/// Under which terms a question is put.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Terms {
    pub(crate) expires: Option<SystemTime>,
    pub(crate) editable: bool,
}

/// One rule that asked.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Asked {
    /// The layer that cast the vote.
    pub layer: Cow<'static, str>,
    /// The rule, if it has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
    /// Why it asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Arc<str>>,
    /// The name under which the operation is remembered, if it is not the tool's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Arc<str>>,
    /// What identifies the operation when the answer is remembered.
    pub payload: Args,
}

/// Shows who asked, never about what: every other part may have arguments in it.
impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Asked")
            .field("layer", &self.layer)
            .field("rule", &self.rule)
            .finish_non_exhaustive()
    }
}

impl Asked {
    /// Whether an answer to one is an answer to the other: the same rule, about the same operation.
    pub(crate) fn is_the_same_question(&self, other: &Self) -> bool {
        self.is(&other.layer, other.rule.as_ref(), other.reason.as_deref())
            && self.subject == other.subject
            && self.payload == other.payload
    }

    /// Whether this is the ask that `layer`, `rule` and `reason` tell of.
    ///
    /// A rule is known by its id. A policy that asks without naming a rule is known by its
    /// reason, so that an answer to one question never covers another of the same layer.
    pub(crate) fn is(&self, layer: &str, rule: Option<&Rule>, reason: Option<&str>) -> bool {
        self.layer == layer
            && match (&self.rule, rule) {
                (Some(a), Some(b)) => a.id() == b.id(),
                (None, None) => self.reason.as_deref() == reason,
                _ => false,
            }
    }
}

/// How a call is best shown to a person.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Presentation {
    /// As text.
    Plain {
        /// The text.
        text: String,
    },
    /// As code.
    Code {
        /// The language, such as `sh` or `rust`.
        language: String,
        /// The code.
        text: String,
    },
    /// As the change to a file.
    Diff {
        /// The file.
        path: String,
        /// What it says now.
        before: String,
        /// What it would say.
        after: String,
    },
}

/// Shows the kind, never the text.
impl fmt::Debug for Presentation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain { .. } => "Plain",
            Self::Code { .. } => "Code",
            Self::Diff { .. } => "Diff",
        })
    }
}

/// Shows which question it is, never what it shows.
impl fmt::Debug for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApprovalRequest")
            .field("id", &self.id)
            .field("tool", &self.tool)
            .finish_non_exhaustive()
    }
}

impl ApprovalRequest {
    pub(crate) fn new(
        id: RequestId,
        call: &ToolCall<Reviewing>,
        terms: &Terms,
        description: Option<Arc<str>>,
        presentation: Option<Presentation>,
    ) -> Self {
        let mut capabilities: Vec<_> = call.labels().iter().cloned().collect();
        capabilities.sort();
        capabilities.dedup();
        let asks = call.asks();
        Self {
            id,
            call_id: call.id().cloned(),
            tool: call.tool().clone(),
            description: match description {
                Some(words) => Words::said(&words),
                None => Words::of(call.tool(), call.args()),
            },
            args: call.args().clone(),
            suggestions: Suggestions::of(call, &asks),
            asks,
            capabilities,
            presentation,
            origin: call.origin().clone(),
            expires: terms.expires,
            editable: terms.editable,
        }
    }

    /// The same question about arguments that somebody has changed, to be looked at once more.
    ///
    /// What was said of the old arguments is left out, and only the operation itself can be
    /// remembered.
    #[must_use]
    pub fn edited(&self, args: Args) -> Self {
        let mut edited = self.clone();
        edited.description = Words::of(&self.tool, &args);
        edited.presentation = None;
        edited.suggestions = edited.suggestions.only_exact();
        for ask in &mut edited.asks {
            ask.payload = args.clone();
        }
        edited.args = args;
        edited
    }

    /// The reasons of every rule that asked, each once, with everything visible: a reason may quote
    /// arguments.
    #[must_use]
    pub fn reasons(&self) -> Vec<Cow<'_, str>> {
        let mut reasons = Vec::new();
        let given = self.asks.iter().filter_map(|ask| ask.reason.as_deref());
        for reason in given.map(visible) {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        reasons
    }
}

/// A key as it is shown: in quotes, unless it could be taken for nothing else.
fn shown_key(key: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match !key.is_empty() && key.chars().all(plain) {
        true => Cow::Borrowed(key),
        false => Cow::Owned(serde_json::Value::from(key).to_string()),
    }
}

/// What the person said.
///
/// # Example
///
/// ```
/// use toolgate::ApprovalDecision;
///
/// let yes = ApprovalDecision::approve();
/// let no = ApprovalDecision::decline().with_note("use the staging account");
/// assert!(yes.approved && !no.approved);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
#[must_use = "an answer counts only where the handler returns it"]
pub struct ApprovalDecision {
    /// Whether the call may run.
    pub approved: bool,
    /// A word for the model: why not, or a comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<Arc<str>>,
    /// Other arguments to run instead. They are judged like a new call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Args>,
    /// For how long the answer holds.
    #[serde(default)]
    pub remember: Remember,
    /// The keys of the payload that the [suggestion](Suggestion) one chose leaves out. None: the
    /// answer is remembered for exactly this operation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<Box<str>>,
    /// After which time it is forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_in: Option<Duration>,
    /// After how many uses it is forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<u32>,
    /// Whether agents that work for this one may use it.
    #[serde(default)]
    pub delegable: bool,
    /// Who answered, if the handler knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<Arc<str>>,
}

/// For how long an answer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Remember {
    /// For this call only.
    #[default]
    Once,
    /// For the rest of the session.
    Session,
    /// Until it is revoked.
    Always,
}

impl ApprovalDecision {
    /// Says yes, once.
    pub fn approve() -> Self {
        Self {
            approved: true,
            note: None,
            args: None,
            remember: Remember::Once,
            without: Vec::new(),
            expires_in: None,
            uses: None,
            delegable: false,
            by: None,
        }
    }

    /// Says no, once.
    pub fn decline() -> Self {
        Self {
            approved: false,
            ..Self::approve()
        }
    }

    /// Says yes to other arguments.
    pub fn edit(args: Args) -> Self {
        Self {
            args: Some(args),
            ..Self::approve()
        }
    }

    /// Adds a word for the model.
    pub fn with_note(mut self, note: impl Into<Arc<str>>) -> Self {
        self.note = Some(note.into());
        self
    }

    /// Sets for how long the answer holds.
    pub fn remembered(mut self, remember: Remember) -> Self {
        self.remember = remember;
        self
    }

    /// Has the answer remembered for more operations than this one: those of `suggestion`.
    pub fn suggested(mut self, suggestion: &Suggestion) -> Self {
        self.without.clone_from(&suggestion.without);
        self
    }

    /// A no has no arguments and no number of uses.
    pub(crate) fn tidy(mut self) -> Self {
        if !self.approved {
            (self.args, self.uses) = (None, None);
        }
        self
    }

    /// Whether what is to be remembered was offered.
    pub(crate) fn is_one_of(&self, offered: &Suggestions) -> bool {
        offered.permit(self.remember, &self.without)
    }

    /// Forgets the answer after a time.
    pub fn expiring_in(mut self, time: Duration) -> Self {
        self.expires_in = Some(time);
        self
    }

    /// Forgets the answer after so many uses, not counting this call.
    pub fn for_uses(mut self, uses: u32) -> Self {
        self.uses = Some(uses);
        self
    }

    /// Says who answered.
    pub fn by(mut self, principal: impl Into<Arc<str>>) -> Self {
        self.by = Some(principal.into());
        self
    }

    /// Lets agents that work for this one use it.
    pub fn delegable(mut self) -> Self {
        self.delegable = true;
        self
    }
}
