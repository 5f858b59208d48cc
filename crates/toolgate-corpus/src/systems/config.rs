//! Per-tool configuration of the Python systems.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use toolgate::{Capability, ToolConfig, ToolRules};

use crate::fault::Fault;

/// What the configuration says of each tool.
pub(super) type Config = BTreeMap<String, Entry>;

/// One entry. What permits has to be true or false, as in Toolgate's own.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    #[serde(default)]
    pre_approved: Option<Value>,
    #[serde(default)]
    blocked: Option<Value>,
    #[serde(default)]
    block_reason: Option<String>,
    #[serde(default)]
    capabilities: Option<Value>,
    /// A slip of the pen, which the source overlooks: the entry then says nothing.
    #[serde(default, rename = "preapproved")]
    _preapproved: Option<Value>,
}

impl Entry {
    /// Whether it says something that is neither true nor false.
    pub(super) fn is_odd(&self) -> bool {
        let odd = |value: &Option<Value>| value.as_ref().is_some_and(|value| !value.is_boolean());
        odd(&self.pre_approved) || odd(&self.blocked)
    }

    fn read(&self) -> Result<ToolConfig, Fault> {
        if self.is_odd() {
            return Err(Fault::raised("TypeError", "expected true or false"));
        }
        let is_true = |value: &Option<Value>| *value == Some(Value::Bool(true));
        let config = if is_true(&self.blocked) {
            let reason = self.block_reason.as_deref();
            ToolConfig::blocked().because(reason.unwrap_or("Blocked by approval policy"))
        } else if is_true(&self.pre_approved) {
            ToolConfig::pre_approved()
        } else {
            ToolConfig::undecided()
        };
        let labels = self.capabilities.as_ref().map(capabilities);
        Ok(config.with_capabilities(labels.transpose()?.unwrap_or_default()))
    }
}

/// Makes rules of the configuration.
pub(super) fn rules(config: Option<&Config>) -> Result<ToolRules, Fault> {
    let entries: Result<Vec<_>, _> = config
        .into_iter()
        .flatten()
        .map(|(tool, entry)| entry.read().map(|config| (tool.as_str(), config)))
        .collect();
    ToolRules::new(entries?).map_err(|error| Fault::raised("ValueError", error.to_string()))
}

/// Reads one capability, or a list of them.
pub(super) fn capabilities(value: &Value) -> Result<Vec<Capability>, Fault> {
    match value {
        Value::String(name) => Ok(vec![capability(name)?]),
        other => capability_list(other),
    }
}

/// Reads a list of capabilities. Anything else is an error.
pub(super) fn capability_list(value: &Value) -> Result<Vec<Capability>, Fault> {
    let Value::Array(items) = value else {
        return Err(Fault::NotAList(class(value)));
    };
    let names = items.iter().map(|item| match item {
        Value::String(name) => capability(name),
        other => Err(Fault::NotAList(class(other))),
    });
    names.collect()
}

fn capability(name: &str) -> Result<Capability, Fault> {
    name.parse()
        .map_err(|error: toolgate::CapabilityError| Fault::raised("ValueError", error.to_string()))
}

/// What Python calls the type of a value.
fn class(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float",
        Value::Number(_) => "int",
        Value::String(_) => "str",
        Value::Array(_) => "list",
        Value::Object(_) => "dict",
    }
}
