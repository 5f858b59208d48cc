//! What one rule says of one call.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{Args, Presentation};

/// The three things that a vote can say, in order of severity: combining votes is `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Let it run, as far as this rule is concerned.
    Allow,
    /// Ask somebody first.
    Ask,
    /// Never.
    Deny,
}

/// What a rule is known by, and where it is written.
///
/// An answer and a grant cover the rules they name, by id: give rules ids that stay.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Rule(Arc<RuleFields>);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFields {
    id: Box<str>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Box<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<RuleSource>,
}

/// The place in a file where a rule is written. Lines and columns count from one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSource {
    /// The file.
    pub file: Box<str>,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for RuleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

impl Rule {
    /// Names a rule.
    pub fn new(id: impl Into<Box<str>>) -> Self {
        Self(Arc::new(RuleFields {
            id: id.into(),
            text: None,
            source: None,
        }))
    }

    /// Adds the rule as it is written.
    #[must_use]
    pub fn with_text(mut self, text: impl Into<Box<str>>) -> Self {
        Arc::make_mut(&mut self.0).text = Some(text.into());
        self
    }

    /// Adds where the rule is written.
    #[must_use]
    pub fn with_source(mut self, source: RuleSource) -> Self {
        Arc::make_mut(&mut self.0).source = Some(source);
        self
    }

    /// What the rule is known by.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.0.id
    }

    /// The rule as it is written, if known.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.0.text.as_deref()
    }

    /// Where the rule is written, if known.
    #[must_use]
    pub fn source(&self) -> Option<&RuleSource> {
        self.0.source.as_ref()
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

/// What one rule says of one call.
///
/// # Example
///
/// ```
/// use toolgate::{Effect, Rule, Vote};
///
/// let vote = Vote::ask("sends mail outside the company").by(Rule::new("external-mail"));
/// assert_eq!(vote.effect(), Effect::Ask);
/// ```
#[derive(Clone, Debug)]
#[must_use = "a vote counts only where a policy returns it"]
pub struct Vote {
    effect: Effect,
    rule: Option<Rule>,
    reason: Option<Arc<str>>,
    request: Option<Box<RequestParts>>,
}

/// What an ask contributes to the question.
#[derive(Clone, Default)]
pub(crate) struct RequestParts {
    pub(crate) subject: Option<Arc<str>>,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) payload: Option<Args>,
    pub(crate) presentation: Option<Presentation>,
    /// Whether a parent agent asks through this vote. Then no mode of its child answers.
    pub(crate) of_parent: bool,
}

/// Shows nothing: every part may have arguments in it.
impl fmt::Debug for RequestParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestParts").finish_non_exhaustive()
    }
}

impl Vote {
    /// Votes to let the call run.
    pub fn allow() -> Self {
        Self {
            effect: Effect::Allow,
            rule: None,
            reason: None,
            request: None,
        }
    }

    /// Votes to ask somebody first.
    pub fn ask(reason: impl Into<Arc<str>>) -> Self {
        Self {
            effect: Effect::Ask,
            reason: Some(reason.into()),
            ..Self::allow()
        }
    }

    /// Votes to refuse the call, whatever anybody else says.
    pub fn deny(reason: impl Into<Arc<str>>) -> Self {
        Self {
            effect: Effect::Deny,
            reason: Some(reason.into()),
            ..Self::allow()
        }
    }

    /// Names the rule that says so.
    pub fn by(mut self, rule: Rule) -> Self {
        self.rule = Some(rule);
        self
    }

    pub(crate) fn set_rule(&mut self, rule: Rule) {
        self.rule = Some(rule);
    }

    /// Sets the name under which the person who is asked sees the operation.
    pub fn with_subject(mut self, subject: impl Into<Arc<str>>) -> Self {
        self.request_mut().subject = Some(subject.into());
        self
    }

    /// Sets the sentence that the person who is asked reads first.
    pub fn with_description(mut self, description: impl Into<Arc<str>>) -> Self {
        self.request_mut().description = Some(description.into());
        self
    }

    /// Sets what identifies the operation when the answer is remembered.
    pub fn with_payload(mut self, payload: Args) -> Self {
        self.request_mut().payload = Some(payload);
        self
    }

    /// Sets how the call is best shown.
    pub fn with_presentation(mut self, presentation: Presentation) -> Self {
        self.request_mut().presentation = Some(presentation);
        self
    }

    /// Says that a parent agent asks.
    pub(crate) fn of_parent(mut self) -> Self {
        self.request_mut().of_parent = true;
        self
    }

    /// What the vote says.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect
    }

    /// The rule that says so, if it has a name.
    #[must_use]
    pub fn rule(&self) -> Option<&Rule> {
        self.rule.as_ref()
    }

    /// Why.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    pub(crate) fn shared_reason(&self) -> Option<Arc<str>> {
        self.reason.clone()
    }

    pub(crate) fn request(&self) -> Option<&RequestParts> {
        self.request.as_deref()
    }

    fn request_mut(&mut self) -> &mut RequestParts {
        self.request.get_or_insert_default()
    }
}
