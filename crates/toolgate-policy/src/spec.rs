//! A policy as it is written: one set of types for TOML, JSON and YAML.

use std::{fmt, time::Duration};

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::{Located, Place, diagnostic::Sources};

/// A policy as it is written, or one of its `[env.NAME]` sections.
#[derive(Clone, Default)]
pub(crate) struct PolicySpec {
    /// The version of the format; only 1 is known.
    pub(crate) version: Option<Located<u32>>,
    /// What holds where no rule speaks; missing means ask.
    pub(crate) default: Option<Located<DefaultSpec>>,
    /// Has to be there for `default = "allow"`.
    pub(crate) dangerous_default_allow: Option<Located<bool>>,
    /// Has to be there for the pattern `*` among what is allowed.
    pub(crate) dangerous_allow_all: Option<Located<bool>>,
    /// In an environment: ids of rules of the base that do not hold here.
    pub(crate) dangerous_lift: Vec<Located<String>>,
    /// In an environment: has to be there for settings that are looser than those of the base.
    pub(crate) dangerous_loosen: Option<Located<bool>>,
    pub(crate) mode: Option<Located<ModeSpec>>,
    /// How long somebody may think, such as `"5m"` or `"90s"`.
    pub(crate) deadline: Option<Located<Duration>>,
    /// The directory that relative patterns are relative to.
    pub(crate) workspace: Option<Located<String>>,
    /// Whether the file system tells capital letters apart; missing means that it does.
    pub(crate) fs: Option<Located<FileSystemSpec>>,
    /// Missing means the built-in list.
    pub(crate) protected: Option<Located<ProtectedSpec>>,
    /// The tools there are. Any other name is denied.
    pub(crate) registry: Option<Vec<Located<String>>>,
    /// The servers whose tools may be called at all.
    pub(crate) allowed_servers: Option<Vec<Located<String>>>,
    /// The servers whose hints are believed.
    pub(crate) trusted_servers: Vec<Located<String>>,
    /// Allows tools of trusted servers that say that they only read.
    pub(crate) auto_allow_read_only: Option<Located<bool>>,
    /// Values that must not leave.
    pub(crate) secrets: Vec<Located<String>>,
    pub(crate) shell: Option<ShellSpec>,
    pub(crate) read: Option<PathSpec>,
    pub(crate) write: Option<PathSpec>,
    pub(crate) fetch: Option<FetchSpec>,
    pub(crate) capabilities: Option<RuleLists>,
    pub(crate) tools: Option<ToolsSpec>,
    /// `[env.NAME]`, in the order of the file. They have no environments of their own.
    pub(crate) env: Vec<(Located<String>, Self)>,
    /// The texts that the places in here point into.
    pub(crate) sources: Sources,
}

impl fmt::Debug for PolicySpec {
    /// Leaves out what is secret, and what is long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicySpec")
            .field("default", &self.default)
            .field("mode", &self.mode)
            .field("workspace", &self.workspace)
            .field("shell", &self.shell)
            .field("read", &self.read)
            .field("write", &self.write)
            .field("fetch", &self.fetch)
            .field("capabilities", &self.capabilities)
            .field("tools", &self.tools)
            .field("env", &self.env)
            .finish_non_exhaustive()
    }
}

/// What holds where no rule speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultSpec {
    Allow,
    Ask,
    Deny,
}

/// How questions are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModeSpec {
    /// Somebody is asked.
    Interactive,
    /// What would be asked is approved; written `dangerous_approve_all`.
    ApproveAll,
    /// What would be asked is refused.
    Strict,
    /// Only what reads.
    Plan,
    /// What no rule speaks of is allowed; needs `dangerous_default_allow`.
    Yolo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileSystemSpec {
    CaseSensitive,
    CaseInsensitive,
}

/// Which files are protected against writing, whatever is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProtectedSpec {
    Builtin,
    /// Written `dangerous_none`.
    None,
}

/// What is allowed, asked about and denied.
#[derive(Clone, Debug, Default)]
pub(crate) struct RuleLists {
    pub(crate) allow: Vec<RuleSpec>,
    pub(crate) ask: Vec<RuleSpec>,
    pub(crate) deny: Vec<RuleSpec>,
    /// Where the section is written.
    pub(crate) place: Option<Place>,
}

/// One rule: a pattern, or a table with a pattern and more.
#[derive(Clone, Debug)]
pub(crate) struct RuleSpec {
    /// Written `pattern`, or `tool` in rules over tools.
    pub(crate) pattern: Located<String>,
    pub(crate) id: Option<Located<String>>,
    pub(crate) reason: Option<Located<String>>,
    /// Written `match`.
    pub(crate) matches: Vec<Located<ExampleSpec>>,
    /// Written `no_match`.
    pub(crate) no_matches: Vec<Located<ExampleSpec>>,
    pub(crate) except: Vec<Located<String>>,
    /// The environments in which the rule holds; none means all.
    pub(crate) environments: Vec<Located<String>>,
    /// Patterns of agent paths, such as `root/researcher` or `root/**`; none means all.
    pub(crate) agents: Vec<Located<String>>,
    pub(crate) expires: Option<Located<Timestamp>>,
    /// Says that a wildcard after a program that could do anything is meant.
    pub(crate) dangerous_wildcard: bool,
    /// Conditions on arguments, all of which have to hold.
    pub(crate) when: Vec<ConditionSpec>,
}

