//! A case as it is written.

use std::fmt;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value, value::RawValue};
use toolgate::{Args, Origin, ToolCall};

use crate::{
    expectation::{self, Expectation},
    python::{Python, Signature},
};

/// What a case says by name, apart from what its system reads itself.
pub(crate) type Fields = Map<String, Value>;

/// A case that cannot be understood. It has failed.
#[derive(Debug)]
pub(crate) struct Invalid(String);

impl Invalid {
    /// Says what cannot be understood.
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot be understood: {}", self.0)
    }
}

impl From<std::io::Error> for Invalid {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<serde_json::Error> for Invalid {
    fn from(error: serde_json::Error) -> Self {
        Self(error.to_string())
    }
}

/// One line of the file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    #[serde(rename = "id")]
    _id: String,
    pub(crate) system: String,
    given: Box<RawValue>,
    #[serde(default)]
    pub(crate) call: Option<Call>,
    #[serde(default)]
    pub(crate) steps: Option<Vec<Step>>,
    #[serde(default)]
    pub(crate) expect: Option<Fields>,
    #[serde(default)]
    pub(crate) recommended: Option<Fields>,
    #[serde(default)]
    pub(crate) hazard: Option<String>,
    // What a case says of itself. Nothing depends on it.
    #[serde(rename = "tier")]
    _tier: Tier,
    #[serde(rename = "source")]
    _source: String,
    #[serde(rename = "category")]
    _category: String,
    #[serde(rename = "observed")]
    _observed: bool,
    #[serde(default, rename = "note")]
    _note: Option<String>,
}

/// How important a case is.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Tier {
    Core,
    Extended,
}

/// One step of a case that has several.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    #[serde(default)]
    call: Option<Call>,
    #[serde(default)]
    op: Option<String>,
    #[serde(default)]
    handler: Option<Box<RawValue>>,
    #[serde(default)]
    pub(crate) expect: Option<Fields>,
}

/// A call in any of the forms that cases have for it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names of the file")]
pub(crate) struct Call {
    #[serde(default)]
    pub(crate) tool: Option<String>,
    #[serde(default)]
    pub(crate) args: Option<Python>,
    #[serde(default)]
    pub(crate) call_id: Option<String>,
    #[serde(default)]
    pub(crate) batch: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) run: Option<String>,
    #[serde(default)]
    pub(crate) iteration: Option<u64>,
}

/// A call of one tool.
#[derive(Clone, Debug)]
pub(crate) struct ToolUse {
    pub(crate) tool: String,
    pub(crate) args: Args,
    /// The arguments in the order in which they are written.
    pub(crate) written: Python,
    pub(crate) call_id: Option<String>,
    /// The turn of the session, where that matters.
    pub(crate) turn: Option<String>,
}

impl ToolUse {
    /// A call of a tool with these arguments.
    pub(crate) fn new(tool: &str, args: Args, written: Python) -> Self {
        Self {
            tool: tool.to_owned(),
            args,
            written,
            call_id: None,
            turn: None,
        }
    }

    /// The call as Toolgate takes it.
    pub(crate) fn to_call(&self) -> ToolCall {
        let mut call = ToolCall::new(&*self.tool, self.args.clone());
        if let Some(turn) = &self.turn {
            call = call.with_origin(Origin::new().with_turn(&**turn));
        }
        match &self.call_id {
            Some(id) => call.with_id(&**id),
            None => call,
        }
    }

    /// The call as Python programs like to show it.
    pub(crate) fn signature(&self) -> String {
        Signature(&self.tool, &self.written).to_string()
    }
}

impl Call {
    /// The call of one tool that this is.
    pub(crate) fn tool_use(&self) -> Result<ToolUse, Invalid> {
        if self.batch.is_some() || self.run.is_some() || self.iteration.is_some() {
            return Err(Invalid::new("the call is not one of a single tool"));
        }
        let (Some(tool), Some(written)) = (&self.tool, &self.args) else {
            return Err(Invalid::new("the call has no `tool` or no `args`"));
        };
        Ok(ToolUse {
            call_id: self.call_id.clone(),
            ..ToolUse::new(tool, to_args(written)?, written.clone())
        })
    }
}

