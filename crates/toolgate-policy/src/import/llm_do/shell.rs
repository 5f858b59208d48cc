//! Rules over command lines.

use super::{
    Config, Rule, Section,
    read::{ShellDefault, ShellRule},
};
use crate::{
    Diagnostics, Severity,
    diagnostic::{Diagnostic, quoted},
};

/// What a rule comes to, from the loosest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Allow,
    Ask,
    Deny,
}

impl ShellRule {
    fn verdict(&self) -> Verdict {
        match (self.allowed, self.approval_required) {
            (false, _) => Verdict::Deny,
            (true, true) => Verdict::Ask,
            (true, false) => Verdict::Allow,
        }
    }

    fn text(&self) -> &str {
        self.pattern.value.trim()
    }
}

/// Makes rules over whole words out of rules over beginnings of lines.
pub(super) fn section(config: &Config, losses: &mut Diagnostics) -> Section {
    if let Some(default) = &config.default {
        open_default(default, losses);
    }
    let mut section = Section::default();
    for (index, rule) in config.rules.iter().enumerate() {
        let earlier = config.rules.get(..index).unwrap_or_default();
        let Some((pattern, verdict)) = one(rule, earlier, losses) else {
            continue;
        };
        let mut written = Rule::new(pattern);
        if verdict > Verdict::Allow {
            written.except = exceptions(rule, verdict, earlier);
        }
        match verdict {
            Verdict::Allow => section.allow.push(written),
            Verdict::Ask => section.ask.push(written),
            Verdict::Deny => section.deny.push(written),
        }
    }
    section
}

/// Letting everything run that no rule speaks of is not carried over.
fn open_default(default: &ShellDefault, losses: &mut Diagnostics) {
    let Some(approval) = &default.approval_required else {
        return;
    };
    if default.allowed && !approval.value {
        let message = "commands that no rule matches are asked about";
        losses.push(
            Diagnostic::note("open-default", approval.place.clone(), message)
                .with_label("they ran without approval"),
        );
    }
}

/// The pattern of one rule and what it comes to, if it comes to anything.
fn one(
    rule: &ShellRule,
    earlier: &[ShellRule],
    losses: &mut Diagnostics,
) -> Option<(String, Verdict)> {
    let mut note = |severity, message: String, label: &str| {
        let place = rule.pattern.place.clone();
        losses.push(Diagnostic::new(severity, "shell-rule", place, message).with_label(label));
    };
    let (text, mut verdict) = (rule.text(), rule.verdict());
    let shown = quoted(text);
    if !text.split_whitespace().all(is_literal) {
        // Without a restriction more would be permitted, so it is not left out in silence.
        let severity = match verdict {
            Verdict::Allow => Severity::Note,
            Verdict::Ask | Verdict::Deny => Severity::Error,
        };
        let message = format!("the rule for {shown} cannot be carried over");
        note(severity, message, "only plain words can");
        return None;
    }
    if let Some(first) = earlier.iter().find(|first| text.starts_with(first.text())) {
        if first.verdict() >= verdict {
            let message = format!("the rule for {shown} is left out");
            note(
                Severity::Note,
                message,
                "an earlier rule matches whatever it matches",
            );
            return None;
        }
        let message = format!("the rule for {shown} restricts here");
        note(
            Severity::Note,
            message,
            "an earlier rule kept it from doing so",
        );
    }
    if verdict == Verdict::Allow && !rule.sandbox_paths.is_empty() {
        let message = format!("{shown} is asked about");
        note(
            Severity::Note,
            message,
            "its operands had to lie in a sandbox",
        );
        verdict = Verdict::Ask;
    }
    if verdict == Verdict::Allow && begins_a_stricter_one(text, earlier) {
        let message = format!("{shown} is asked about");
        let label = "an earlier, stricter rule matched words that merely begin like its last one";
        note(Severity::Note, message, label);
        verdict = Verdict::Ask;
    }
    Some((format!("{text} *"), verdict))
}

/// Whether a word stands for itself, in a shell and in a pattern.
fn is_literal(word: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._/=+@%:,-".contains(&byte);
    word.bytes().all(plain)
}

fn begins_a_stricter_one(text: &str, earlier: &[ShellRule]) -> bool {
    let stricter = |first: &&ShellRule| first.verdict() > Verdict::Allow;
    let mut stricter = earlier.iter().filter(stricter);
    stricter.any(|first| first.text().starts_with(text))
}

/// What earlier, looser rules said before a stricter one could say anything.
fn exceptions(rule: &ShellRule, verdict: Verdict, earlier: &[ShellRule]) -> Vec<String> {
    let words = |rule: &ShellRule| -> Vec<String> {
        rule.text().split_whitespace().map(str::to_owned).collect()
    };
    let own = words(rule);
    let looser = earlier.iter().filter(|first| first.verdict() < verdict);
    looser
        .filter(|first| first.sandbox_paths.is_empty() && words(first).starts_with(&own))
        .filter(|first| first.text().split_whitespace().all(is_literal))
        .map(|first| format!("{} *", first.text()))
        .collect()
}
