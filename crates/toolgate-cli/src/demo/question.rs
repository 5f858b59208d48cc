//! A question as text, for a session without a person.

use std::fmt::Write;

use toolgate::{ApprovalRequest, Presentation};

use crate::{
    style::{self, paint},
    text::visible,
};

/// What is asked, by which rules, and what would happen.
pub(super) fn text(request: &ApprovalRequest) -> String {
    let mut text = format!("{}    may this run?\n", paint(style::ASK, "ask"));
    for ask in &request.asks {
        let reason = ask.reason.as_deref().unwrap_or("it has to be asked");
        let place = ask.rule.as_ref().and_then(|rule| rule.source());
        let place = place.map(|place| format!("  {}", paint(style::FAINT, place)));
        let _ = writeln!(
            text,
            "       {}{}",
            visible(reason),
            place.unwrap_or_default()
        );
    }
    match &request.presentation {
        Some(Presentation::Diff { before, after, .. }) => diff(&mut text, before, after),
        Some(Presentation::Code { text: code, .. }) => {
            let _ = writeln!(text, "       | {}", visible(code));
        }
        _ => {
            for (key, value) in request.args.as_map() {
                let value = value.to_string();
                let _ = writeln!(text, "       | {} = {}", visible(key), visible(&value));
            }
        }
    }
    text
}

/// The lines that go and those that come, between those that stay.
fn diff(out: &mut String, before: &str, after: &str) {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let same = |(a, b): &(&&str, &&str)| a == b;
    let front = old.iter().zip(&new).take_while(same).count();
    let most = old.len().min(new.len()) - front;
    let back = old
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take(most)
        .take_while(same)
        .count();
    let mut say = |mark: &str, lines: &[&str]| {
        for line in lines {
            let style = match mark {
                "-" => style::DENY,
                "+" => style::ALLOW,
                _ => style::FAINT,
            };
            let _ = writeln!(
                out,
                "       {}",
                paint(style, format!("{mark} {}", visible(line)))
            );
        }
    };
    say(" ", old.get(..front).unwrap_or_default());
    say("-", middle(&old, front, back));
    say("+", middle(&new, front, back));
    say(" ", old.get(old.len() - back..).unwrap_or_default());
}

/// The lines between those that stay.
fn middle<'a, 't>(lines: &'a [&'t str], front: usize, back: usize) -> &'a [&'t str] {
    let end = lines.len().saturating_sub(back);
    lines.get(front..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(before: &str, after: &str) -> String {
        let mut out = String::new();
        diff(&mut out, before, after);
        anstream::adapter::strip_str(&out)
            .to_string()
            .replace("       ", "")
    }

    #[test]
    fn what_changes_is_marked() {
        assert_eq!(plain("a\nb\nc\n", "a\nx\nc\n"), "  a\n- b\n+ x\n  c\n");
        assert_eq!(plain("", "a\n"), "+ a\n");
        assert_eq!(plain("a\na\n", "a\n"), "  a\n- a\n");
        assert_eq!(plain("a\n", "a\n"), "  a\n");
    }
}
