//! Every field that a case can expect something of.

use serde_json::Value;

/// How a field is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// Exactly.
    Equal,
    /// As one of the outcomes that it names.
    Outcome,
    /// As a part of the reason.
    PartOfReason,
    /// By its words; a name that the case does not hold can be any.
    Message,
    /// Each by what is said of it.
    Prompts,
    /// By who was heard before the tool, and whether it ran.
    Trace,
    /// Each by what is said of it, or exactly.
    Remembered,
    /// By the names of the events.
    Events,
    /// Not at all, because of this.
    Recorded(&'static str),
}

/// What can stand in a field, whether or not it is compared.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    /// True or false.
    Flag,
    /// A number.
    Number,
    /// Any text.
    Text,
    /// Any text, or nothing.
    MaybeText,
    /// One of these words, or one that begins like one that ends in a colon.
    Word(&'static [&'static str]),
    /// A list of such words.
    Words(&'static [&'static str]),
    /// A list of events by name, with what they say in parentheses.
    Events(&'static [&'static str]),
    /// A list of any texts.
    Texts,
    /// A list of things of which these can be said.
    Parts(&'static [&'static str]),
    /// What is remembered: a list of things, or choices by name.
    Remembered,
    /// An object.
    Object,
    /// Anything.
    Any,
}

/// Every field, how it is compared, and what can stand there.
const FIELDS: &[(&str, How, Shape)] = &[
    ("args", How::Equal, Shape::Object),
    ("blocked", How::Equal, Shape::Texts),
    ("capabilities", How::Equal, Shape::Texts),
    ("choices_offered", How::Equal, Shape::Words(CHOICES)),
    (
        "controller_memory_after",
        How::Remembered,
        Shape::Remembered,
    ),
    ("decision", How::Equal, Shape::Word(DECISIONS)),
    ("delivered", How::Equal, Shape::Flag),
    ("error_type", How::Equal, Shape::Text),
    ("events", How::Events, Shape::Events(EVENTS)),
    ("executed", How::Equal, Shape::Texts),
    ("executed_tools", How::Equal, Shape::Texts),
    ("interrupted", How::Equal, Shape::Flag),
    ("is_denial", How::Equal, Shape::Flag),
    ("kind", How::Equal, Shape::Word(&["invalid_arguments"])),
    ("max_concurrent_prompts", How::Equal, Shape::Number),
    ("memory_after", How::Remembered, Shape::Remembered),
    ("memory_is_shared", How::Recorded(SHARED), Shape::Flag),
    ("message", How::Message, Shape::Text),
    ("model_saw", How::Equal, Shape::Texts),
    ("new_limit", How::Equal, Shape::Number),
    ("note", How::Recorded("words about the case"), Shape::Text),
    ("outcome", How::Outcome, Shape::Text),
    ("prompt_count", How::Equal, Shape::Number),
    ("prompts", How::Prompts, Shape::Parts(PROMPT)),
    ("prompts_in_order", How::Equal, Shape::Texts),
    ("reason", How::Equal, Shape::MaybeText),
    ("reason_contains", How::PartOfReason, Shape::Text),
    ("result", How::Equal, Shape::Any),
    ("result_to_model", How::Equal, Shape::Any),
    ("run", How::Equal, Shape::Word(RUNS)),
    ("second_delivered", How::Equal, Shape::Flag),
    ("terminated", How::Equal, Shape::Flag),
    ("tool_ran", How::Equal, Shape::Flag),
    ("tools_visible_middleware_agent", How::Equal, Shape::Texts),
    ("tools_visible_plain_agent", How::Equal, Shape::Texts),
    ("total_cost", How::Equal, Shape::Number),
    ("trace", How::Trace, Shape::Words(HOOKS)),
    ("when", How::Recorded(BUILT), Shape::Word(&["construction"])),
    ("wrapped", How::Equal, Shape::Flag),
];

/// Why it is not compared whether a memory is shared.
const SHARED: &str = "a handle to a memory is always shared, even while it is empty";
/// Why it is not compared when a call is refused.
const BUILT: &str = "a stack is built without looking at the call, which is then refused";

