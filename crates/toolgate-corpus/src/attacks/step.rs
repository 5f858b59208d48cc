//! What happens before the call that is judged.

mod behaviour;

use std::collections::BTreeMap;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::{Map, Value, value::RawValue};

pub(super) use self::behaviour::Behaviour;
use super::{
    case::Identity,
    disk::Entry,
    generate::Generator,
    names,
    network::{Addresses, Resolved},
    policy::Spec,
    source::Source,
};
use crate::case::Invalid;

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
        #[serde(alias = "of", alias = "to")]
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
        #[serde(default)]
        allow: Vec<String>,
        #[serde(default)]
        ask: Vec<String>,
        #[serde(default)]
        deny: Vec<String>,
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
        #[serde(default, rename = "session", alias = "new_session", alias = "child")]
        _session: Option<String>,
        #[serde(default, rename = "from", alias = "of", alias = "parent")]
        _from: Option<String>,
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
        #[serde(alias = "to")]
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
        #[serde(alias = "pattern", alias = "command", alias = "tool")]
        r#match: Option<String>,
        /// Those that came of the answer to this call.
        #[serde(default, alias = "of", alias = "to")]
        id: Option<String>,
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
    SetEnv(Variables),
    Fs {
        entries: Vec<Entry>,
    },
    FsBetweenDecideAndExecute {
        entries: Vec<Entry>,
    },
    HttpRedirect {
        to: Addresses,
        #[serde(default, rename = "from")]
        _from: Option<String>,
        #[serde(default, rename = "status")]
        _status: Option<u16>,
    },
    Dns(Resolved),
    DnsRebind(Resolved),
    Register {
        servers: Vec<String>,
    },
    PinServer {
        server: String,
        tools: Vec<String>,
    },
    /// A server offers more than it did. Nobody has to be told.
    ToolAdd {
        #[serde(rename = "server")]
        _server: String,
        #[serde(rename = "tool")]
        _tool: String,
    },
    ToolRedefine {
        server: String,
        tool: String,
        /// What is another. Whatever it is, the definition is.
        #[serde(default, rename = "change")]
        _change: Option<String>,
        #[serde(default, rename = "to")]
        _to: Option<Value>,
    },
    /// Something happens to where policies come from.
    #[serde(skip)]
    Source(Source),
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

/// Variables of the environment that commands run in.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub(super) enum Variables {
    One {
        #[serde(alias = "key", alias = "var")]
        name: String,
        value: String,
    },
    Several {
        #[serde(alias = "vars", alias = "set")]
        env: BTreeMap<String, String>,
    },
    Each(BTreeMap<String, String>),
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
    pub(super) identity: Option<Identity>,
    #[serde(default)]
    pub(super) annotations: Map<String, Value>,
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
    #[serde(default, alias = "uid")]
    pub(super) client_supplied_uid: Option<u64>,
    /// The agent that answers, and over which channel, if it is not where users are.
    #[serde(default)]
    pub(super) agent: Option<String>,
    #[serde(default, alias = "origin", alias = "via")]
    pub(super) channel: Option<String>,
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

/// What a hook says.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Returns {
    Word(Word),
    Object(Hooked),
    /// Something that is no answer.
    Malformed(IgnoredAny),
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

/// Reads all steps. One that is not known is an error.
pub(super) fn read(steps: &[Box<RawValue>]) -> Result<Vec<Step>, Invalid> {
    let read = |step: &RawValue| {
        let value: Value = serde_json::from_str(&names::replaced(step.get()))?;
        let word = value.get("do").and_then(Value::as_str).unwrap_or_default();
        let step = match Source::is_word(word) {
            true => Source::deserialize(&value).map(Step::Source),
            false => Step::deserialize(&value),
        };
        match step {
            Err(_) if is_crash(&value, word) => Ok(Step::CrashBeforeExecute {}),
            other => other.map_err(|error| Invalid::new(format!("the step `{word}`: {error}"))),
        }
    };
    steps.iter().map(|step| read(step)).collect()
}

/// Whether everything stops, at a moment that has no name of its own here.
fn is_crash(step: &Value, word: &str) -> bool {
    let alone = step.as_object().is_some_and(|step| step.len() == 1);
    alone && word.starts_with("crash_")
}
