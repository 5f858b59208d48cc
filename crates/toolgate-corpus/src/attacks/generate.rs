//! Arguments that are too large to be written down, or that cannot be written at all.

use serde::Deserialize;
use serde_json::{Value, json};

/// How arguments are made.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Generator {
    Repeat {
        key: String,
        #[serde(default)]
        prefix: String,
        unit: String,
        count: usize,
        #[serde(default)]
        suffix: String,
    },
    Nest {
        open: String,
        close: String,
        count: usize,
    },
    Keys {
        count: usize,
    },
    Number {
        digits: Digits,
    },
    RegexBomb {
        pattern: String,
        input: String,
    },
    GlobBomb {
        pattern: String,
        input: String,
    },
    UnicodeExpand {
        char: String,
        count: usize,
    },
    /// Something whose serialisation fails. The number tells several apart.
    Unserialisable {
        #[serde(default, rename = "n")]
        _n: u64,
    },
}

/// The digits of a number, or how many there are.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Digits {
    Count(usize),
    Text(String),
}

/// What comes of it.
#[derive(Clone, Debug)]
pub(super) enum Made {
    /// The text of arguments, to be parsed like any other.
    Text(String),
    /// A rule, and the name of a tool to hold against it.
    Rule { pattern: String, input: String },
    /// Nothing: there can be no such arguments.
    Impossible,
}

impl Generator {
    /// Makes the arguments.
    pub(super) fn make(&self) -> Made {
        Made::Text(match self {
            Self::Repeat {
                key,
                prefix,
                unit,
                count,
                suffix,
            } => {
                let text = format!("{prefix}{}{suffix}", unit.repeat(*count));
                json!({ key: text }).to_string()
            }
            Self::Nest { open, close, count } => {
                let (open, close) = (open.repeat(*count), close.repeat(*count));
                format!("{{\"command\":{open}1{close}}}")
            }
            Self::Keys { count } => {
                let keys = (0..*count).map(|index| format!(",\"k{index}\":0"));
                format!("{{\"command\":\"ls\"{}}}", keys.collect::<String>())
            }
            Self::Number { digits } => {
                let digits = match digits {
                    Digits::Count(count) => "9".repeat(*count),
                    Digits::Text(text) => text.clone(),
                };
                format!("{{\"command\":\"ls\",\"n\":{digits}}}")
            }
            Self::UnicodeExpand { char, count } => {
                json!({"command": format!("ls {}", char.repeat(*count))}).to_string()
            }
            Self::RegexBomb { pattern, input } | Self::GlobBomb { pattern, input } => {
                let (pattern, input) = (pattern.clone(), input.clone());
                return Made::Rule { pattern, input };
            }
            Self::Unserialisable { .. } => match unserialisable() {
                Ok(value) => value.to_string(),
                Err(_) => return Made::Impossible,
            },
        })
    }

    /// Whether there can be no such arguments. Then refusing is as good as asking.
    pub(super) fn is_unserialisable(&self) -> bool {
        matches!(self, Self::Unserialisable { .. })
    }
}

/// An object whose keys cannot be written as JSON.
fn unserialisable() -> Result<Value, serde_json::Error> {
    let keys = std::collections::BTreeMap::from([(vec![1_u8], 1)]);
    serde_json::to_value(keys)
}
