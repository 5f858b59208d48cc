//! A grant as text.

use std::{fmt::Write, time::SystemTime};

use jiff::Timestamp;
use toolgate::{Grant, GrantDecision};

use crate::{
    style::{self, paint},
    text::{short, visible},
};

/// A grant in one line.
pub(super) fn line(grant: &Grant) -> String {
    let payload = serde_json::to_string(&grant.payload).unwrap_or_default();
    format!(
        "{:<5} {}  {}  {}  {}\n",
        grant.id.to_string(),
        decision(grant),
        grant.tool,
        short(&payload, 100),
        paint(style::FAINT, limits(grant).join(", ")),
    )
}

/// Everything about a grant.
pub(super) fn whole(grant: &Grant) -> String {
    let mut text = format!("{}  {}\n", grant.id, decision(grant));
    let mut say = |name: &str, what: String| {
        let _ = writeln!(text, "  {name:<9} {what}");
    };
    say("tool", grant.tool.to_string());
    if let Some(subject) = &grant.subject {
        say("subject", visible(subject).into_owned());
    }
    let payload = serde_json::to_string(&grant.payload).unwrap_or_default();
    say("for", visible(&payload).into_owned());
    say("covers", covers(grant).to_owned());
    let rule = visible(&grant.rule).into_owned();
    say("answers", format!("`{rule}` of {}", visible(&grant.layer)));
    say("where", scope(grant));
    say("limits", limits(grant).join(", "));
    let by = grant.given_by.as_deref().map_or("somebody".into(), visible);
    say("given", format!("{} by {by}", time(grant.given)));
    if let Some(note) = &grant.note {
        say("note", visible(note).into_owned());
    }
    text
}

fn decision(grant: &Grant) -> String {
    match grant.decision {
        GrantDecision::Allow => paint(style::ALLOW, "yes"),
        GrantDecision::Deny => paint(style::DENY, "no "),
    }
}

fn covers(grant: &Grant) -> &'static str {
    match grant.exact {
        true => "exactly this",
        false => "this, whatever the other arguments are",
    }
}

fn scope(grant: &Grant) -> String {
    let mut parts = Vec::new();
    let mut say = |what: &str, name: &Option<Box<str>>| {
        parts.extend(
            name.as_ref()
                .map(|name| format!("{what} {}", visible(name))),
        );
    };
    say("principal", &grant.scope.principal);
    say("project", &grant.scope.project);
    say("session", &grant.scope.session);
    if !grant.scope.agent.is_empty() {
        let more = if grant.delegable {
            " and those that work for it"
        } else {
            ""
        };
        parts.push(format!("agent {}{more}", grant.scope.agent));
    }
    match parts.is_empty() {
        true => "everywhere".to_owned(),
        false => parts.join(", "),
    }
}

fn limits(grant: &Grant) -> Vec<String> {
    let mut limits = Vec::new();
    if grant.scope.one_session {
        limits.push("one session".to_owned());
    }
    if let Some(uses) = grant.uses {
        limits.push(format!("{uses} uses left"));
    }
    match grant.expires {
        Some(end) if end <= SystemTime::now() => limits.push("expired".to_owned()),
        Some(end) => limits.push(format!("until {}", time(end))),
        None => {}
    }
    match limits.is_empty() {
        true => vec!["until it is revoked".to_owned()],
        false => limits,
    }
}

fn time(time: SystemTime) -> String {
    let seconds = Timestamp::try_from(time).ok();
    let seconds = seconds.and_then(|time| Timestamp::from_second(time.as_second()).ok());
    seconds.map_or_else(|| "at some time".to_owned(), |time| time.to_string())
}
