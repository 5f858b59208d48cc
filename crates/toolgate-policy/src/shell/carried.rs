//! Commands and code that programs carry in their options and operands.
//!
//! This is looked at only where a rule denies or asks: it finds more than is there rather than less.

mod code;
mod scan;
mod table;
mod variables;

use super::{line::Word, unwrap::Inner};
use crate::programs;

pub(super) use self::table::Carriers;
use self::table::{Carrier, How};
pub(super) use self::variables::{set, variable};

/// Hands out what the options and operands of a command carry, the program first.
pub(super) fn carried<'w, 'a>(
    carrier: &Carrier,
    words: &'w [Word<'a>],
    out: &mut dyn FnMut(Inner<'w, 'a>),
) {
    let mut seen = scan::Seen::default();
    scan::scan(carrier, words, &mut seen, &mut |how, value| {
        value_of(how, value, out);
    });
    let first = if seen.program { None } else { seen.first };
    if let (Some(how), Some(word)) = (carrier.first, first) {
        value_of(how, word.is_literal().then_some(&*word.text), out);
    }
    if seen.count < carrier.needs && !seen.options {
        out(Inner::Unknown);
    }
}

fn value_of<'w, 'a>(how: How, value: Option<&str>, out: &mut dyn FnMut(Inner<'w, 'a>)) {
    let Some(value) = value else {
        return out(Inner::Unknown);
    };
    let line = |text: &str| Inner::Text(text.to_owned());
    match how {
        How::Line => out(line(value)),
        How::Awk if programs::is_plain_awk(value) => {}
        How::Sed if programs::is_plain_sed(value) => {}
        How::Code | How::Awk | How::Sed => code::code(value, out),
        How::Action => value
            .strip_prefix("exec=")
            .map(line)
            .into_iter()
            .for_each(out),
        How::Escape => {
            escape(value, out);
        }
        How::Editor => {
            if !escape(value, out) {
                out(Inner::Unknown);
            }
        }
        How::Plugin if value.starts_with("no:") => {}
        How::Hides | How::Plugin => out(Inner::Unknown),
        How::Setting => setting(value, out),
        How::Assign => {
            let value = value.split_once('=').map(|(_, value)| value);
            value.map(line).into_iter().for_each(out);
        }
        How::Ssh => ssh(value, out),
        How::Variable => {
            if let Some((name, value)) = value.split_once('=') {
                variable(name, Some(value), out);
            }
        }
    }
}

/// What stands behind the sign by which a program is left for a shell. Says whether there is one.
fn escape<'w, 'a>(value: &str, out: &mut dyn FnMut(Inner<'w, 'a>)) -> bool {
    const SIGNS: [&str; 8] = [
        "\\!", "!", ".shell ", ".system ", "shell ", "silent !", "sil !", "system ",
    ];
    let value = value.trim_start_matches([':', ' ', '+']);
    let found = SIGNS.iter().find_map(|sign| value.strip_prefix(sign));
    let found = found.or_else(|| value.split_once("\\!").map(|(_, rest)| rest));
    if let Some(line) = found {
        out(Inner::Text(line.to_owned()));
    }
    found.is_some()
}

/// `-o ProxyCommand=…` and its like.
fn ssh<'w, 'a>(value: &str, out: &mut dyn FnMut(Inner<'w, 'a>)) {
    let (name, value) = value.split_once(['=', ' ']).unwrap_or((value, ""));
    match name.trim().to_ascii_lowercase().as_str() {
        "proxycommand" | "localcommand" | "knownhostscommand" | "remotecommand" => {
            out(Inner::Text(value.to_owned()));
        }
        "permitlocalcommand" | "include" | "match" | "pkcs11provider" => out(Inner::Unknown),
        _ => {}
    }
}

/// `NAME=value` of git's settings, many of which are run.
fn setting<'w, 'a>(text: &str, out: &mut dyn FnMut(Inner<'w, 'a>)) {
    const PLAIN: [&str; 10] = [
        "user.",
        "author.",
        "committer.",
        "color.",
        "column.",
        "advice.",
        "log.",
        "status.",
        "format.",
        "i18n.",
    ];
    const NAMES: [&str; 13] = [
        "core.quotepath",
        "core.autocrlf",
        "core.abbrev",
        "core.filemode",
        "core.ignorecase",
        "commit.gpgsign",
        "tag.gpgsign",
        "init.defaultbranch",
        "pull.rebase",
        "pull.ff",
        "push.default",
        "fetch.prune",
        "gc.auto",
    ];
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let name = name.to_ascii_lowercase();
    if PLAIN.iter().any(|prefix| name.starts_with(prefix)) || NAMES.contains(&&*name) {
        return;
    }
    match (name.starts_with("alias."), value.strip_prefix('!')) {
        (true, None) => out(Inner::Text(format!("git {value}"))),
        (_, line) => {
            out(Inner::Text(line.unwrap_or(value).to_owned()));
            out(Inner::Unknown);
        }
    }
}

/// `git config NAME value` sets what `git -c NAME=value` does.
pub(super) fn config<'w, 'a>(words: &'w [Word<'a>], out: &mut dyn FnMut(Inner<'w, 'a>)) {
    let text = |word: &'w Word<'a>| &*word.text;
    let is_edit = |word: &Word<'_>| matches!(&*word.text, "-e" | "--edit" | "edit");
    if words.iter().skip(1).any(is_edit) {
        out(Inner::Unknown);
    }
    let named = |word: &Word<'_>| word.text.contains('.') && !word.text.contains('/');
    for (at, word) in words
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, word)| named(word))
    {
        let value = words
            .get(at + 1)
            .map(text)
            .filter(|value| !value.starts_with("--"));
        if let Some(value) = value {
            setting(&format!("{}={value}", word.text), out);
        }
    }
}
