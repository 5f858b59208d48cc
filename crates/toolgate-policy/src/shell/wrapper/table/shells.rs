//! Shells, and what else reads a line.

use super::super::{Form, Wrapper};
use super::{HIDDEN, PLAIN};

pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["eval", "trap"],
        form: Form::Text,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish", "bash5", "yash",
            "csh", "tcsh", "nu", "posh",
        ],
        form: Form::Shell,
        ..PLAIN
    },
    Wrapper {
        names: &["watch", "gwatch"],
        flags: "bcdeghprtwxC",
        values: "nq",
        long: "beep color differences errexit chgexit precise no-rerun no-title no-wrap exec interval= equexit=",
        form: Form::Text,
        ..PLAIN
    },
    Wrapper {
        names: &["flock", "script", "scriptreplay"],
        flags: "aefnoqsuxFt",
        values: "cwETIOBmo",
        long: "shared exclusive unlock nonblock close no-fork verbose command= timeout= wait= conflict-exit-code= \
               append quiet flush return",
        skip: 1,
        form: Form::Option('c', "command"),
        ..PLAIN
    },
    Wrapper {
        names: &[
            "and",
            "or",
            "not",
            "begin",
            "noglob",
            "nocorrect",
            "-",
            "catch",
            "try",
            "do",
            "then",
        ],
        ..PLAIN
    },
    Wrapper {
        names: &["repeat"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "iex",
            "invoke-expression",
            "cmd",
            "powershell",
            "pwsh",
            "start-process",
        ],
        ..HIDDEN
    },
];