impl RuleSpec {
    /// A pattern and nothing else.
    pub(crate) fn new(pattern: Located<String>) -> Self {
        Self {
            pattern,
            id: None,
            reason: None,
            matches: Vec::new(),
            no_matches: Vec::new(),
            except: Vec::new(),
            environments: Vec::new(),
            agents: Vec::new(),
            expires: None,
            dangerous_wildcard: false,
            when: Vec::new(),
        }
    }
}

/// An example of what a rule matches, or of what it does not.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExampleSpec {
    /// A command line, a path, an address or the name of a tool.
    Text(String),
    /// The arguments of a call.
    Args(Map<String, Value>),
}

/// A condition on one argument.
#[derive(Clone, Debug)]
pub(crate) struct ConditionSpec {
    /// The name of an argument, or a JSON pointer if it begins with `/`.
    pub(crate) at: Located<String>,
    pub(crate) test: Located<TestSpec>,
}

/// What an argument has to be.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TestSpec {
    /// Equal, and of the same type.
    Eq(Value),
    OneOf(Vec<Value>),
    Glob(String),
    Prefix(String),
    /// Between these, both included.
    Range {
        min: Option<serde_json::Number>,
        max: Option<serde_json::Number>,
    },
    /// Not there.
    Absent,
    /// There, whatever it is.
    Any,
}

/// `[shell]`: rules over command lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShellSpec {
    pub(crate) rules: RuleLists,
    /// Names of variables that may be set in front of a command.
    pub(crate) env_allow: Vec<Located<String>>,
    /// Programs that run another one and change nothing about it.
    pub(crate) transparent_wrappers: Vec<Located<String>>,
    /// Paths that output may be redirected to, beside what `[write]` allows.
    pub(crate) redirect_allow: Vec<Located<String>>,
    pub(crate) dialect: Option<Located<DialectSpec>>,
    /// Operands have to lie in the workspace.
    pub(crate) workspace_only: Option<Located<bool>>,
    /// What becomes of operands that do not; missing means ask.
    pub(crate) outside: Option<Located<OutsideSpec>>,
}

/// Which shell runs the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum DialectSpec {
    #[default]
    Bash,
    Zsh,
    Fish,
    Nu,
    Powershell,
    Cmd,
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutsideSpec {
    Ask,
    Deny,
}

/// `[read]` or `[write]`: rules over paths.
#[derive(Clone, Debug, Default)]
pub(crate) struct PathSpec {
    pub(crate) rules: RuleLists,
}

/// `[fetch]`: rules over hosts.
#[derive(Clone, Debug, Default)]
pub(crate) struct FetchSpec {
    pub(crate) rules: RuleLists,
    /// Missing means `https` only.
    pub(crate) schemes: Option<Vec<Located<String>>>,
    /// Missing means the usual port of the scheme.
    pub(crate) ports: Option<Vec<Located<u16>>>,
    /// Lets an allow rule cover private, loopback and link-local addresses.
    pub(crate) dangerous_private: bool,
}

/// `[tools]`: rules over tools by name, and `[tools.NAME]`: what is said of one tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolsSpec {
    pub(crate) rules: RuleLists,
    pub(crate) entries: Vec<ToolSpec>,
}

/// `[tools.NAME]`.
#[derive(Clone, Debug)]
pub(crate) struct ToolSpec {
    /// A name or a pattern, as in rules over tools.
    pub(crate) name: Located<String>,
    pub(crate) decision: Option<Located<toolgate::ToolDecision>>,
    pub(crate) reason: Option<Located<String>>,
    pub(crate) capabilities: Vec<Located<String>>,
    pub(crate) remember_by: Option<Vec<Located<String>>>,
    pub(crate) exclude_keys: Vec<Located<String>>,
    /// Which section judges the tool's arguments.
    pub(crate) kind: Option<Located<KindSpec>>,
    /// Where the tool has what its kind judges: from `command`, `argv`, `cwd`, `path`, `from`, `to`
    /// or `url` to the name of an argument.
    pub(crate) args: Vec<(Located<String>, Located<String>)>,
    /// Arguments that change nothing about what the tool may do.
    pub(crate) ignore_args: Vec<Located<String>>,
}

impl ToolSpec {
    /// A tool of which nothing is said yet.
    pub(crate) fn new(name: Located<String>) -> Self {
        Self {
            name,
            decision: None,
            reason: None,
            capabilities: Vec::new(),
            remember_by: None,
            exclude_keys: Vec::new(),
            kind: None,
            args: Vec::new(),
            ignore_args: Vec::new(),
        }
    }
}

/// What a tool does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindSpec {
    /// Runs a command line.
    Shell,
    /// Runs a program with words that no shell sees.
    Exec,
    Read,
    Write,
    Delete,
    /// Reads `from` and writes `to`.
    Copy,
    /// Writes `from` and `to`.
    Move,
    Fetch,
    /// None of these, whatever its name suggests.
    Plain,
}
