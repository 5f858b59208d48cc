//! How the arguments of a call were understood, as text.

use std::fmt::Write;

use toolgate::Rule;
use toolgate_policy::{
    Explanation, Parsed, ParsedCommand, ParsedHost, ParsedLine, ParsedPath, Says,
};

use super::render::{heading, rule};
use crate::{
    style::{self, paint},
    text::visible,
};

/// Writes how every argument was understood.
pub(super) fn write(out: &mut String, explanation: &Explanation) {
    for one in &explanation.parsed {
        match one {
            Parsed::Line(line) => command_line(out, line, explanation),
            Parsed::Path(path) => self::path(out, path),
            Parsed::Host(host) => address(out, host),
            _ => {}
        }
    }
}

fn command_line(out: &mut String, line: &ParsedLine, explanation: &Explanation) {
    heading(out, "read as commands");
    if let Some(problem) = &line.problem {
        let problem = visible(problem);
        let _ = writeln!(
            out,
            "  {}",
            paint(style::ASK, format!("not literal: {problem}"))
        );
    }
    for one in &line.commands {
        command(out, one, explanation);
    }
}

/// What a rule that holds a command back does to it.
fn does(held: &Rule, explanation: &Explanation) -> &'static str {
    let denies = |says: Says| says == Says::Deny;
    let mut votes = explanation.votes.iter();
    match votes.any(|vote| vote.rule.id() == held.id() && denies(vote.says)) {
        true => "refused by",
        false => "asked about by",
    }
}

fn command(out: &mut String, command: &ParsedCommand, explanation: &Explanation) {
    let indent = "    ".repeat(command.depth);
    let words = command.words.iter().map(|word| match word.literal {
        true => format!("[{}]", visible(&word.text)),
        false => paint(style::ASK, format!("[{}]?", visible(&word.text))),
    });
    let words: Vec<_> = words.collect();
    let _ = writeln!(out, "  {indent}{}", words.join(" "));
    for held in &command.refused_by {
        let does = does(held, explanation);
        let _ = writeln!(out, "  {indent}  {does} {}", rule(held));
    }
    if let Some(covering) = &command.covered_by {
        let _ = writeln!(out, "  {indent}  allowed by {}", rule(covering));
    }
    if let Some(why) = &command.why_not {
        let _ = writeln!(out, "  {indent}  not allowed: {}", visible(why));
    }
    if let Some(close) = &command.nearest {
        let _ = writeln!(out, "  {indent}  closest: {}", rule(close));
    }
}

fn path(out: &mut String, path: &ParsedPath) {
    heading(out, "read as a path");
    let _ = writeln!(out, "  written   {}", visible(&path.lexical));
    if let Some(resolved) = path.resolved.as_ref().filter(|it| **it != path.lexical) {
        let _ = writeln!(out, "  leads to  {}", visible(resolved));
    }
    for reading in &path.readings {
        let _ = writeln!(out, "  or        {}", visible(reading));
    }
    if let Some(close) = &path.nearest {
        let _ = writeln!(out, "  closest   {}", rule(close));
    }
}

fn address(out: &mut String, host: &ParsedHost) {
    heading(out, "read as an address");
    let or_unclear = |text: &Option<String>| match text {
        Some(text) => visible(text).into_owned(),
        None => "unclear".to_owned(),
    };
    let _ = writeln!(out, "  scheme    {}", or_unclear(&host.scheme));
    let _ = writeln!(out, "  host      {}", or_unclear(&host.host));
    for reading in host
        .readings
        .iter()
        .filter(|it| Some(*it) != host.host.as_ref())
    {
        let _ = writeln!(out, "  or        {}", visible(reading));
    }
    if let Some(close) = &host.nearest {
        let _ = writeln!(out, "  closest   {}", rule(close));
    }
}
