//! What happens before the call that is judged.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{generate::Generator, rules::Spec};
use crate::{Missing, case::Invalid};

/// One thing that happens.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Step {
    Call(Box<Made>),
    Respond(Box<Respond>),
    /// An answer that is whatever it is.
    RespondRaw {
        to: String,
        #[serde(default)]
        session: Option<String>,
        decision: Value,
    },
    RespondFirstPending {
        decision: Decision,
    },
    Cancel {
        id: String,
    },
    DropFuture {
        id: String,
    },
    Execute {
        id: String,
        #[serde(default)]
        args: Option<Value>,
    },
    Executed {
        id: String,
    },
    ExecutionFailed {
        id: String,
    },
    Advance {
        ms: Wait,
    },
    ClockJump {
        #[serde(rename = "ms")]
        _ms: i64,
    },
    SuspendResume {
        ms: u64,
    },
    Concurrent {
        steps: Vec<Step>,
    },
    Repeat {
        n: usize,
        step: Box<Step>,
    },
    ReloadPolicy {
        policy: Spec,
    },
    ManagedPolicy {
        allow: Vec<String>,
    },
    Policy {
        agent: String,
        policy: Spec,
    },
    Restart {},
    StartSession {
        #[serde(rename = "session")]
        _session: String,
    },
    EndSession {
        session: String,
    },
    Fork {
        #[serde(default, rename = "session", alias = "from", alias = "of")]
        _session: Option<String>,
        #[serde(default, rename = "to", alias = "as", alias = "into")]
        _to: Option<String>,
    },
    Spawn {
        agent: String,
        #[serde(default)]
        policy: Option<Spec>,
        #[serde(default, rename = "via")]
        _via: Option<String>,
        #[serde(default)]
        depth: Option<usize>,
    },
    SpawnNamed {
        agent: String,
        deny_rule: String,
    },
    BackgroundSubagent {},
    WhileRunning {
        agent: String,
    },
    Handler {
        behaviour: Behaviour,
    },
    Checker {
        behaviour: Behaviour,
    },
    HandlerDisconnect {},
    Hook {
        returns: Returns,
    },
    HookRewrite {
        args: Value,
        #[serde(default, rename = "of")]
        _of: Option<String>,
    },
    DropService {},
    RuntimeShutdown {},
    PollReadyError {},
    CrashBeforeExecute {},
    CrashDuringExecute {},
    CrashAfterExecute {},
    CrashDuringStoreWrite {},
    CorruptStore {},
    StoreVersion {
        version: u64,
    },
    DiskFull {},
    Revoke {
        r#match: String,
    },
    MutateBetweenDecideAndExecute {
        of: String,
        args: Value,
    },
    Reprompt {
        of: String,
        args: Value,
    },
    ResubmitOnTimeout {
        n: usize,
    },
    SetCwd {
        cwd: String,
    },
    // Words that reach nobody who could answer: an answer comes through the broker or not at all.
    Message {
        #[serde(rename = "from")]
        _from: String,
        #[serde(rename = "to")]
        _to: String,
        #[serde(rename = "text")]
        _text: String,
    },
    ToolOutput {
        #[serde(rename = "text")]
        _text: String,
    },
    ScheduledMessage {
        #[serde(rename = "text")]
        _text: String,
    },
    RelayedMessage {
        #[serde(rename = "from")]
        _from: String,
        #[serde(rename = "text")]
        _text: String,
    },
    Skill {
        #[serde(rename = "allowed_tools")]
        _allowed_tools: Vec<String>,
    },
    AgentIdentityClaim {
        #[serde(rename = "agent")]
        _agent: String,
    },
}

/// A call that is made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Made {
    pub(super) id: String,
    pub(super) tool: String,
    #[serde(default)]
    pub(super) args: Option<Value>,
    #[serde(default)]
    pub(super) args_raw: Option<String>,
    #[serde(default)]
    pub(super) args_gen: Option<Generator>,
    #[serde(default)]
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) agent: Option<String>,
    #[serde(default)]
    pub(super) user: Option<String>,
    #[serde(default)]
    pub(super) project: Option<String>,
    #[serde(default)]
    pub(super) call_id: Option<String>,
    #[serde(default)]
    pub(super) timeout_ms: Option<u64>,
    #[serde(default)]
    pub(super) expect: Option<super::case::Must>,
}

/// An answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Respond {
    pub(super) to: String,
    pub(super) decision: Decision,
    #[serde(default)]
    pub(super) session: Option<String>,
    #[serde(default)]
    pub(super) user: Option<String>,
    #[serde(default)]
    pub(super) principal: Option<String>,
    #[serde(default)]
    pub(super) tenant: Option<String>,
    #[serde(default)]
    pub(super) client_supplied_uid: Option<u64>,
    #[serde(default)]
    pub(super) args: Option<Value>,
    #[serde(default)]
    pub(super) tool: Option<String>,
    #[serde(default)]
    pub(super) ttl_ms: Option<u64>,
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Decision {
    AllowOnce,
    AllowSession,
    AllowAlways,
    Deny,
    DenyAlways,
}

/// How long something takes: milliseconds, or the time that somebody has to answer, give or take.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Wait {
    Millis(u64),
    Text(String),
}

/// What whoever decides does instead of deciding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Behaviour {
    /// It decides.
    #[default]
    #[serde(skip)]
    Decides,
    Panic,
    Error,
    Hang,
    DropSender,
    Killed,
    Timeout,
    Missing,
    MalformedOutput,
    Absent,
    #[serde(rename = "exit_code_1")]
    ExitCode,
    InspectorError,
    MalformedInputRender,
    TwoAnswers,
}

/// What a hook says.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Returns {
    Word(Word),
    Object(Hooked),
}

/// What a hook says, with details.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hooked {
    #[serde(default)]
    pub(super) decision: Option<Word>,
    #[serde(default, rename = "updatedInput")]
    pub(super) updated_input: Option<Value>,
}

/// What a hook decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Word {
    Allow,
    Ask,
    Deny,
}

/// Steps that need a part which is not built yet.
const MISSING: &[(&str, Missing)] = &[
    ("dns", Missing::Hosts),
    ("dns_rebind", Missing::Hosts),
    ("fs", Missing::Paths),
    ("fs_between_decide_and_execute", Missing::Paths),
    ("http_redirect", Missing::Hosts),
    ("pin_server", Missing::ToolIdentity),
    ("register", Missing::ToolIdentity),
    ("set_env", Missing::Shell),
    ("tool_add", Missing::ToolIdentity),
    ("tool_redefine", Missing::ToolIdentity),
];

/// Reads all steps, or says which part is missing.
pub(super) fn read(steps: &[Box<RawValue>]) -> Result<Result<Vec<Step>, Missing>, Invalid> {
    let mut read = Vec::new();
    for step in steps {
        let value: Value = serde_json::from_str(step.get())?;
        let word = value.get("do").and_then(Value::as_str);
        let missing = MISSING.iter().find(|(name, _)| Some(*name) == word);
        if let Some((_, missing)) = missing {
            return Ok(Err(*missing));
        }
        let step = Step::deserialize(&value);
        read.push(step.map_err(|error| {
            Invalid::new(format!("the step `{}`: {error}", word.unwrap_or_default()))
        })?);
    }
    Ok(Ok(read))
}
