//! Colours, and the words they stand for.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use toolgate::Effect;

pub(crate) const ALLOW: Style = AnsiColor::Green.on_default().bold();
pub(crate) const ASK: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const DENY: Style = AnsiColor::Red.on_default().bold();
pub(crate) const HELP: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const STRONG: Style = Style::new().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Text in a style. What prints it takes the style out where it cannot be seen.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A decision in one word.
pub(crate) fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    }
}

/// The colour of a decision.
pub(crate) fn of(effect: Effect) -> Style {
    match effect {
        Effect::Allow => ALLOW,
        Effect::Ask => ASK,
        Effect::Deny => DENY,
    }
}

/// A decision in one word, as wide as the widest, in its colour.
pub(crate) fn padded(effect: Effect) -> String {
    paint(of(effect), format!("{:<5}", word(effect)))
}