/// The arguments that a case writes.
pub(crate) fn to_args(written: &Python) -> Result<Args, Invalid> {
    let args = written.to_args();
    args.ok_or_else(|| Invalid::new("`args` is not an object"))
}

/// One thing that is done in a case, and what is expected of it.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    /// Where it stands in the case, for messages.
    pub(crate) place: String,
    pub(crate) act: Act,
    handler: Option<&'a RawValue>,
    pub(crate) expectation: Expectation,
}

/// What is done.
#[derive(Debug)]
pub(crate) enum Act {
    /// A tool is called.
    Call(ToolUse),
    /// Something else happens.
    Op(Op),
}

/// What can happen between calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Everything that is remembered is forgotten.
    Clear,
    /// The model is asked again.
    NextIteration,
}

impl Op {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "clear_session_approvals" => Some(Self::Clear),
            "next_iteration" => Some(Self::NextIteration),
            _ => None,
        }
    }
}

impl Turn<'_> {
    /// What the step says of whoever is asked.
    pub(crate) fn handler<T: DeserializeOwned>(&self) -> Result<Option<T>, Invalid> {
        let handler = self.handler.map(|raw| serde_json::from_str(raw.get()));
        Ok(handler.transpose()?)
    }
}

impl Case {
    /// Reads what is given, as its system writes it.
    pub(crate) fn given<T: DeserializeOwned>(&self) -> Result<T, Invalid> {
        serde_json::from_str(self.given.get())
            .map_err(|error| Invalid::new(format!("`given`: {error}")))
    }

    /// Whether something of this name is given.
    pub(crate) fn gives(&self, name: &str) -> bool {
        let given: Result<Fields, _> = serde_json::from_str(self.given.get());
        given.is_ok_and(|given| given.contains_key(name))
    }

    /// Whether the case marks a hazard, and says why it is one without saying what would be safe.
    pub(crate) fn only_says_why(&self) -> bool {
        let only_why = |recommended: &Fields| recommended.keys().eq(["why"]);
        self.hazard.is_some() && self.recommended.as_ref().is_some_and(only_why)
    }

    /// Whether the case says what is safer than what was observed.
    pub(crate) fn is_corrected(&self) -> bool {
        self.recommended.is_some()
    }

    /// What is done in the case, in order. `ops` are the things that can happen between calls.
    pub(crate) fn turns(&self, ops: &[Op]) -> Result<Vec<Turn<'_>>, Invalid> {
        match (&self.call, &self.steps) {
            (Some(_), None) => {
                let (call, expectation) = self.only_call()?;
                Ok(vec![Turn {
                    place: String::new(),
                    act: Act::Call(call),
                    handler: None,
                    expectation,
                }])
            }
            (None, Some(steps)) => steps
                .iter()
                .enumerate()
                .map(|(index, step)| self.turn(index, step, ops))
                .collect(),
            _ => Err(Invalid::new("a case has either `call` or `steps`")),
        }
    }

    fn turn<'a>(&'a self, index: usize, step: &'a Step, ops: &[Op]) -> Result<Turn<'a>, Invalid> {
        let act = match (&step.call, step.op.as_deref(), &step.handler) {
            (Some(call), None, _) => Act::Call(call.tool_use()?),
            (None, Some(word), None) => match Op::parse(word).filter(|op| ops.contains(op)) {
                Some(op) => Act::Op(op),
                None => return Err(Invalid::new(format!("unknown op `{word}`"))),
            },
            _ => return Err(Invalid::new("a step has either `call` or `op`")),
        };
        Ok(Turn {
            place: format!("step {}: ", index + 1),
            act,
            handler: step.handler.as_deref(),
            expectation: expectation::of_step(self, index)?,
        })
    }

    /// The only call of a case without steps, and what is expected of it.
    pub(crate) fn only_call(&self) -> Result<(ToolUse, Expectation), Invalid> {
        match (&self.call, &self.steps) {
            (Some(call), None) => Ok((call.tool_use()?, expectation::of_call(self)?)),
            _ => Err(Invalid::new("a case of this system has one `call`")),
        }
    }

    /// Whether step `index` is the last that calls a tool.
    pub(crate) fn is_last_call(&self, index: usize) -> bool {
        let steps = self.steps.as_deref().unwrap_or_default();
        let last = steps.iter().rposition(|step| step.call.is_some());
        last == Some(index)
    }
}
