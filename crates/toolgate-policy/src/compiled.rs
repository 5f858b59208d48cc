//! One policy, ready to judge calls.

mod build;
mod examples;
mod lint;

use std::collections::HashSet;

use toolgate::ToolConfig;

pub use self::examples::TriedExample;
pub(crate) use self::{
    build::{Context, compile, try_examples},
    lint::dangers,
};
use crate::{
    binding::Bindings,
    capabilities::CapabilityPart,
    finding::RuleIndex,
    host::{HostRules, Secrets},
    kinds::KindLabels,
    path::PathRules,
    rules::RuleTable,
    shell::ShellRules,
    spec::{DefaultSpec, ModeSpec},
    tools::ToolPart,
};

/// One policy, ready to judge calls.
#[derive(Debug)]
pub(crate) struct Compiled {
    pub(crate) rules: RuleTable,
    pub(crate) tools: ToolPart,
    /// What is said of tools beside decisions: capabilities, and what identifies an operation.
    pub(crate) configs: Vec<(String, ToolConfig)>,
    /// Whether somebody vouched for it.
    pub(crate) is_trusted: bool,
    pub(crate) bindings: Bindings,
    pub(crate) capabilities: CapabilityPart,
    pub(crate) shell: Option<ShellRules>,
    pub(crate) paths: PathRules,
    /// Where output may be redirected to, as rules over writing.
    pub(crate) output: Option<PathRules>,
    pub(crate) hosts: Option<HostRules>,
    pub(crate) secrets: Option<Secrets>,
    pub(crate) covering: Covering,
    pub(crate) allowed_servers: Option<HashSet<Box<str>>>,
    /// The servers that are believed if they say that a tool only reads.
    pub(crate) believed_servers: HashSet<Box<str>>,
    pub(crate) default: Option<DefaultSpec>,
    pub(crate) mode: Option<ModeSpec>,
    pub(crate) kinds: KindLabels,
    /// Whether what the default says binds the other layers.
    pub(crate) is_managed: bool,
    /// Whether there is a section over reading.
    pub(crate) has_read: bool,
    /// Rules from this one on are what `[tools.NAME]` decides.
    pub(crate) first_entry: RuleIndex,
}

/// Which sections allow something. What such a section is about, it has to cover: a rule over the
/// tool as a whole is then not enough.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is about a section of its own"
)]
pub(crate) struct Covering {
    pub(crate) shell: bool,
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) fetch: bool,
}
