//! How whoever is asked behaves.

use serde::Deserialize;

/// What whoever decides does instead of deciding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::attacks) enum Behaviour {
    /// It decides.
    #[default]
    #[serde(skip)]
    Decides,
    Panic,
    #[serde(alias = "exception", alias = "io_error", alias = "unknown_error")]
    Error,
    #[serde(alias = "never", alias = "deadlock")]
    Hang,
    #[serde(alias = "disconnect", alias = "disconnected", alias = "closed")]
    DropSender,
    #[serde(
        alias = "crash",
        alias = "crashed",
        alias = "abort",
        alias = "signal",
        alias = "oom",
        alias = "stack_overflow"
    )]
    Killed,
    #[serde(alias = "slow", alias = "late", alias = "late_answer")]
    Timeout,
    #[serde(
        alias = "not_found",
        alias = "not_executable",
        alias = "permission_denied",
        alias = "spawn_error"
    )]
    Missing,
    #[serde(
        alias = "empty_output",
        alias = "no_output",
        alias = "invalid_json",
        alias = "invalid_output",
        alias = "partial_output",
        alias = "truncated_output",
        alias = "non_utf8_output",
        alias = "invalid_utf8",
        alias = "unknown_decision",
        alias = "wrong_type",
        alias = "huge_output"
    )]
    MalformedOutput,
    #[serde(alias = "none")]
    Absent,
    #[serde(
        rename = "exit_code_1",
        alias = "exit_code_2",
        alias = "exit_code_3",
        alias = "exit_code_126",
        alias = "exit_code_127",
        alias = "exit_code_137",
        alias = "exit_code_139",
        alias = "exit_code_143",
        alias = "exit_code_255",
        alias = "nonzero_exit"
    )]
    ExitCode,
    InspectorError,
    MalformedInputRender,
    TwoAnswers,
}
