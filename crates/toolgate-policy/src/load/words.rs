//! The words that a policy is written with, and what they mean.

use toolgate::ToolDecision;

use crate::spec::{
    DefaultSpec, DialectSpec, FileSystemSpec, KindSpec, ModeSpec, OutsideSpec, ProtectedSpec,
};

/// A word and what it means.
pub(crate) type Words<T> = &'static [(&'static str, T)];

pub(crate) const DEFAULTS: Words<DefaultSpec> = &[
    ("allow", DefaultSpec::Allow),
    ("ask", DefaultSpec::Ask),
    ("deny", DefaultSpec::Deny),
];

pub(crate) const MODES: Words<ModeSpec> = &[
    ("interactive", ModeSpec::Interactive),
    ("strict", ModeSpec::Strict),
    ("plan", ModeSpec::Plan),
    ("yolo", ModeSpec::Yolo),
    ("dangerous_approve_all", ModeSpec::ApproveAll),
];

pub(crate) const FILE_SYSTEMS: Words<FileSystemSpec> = &[
    ("case_sensitive", FileSystemSpec::CaseSensitive),
    ("case_insensitive", FileSystemSpec::CaseInsensitive),
];

pub(crate) const PROTECTED: Words<ProtectedSpec> = &[
    ("builtin", ProtectedSpec::Builtin),
    ("dangerous_none", ProtectedSpec::None),
];

pub(crate) const DIALECTS: Words<DialectSpec> = &[
    ("bash", DialectSpec::Bash),
    ("zsh", DialectSpec::Zsh),
    ("fish", DialectSpec::Fish),
    ("nu", DialectSpec::Nu),
    ("powershell", DialectSpec::Powershell),
    ("cmd", DialectSpec::Cmd),
    ("unknown", DialectSpec::Unknown),
];

pub(crate) const OUTSIDE: Words<OutsideSpec> =
    &[("ask", OutsideSpec::Ask), ("deny", OutsideSpec::Deny)];

pub(crate) const DECISIONS: Words<ToolDecision> = &[
    ("pre_approved", ToolDecision::PreApproved),
    ("needs_approval", ToolDecision::NeedsApproval),
    ("blocked", ToolDecision::Blocked),
];

pub(crate) const KINDS: Words<KindSpec> = &[
    ("shell", KindSpec::Shell),
    ("exec", KindSpec::Exec),
    ("read", KindSpec::Read),
    ("write", KindSpec::Write),
    ("delete", KindSpec::Delete),
    ("copy", KindSpec::Copy),
    ("move", KindSpec::Move),
    ("fetch", KindSpec::Fetch),
    ("plain", KindSpec::Plain),
];

/// What a tool of some kind takes, by the name that rules know it by.
pub(crate) const ROLES: &[&str] = &[
    "command", "argv", "cwd", "path", "paths", "content", "from", "to", "url",
];
