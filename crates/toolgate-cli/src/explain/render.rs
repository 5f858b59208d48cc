//! An explanation as text.

use std::fmt::Write;

use toolgate::{Rule, ToolCall};
use toolgate_policy::{ExplainedVote, Explanation, Says};

use super::parsed;
use crate::{
    call::show,
    style::{self, paint},
    text::{indented, visible},
    verdict::Verdict,
};

/// Everything that is to be said about a call.
pub(crate) fn text(call: &ToolCall, verdict: &Verdict) -> String {
    let mut out = format!("{}  {}\n", style::padded(verdict.effect), show(call));
    if !call.origin().agent().is_empty() {
        let _ = writeln!(out, "       by the agent {}", call.origin().agent());
    }
    out += &indented("       ", &verdict.lines().join("\n"));
    let explanation = &verdict.explanation;
    votes(&mut out, explanation);
    parsed::write(&mut out, explanation);
    nearest(&mut out, explanation);
    out
}

pub(super) fn heading(out: &mut String, text: &str) {
    let _ = writeln!(out, "\n{}", paint(style::STRONG, text));
}

fn votes(out: &mut String, explanation: &Explanation) {
    heading(out, "votes");
    if explanation.votes.is_empty() {
        out.push_str("  none: no rule has anything to say of this call\n");
    }
    for vote in &explanation.votes {
        let mark = if vote.decides { "*" } else { " " };
        let _ = writeln!(out, "{mark} {}  {}", says(vote.says), rule(&vote.rule));
        let _ = writeln!(out, "           {}", visible(&vote.reason));
    }
    if explanation.votes.iter().any(|vote| vote.decides) {
        let _ = writeln!(out, "{}", paint(style::FAINT, "  * settles it"));
    }
}

fn says(says: Says) -> String {
    let (style, word) = match says {
        Says::Allow => (style::ALLOW, "allow"),
        Says::Ask => (style::ASK, "ask"),
        Says::Deny => (style::DENY, "deny"),
        _ => (style::FAINT, "open"),
    };
    paint(style, format!("{word:<7}"))
}

/// A rule as it is written, and where.
pub(super) fn rule(rule: &Rule) -> String {
    match (rule.text(), rule.source()) {
        (Some(text), Some(source)) => {
            let place = paint(style::FAINT, source);
            format!("`{}`  {place}", visible(text))
        }
        (Some(text), None) => format!("`{}`", visible(text)),
        (None, _) => format!("{} {}", rule.id(), paint(style::FAINT, "(always there)")),
    }
}

fn nearest(out: &mut String, explanation: &Explanation) {
    heading(out, "what would change it");
    match &explanation.nearest {
        Some(nearest) => {
            let effect = paint(style::of(nearest.would_be), style::word(nearest.would_be));
            let _ = writeln!(out, "  without {}", rule(&nearest.rule));
            let _ = writeln!(out, "  it would be {effect}");
        }
        None => {
            let _ = writeln!(out, "  {}", advice(&explanation.votes));
        }
    }
}

fn is_written_ask(vote: &ExplainedVote) -> bool {
    vote.says == Says::Ask && vote.rule.source().is_some()
}

/// What to do if no single rule can be taken away.
fn advice(votes: &[ExplainedVote]) -> &'static str {
    let count = |wanted: Says| votes.iter().filter(|vote| vote.says == wanted).count();
    let several = "no single rule: more than one would have to go";
    match (count(Says::Deny), count(Says::Ask), count(Says::Uncovered)) {
        (0, 0, 1..) => "a rule that allows what is open above",
        (0, 0, 0) => "a rule that speaks of this tool",
        (0, 1, 1..) if votes.iter().any(is_written_ask) => {
            "a rule that allows it, in the place of the one that asks"
        }
        _ if votes
            .iter()
            .any(|vote| vote.decides && vote.rule.source().is_some()) =>
        {
            several
        }
        _ => "no rule of the policy: what settles it is always there",
    }
}
