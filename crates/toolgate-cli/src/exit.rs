//! What the exit codes mean.

use std::process::ExitCode;

use toolgate::Effect;

/// The call is allowed, or there is nothing to complain about.
pub(crate) const FINE: u8 = 0;
/// A test failed, a policy has something that should be looked at, or a decision would change.
pub(crate) const FAILED: u8 = 1;
/// Nothing was decided: the policy, the call or the command line cannot be used.
pub(crate) const ERROR: u8 = 2;
/// Somebody would be asked.
pub(crate) const ASK: u8 = 10;
/// The call is refused.
pub(crate) const DENY: u8 = 20;

/// What is said about exit codes by commands that decide.
pub(crate) const DECISIONS: &str = "\
Exit codes: 0 allow, 10 ask, 20 deny, 2 if nothing could be decided. Of several calls the
strictest counts.";

/// The exit code of a decision.
pub(crate) fn of(effect: Effect) -> ExitCode {
    ExitCode::from(match effect {
        Effect::Allow => FINE,
        Effect::Ask => ASK,
        Effect::Deny => DENY,
    })
}
