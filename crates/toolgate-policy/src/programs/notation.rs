//! The small languages inside of a table: options, operands and the like.

use super::format::Problem;
use super::kind::Kind;
use super::table::{Arity, Operands, Opt, Syntax};

/// Reads how a program reads its words.
pub(super) fn syntax(text: &'static str) -> Result<Syntax, Problem> {
    let mut syntax = Syntax::default();
    for word in text.split_whitespace() {
        let switch = match word {
            "single" => &mut syntax.single,
            "separate" => &mut syntax.separate,
            "posix" => &mut syntax.posix,
            "numbers" => &mut syntax.numbers,
            "plus" => &mut syntax.plus,
            "at" => &mut syntax.at,
            "bundle" => &mut syntax.bundle,
            "text" => &mut syntax.text,
            "no-end" => &mut syntax.no_end,
            _ => return Err(format!("unknown syntax `{word}`")),
        };
        *switch = true;
    }
    Ok(syntax)
}

/// Reads operands such as `SED FILE*`.
pub(super) fn operands(text: &'static str) -> Result<Operands, Problem> {
    let mut operands = Operands::default();
    for word in text.split_whitespace() {
        if operands.rest.is_some() {
            return Err(format!("`{word}` comes after an operand that repeats"));
        }
        match word.strip_suffix('*') {
            Some(repeated) => operands.rest = Some(kind(repeated)?),
            None => operands.first.push(kind(word)?),
        }
    }
    Ok(operands)
}

fn kind(word: &'static str) -> Result<Kind, Problem> {
    Kind::parse(word).ok_or_else(|| format!("unknown kind `{word}`"))
}

/// Reads options such as `-n,--lines=TEXT --color[=TEXT] --arg==TEXT -v`.
pub(super) fn options(text: &'static str, harmless: bool) -> Result<Vec<Opt>, Problem> {
    text.split_ascii_whitespace()
        .map(|word| option(word, harmless))
        .collect()
}

fn option(word: &'static str, harmless: bool) -> Result<Opt, Problem> {
    let (names, arity, kind) = if let Some((names, rest)) = word.split_once("[=") {
        let of = rest
            .strip_suffix(']')
            .ok_or_else(|| format!("`[` is open: `{word}`"))?;
        (names, Arity::Optional, kind(of)?)
    } else if let Some((names, of)) = word.split_once("==") {
        (names, Arity::Pair, kind(of)?)
    } else if let Some((names, of)) = word.split_once('=') {
        (names, Arity::Required, kind(of)?)
    } else {
        (word, Arity::Flag, Kind::Text)
    };
    let is_name = |name: &str| name.len() > 1 && name.starts_with('-') && name != "--";
    if !names.split(',').all(is_name) {
        return Err(format!("no name of an option: `{word}`"));
    }
    Ok(Opt {
        names,
        arity,
        kind,
        harmless,
    })
}