/// What somebody can be offered.
const CHOICES: &[&str] = &[
    "allow_once",
    "always_allow",
    "always_deny",
    "deny_once",
    "feedback",
];
/// What policies can decide.
const DECISIONS: &[&str] = &["allow", "ask", "deny", "error:", "unguarded"];
/// What can be announced.
const EVENTS: &[&str] = &[
    "PermissionApprovedEvent",
    "PermissionDeniedEvent",
    "PermissionRequestEvent",
];
/// What can be heard.
const HOOKS: &[&str] = &["after:", "before:", "error:"];
/// What can become of a run.
const RUNS: &[&str] = &["aborted", "completed", "continues", "interrupted"];

/// What can be said of a prompt.
const PROMPT: &[&str] = &[
    "args",
    "call_id",
    "description",
    "function",
    "id",
    "iteration_shown",
    "limit",
    "reason",
    "source",
    "tool",
];

/// What is said of a prompt, and not compared.
pub(crate) const OF_PROMPTS: &[(&str, &str)] = &[(
    "source",
    "the class that asks is a constant of the source system",
)];

/// What can be said of something that is remembered.
const KEPT: &[(&str, Shape)] = &[
    ("approved", Shape::Flag),
    ("args_json", Shape::Text),
    ("behavior", Shape::Word(&["allow", "deny"])),
    ("match", Shape::Word(&["exact", "prefix"])),
    ("pattern", Shape::Text),
    ("remember", Shape::Word(&["none", "session"])),
    ("tool", Shape::Text),
];

/// What can be remembered of a function.
const KEPT_CHOICES: &[&str] = &["Allow", "AlwaysAllow", "AlwaysDeny", "Ask", "Deny"];

/// How a field is compared, if it is known.
pub(crate) fn how(field: &str) -> Option<How> {
    let found = FIELDS.iter().find(|(name, ..)| *name == field);
    found.map(|(_, how, _)| *how)
}

/// Whether `value` can stand in a field.
pub(super) fn fits(field: &str, value: &Value) -> bool {
    let found = FIELDS.iter().find(|(name, ..)| *name == field);
    found.is_some_and(|(.., shape)| shape.fits(value))
}

impl Shape {
    fn fits(self, value: &Value) -> bool {
        let all = |fits: &dyn Fn(&Value) -> bool| {
            value.as_array().is_some_and(|items| items.iter().all(fits))
        };
        match self {
            Self::Flag => value.is_boolean(),
            Self::Number => value.is_number(),
            Self::Text => value.is_string(),
            Self::MaybeText => value.is_string() || value.is_null(),
            Self::Word(words) => is_word(value, words),
            Self::Words(words) => all(&|item| is_word(item, words)),
            Self::Events(names) => all(&|item| {
                let name = item.as_str().and_then(|event| event.split('(').next());
                name.is_some_and(|name| names.contains(&name))
            }),
            Self::Texts => all(&Value::is_string),
            Self::Parts(known) => all(&|item| {
                item.as_object()
                    .is_some_and(|part| part.keys().all(|name| known.contains(&&**name)))
            }),
            Self::Remembered => match value {
                Value::Object(choices) => choices.values().all(|c| is_word(c, KEPT_CHOICES)),
                _ => all(&is_kept),
            },
            Self::Object => value.is_object(),
            Self::Any => true,
        }
    }
}

fn is_word(value: &Value, words: &[&str]) -> bool {
    let is = |text: &str, word: &&str| match word.strip_suffix(':') {
        Some(_) => text.starts_with(*word) && text.len() > word.len(),
        None => text == *word,
    };
    value
        .as_str()
        .is_some_and(|text| words.iter().any(|word| is(text, word)))
}

fn is_kept(value: &Value) -> bool {
    let fits = |(name, value): (&String, &Value)| {
        let known = KEPT.iter().find(|(known, _)| known == name);
        known.is_some_and(|(_, shape)| shape.fits(value))
    };
    value.as_object().is_some_and(|kept| kept.iter().all(fits))
}
