//! Whether a pattern means something.

use serde_json::Value;

use super::{Call, Says};

/// The year in which all calls are made; rules expire in others.
const NOW: &str = "2026";

pub(super) fn strings(list: Option<&Value>) -> impl Iterator<Item = &str> {
    let list = list.and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str)
}

pub(super) fn pattern(rule: &Value) -> &str {
    let text = rule.get("pattern").or(rule.get("tool"));
    text.unwrap_or(rule).as_str().unwrap()
}

/// Whether a rule is about the agent, and has not expired. What denies or asks is also about agents
/// that work for those that it names.
pub(super) fn in_force(says: Says, rule: &Value, call: &Call) -> bool {
    let expires = rule.get("expires").and_then(Value::as_str);
    let agents: Vec<&str> = strings(rule.get("agents")).collect();
    let is_agent = |pattern: &&str| {
        let steps: Vec<&str> = pattern.split('/').collect();
        let least = if says == Says::Allow {
            call.agent.len()
        } else {
            0
        };
        (least..=call.agent.len()).any(|end| names(&steps, &call.agent[..end]))
    };
    expires.is_none_or(|at| NOW < at) && (agents.is_empty() || agents.iter().any(is_agent))
}

/// `*` stands for one name, `**` for any number.
pub(super) fn names<P: AsRef<str>, N: AsRef<str>>(pattern: &[P], path: &[N]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return path.is_empty();
    };
    if first.as_ref() == "**" {
        return (0..=path.len()).any(|at| names(rest, &path[at..]));
    }
    let fits = |name: &N| glob(first.as_ref(), name.as_ref());
    path.split_first()
        .is_some_and(|(name, more)| fits(name) && names(rest, more))
}

/// `*` stands for any characters.
pub(super) fn glob(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((first, rest)) => {
            let behind = text.strip_prefix(first);
            behind.is_some_and(|behind| (0..=behind.len()).any(|at| glob(rest, &behind[at..])))
        }
    }
}

pub(super) fn is_tool(pattern: &str, call: &Call, folded: bool) -> bool {
    let name = if folded {
        call.tool.to_lowercase()
    } else {
        call.tool.to_owned()
    };
    match (
        pattern
            .strip_prefix("mcp:")
            .and_then(|rest| rest.split_once('/')),
        call.server,
    ) {
        (Some((server, tool)), Some(from)) => glob(server, from) && glob(tool, &name),
        (None, None) => glob(pattern, &name),
        _ => false,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holds {
    No,
    OtherType,
    Yes,
}

pub(super) fn holds(at: &str, condition: &Value, args: &Value) -> Holds {
    let pointer = if at.starts_with('/') {
        at.to_owned()
    } else {
        format!("/{at}")
    };
    let yes = |holds: bool| if holds { Holds::Yes } else { Holds::No };
    let found = args.pointer(&pointer);
    let (kind, wanted) = condition.as_object().unwrap().iter().next().unwrap();
    let Some(found) = found else {
        return yes(kind == "absent");
    };
    let alike = |value: &Value| std::mem::discriminant(value) == std::mem::discriminant(found);
    match (kind.as_str(), found) {
        ("absent", _) => Holds::No,
        ("any", _) => Holds::Yes,
        ("eq", _) if alike(wanted) => yes(wanted == found),
        ("one_of", _) if wanted.as_array().unwrap().iter().any(alike) => {
            yes(wanted.as_array().unwrap().contains(found))
        }
        ("glob", Value::String(text)) => yes(glob(wanted.as_str().unwrap(), text)),
        ("prefix", Value::String(text)) => yes(text.starts_with(wanted.as_str().unwrap())),
        ("min" | "max", Value::Number(number)) => {
            let number = number.as_f64().unwrap();
            let end = |key: &str| condition.get(key).and_then(Value::as_f64).unwrap();
            yes(end("min") <= number && number <= end("max"))
        }
        _ => Holds::OtherType,
    }
}

/// The names of a path from the root; it is relative to the workspace.
pub(super) fn normal(path: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/w/{path}")
    };
    for name in whole.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name.to_owned()),
        }
    }
    names
}

/// A pattern from the root. What restricts and begins with `**` is about everything there is.
pub(super) fn anchored(pattern: &str, restricts: bool, folded: bool) -> Vec<String> {
    let whole = match pattern {
        _ if pattern.starts_with('/') => pattern.to_owned(),
        _ if restricts && pattern.starts_with("**") => pattern.to_owned(),
        _ => format!("w/{pattern}"),
    };
    let whole = if folded { whole.to_lowercase() } else { whole };
    let names = whole.split('/').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

pub(super) fn is_path(pattern: &[String], path: &[String]) -> bool {
    names(pattern, path)
}

/// Whether a path is what a pattern means, or lies below.
pub(super) fn lies_in(pattern: &[String], path: &[String]) -> bool {
    (0..=path.len()).any(|end| names(pattern, &path[..end]))
}

/// Whether a path is a directory that something lies in that a pattern means, where the pattern
/// says by name what follows.
pub(super) fn is_above(pattern: &[String], path: &[String]) -> bool {
    let any = |name: &String| name == "**";
    let end = pattern.len() - usize::from(pattern.last().is_some_and(any));
    (0..end).any(|at| {
        let by_name = !pattern[at.saturating_sub(1)..end].iter().any(any);
        by_name && names(&pattern[..at], path)
    })
}

/// The commands of a line, word by word and without quotes.
pub(super) fn commands(line: &str) -> Vec<Vec<&str>> {
    let commands = line
        .split(['\n', ';', '|'])
        .flat_map(|part| part.split("&&"));
    commands
        .map(|command| {
            command
                .split_whitespace()
                .map(|word| word.trim_matches('\''))
                .collect()
        })
        .collect()
}

/// What allows compares word by word, and the program as it is typed.
pub(super) fn is_command(pattern: &str, words: &[&str]) -> bool {
    let wanted: Vec<&str> = pattern.split(' ').collect();
    match wanted.split_last() {
        Some((&"*", wanted)) => words.starts_with(wanted),
        _ => words == wanted,
    }
}

/// What denies or asks does not care where the program is. Behind a word that is not known, words
/// are compared as far as they go.
pub(super) fn is_refused(pattern: &str, words: &[&str]) -> bool {
    let mut words = words.to_vec();
    words[0] = words[0].trim_start_matches("/bin/");
    is_command(pattern, &words)
}
