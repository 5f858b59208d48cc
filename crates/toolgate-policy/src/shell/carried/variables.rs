//! Variables whose values are run.

use super::super::{front::assigned, line::Word, unwrap::Inner};

/// Their value is a line.
const LINES: [&str; 22] = [
    "PAGER",
    "GIT_PAGER",
    "MANPAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "PROMPT_COMMAND",
    "BROWSER",
    "LESSOPEN",
    "LESSCLOSE",
    "RUSTC_WRAPPER",
    "RUSTC",
    "FZF_DEFAULT_COMMAND",
    "SHELL",
    "GIT_PROXY_COMMAND",
];
/// What runs because of them cannot be seen.
const HIDING: [&str; 22] = [
    "PATH",
    "BASH_ENV",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "NODE_OPTIONS",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "MAKEFLAGS",
    "PS0",
    "PS1",
    "PS4",
    "IFS",
    "SHELLOPTS",
    "BASHOPTS",
    "ZDOTDIR",
];
const PREFIXES: [&str; 5] = ["LD_", "DYLD_", "GIT_CONFIG", "BASH_FUNC_", "GLIBC_TUNABLES"];

/// Hands out what is run because a variable is set. A value that is not known is `None`.
pub(in crate::shell) fn variable<'w, 'a>(
    name: &str,
    value: Option<&str>,
    out: &mut dyn FnMut(Inner<'w, 'a>),
) {
    let hides = HIDING.contains(&name)
        || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || name.starts_with("CARGO_") && name.ends_with("RUNNER")
        || name == "ENV" && value.is_none_or(|value| value.contains('/'));
    let is_line = LINES.contains(&name);
    if hides || is_line && value.is_none_or(|value| value.contains('/')) {
        out(Inner::Unknown);
    }
    if let Some(value) = value.filter(|_| is_line || hides && name.ends_with("RUNNER")) {
        out(Inner::Text(
            value.trim_start_matches(['|', '-', ' ']).to_owned(),
        ));
    }
}

/// The same for `export NAME=value` and its like.
pub(in crate::shell) fn set<'w, 'a>(words: &[Word<'_>], out: &mut dyn FnMut(Inner<'w, 'a>)) {
    for word in words.iter().skip(1) {
        if let Some((name, _)) = assigned(&word.text) {
            let value = word.text.split_once('=').map(|(_, value)| value);
            variable(name, value.filter(|_| word.is_literal()), out);
        }
    }
}
