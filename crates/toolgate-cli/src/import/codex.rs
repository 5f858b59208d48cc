//! The `.rules` of Codex.

use toolgate::Effect;

use super::{
    commands,
    draft::{Draft, Section},
    starlark::{self, Call, Node},
};
use crate::fail::Fail;

/// The most rules that one with choices becomes.
const MOST: usize = 256;

/// Reads the rules.
pub(super) fn read(name: &str, text: &str) -> Result<Draft, Fail> {
    let calls = starlark::parse(text).map_err(|(line, why)| {
        Fail::new(format!("{name}:{line}: {why}"))
            .with_help("only calls of `prefix_rule`, `network_rule` and `host_executable` are read")
    })?;
    let mut draft = Draft::new(format!("Imported from {name}."));
    for call in &calls {
        let at = |why: String| Fail::new(format!("{name}:{}: {why}", call.line));
        let from = format!("line {}", call.line);
        match call.name.as_str() {
            "prefix_rule" => prefix(&mut draft, call, &from).map_err(at)?,
            "network_rule" => network(&mut draft, call, &from).map_err(at)?,
            "host_executable" => draft.loss(
                &from,
                "`host_executable` is not carried over: a program is the name that is typed",
            ),
            other => return Err(at(format!("`{other}` is not known"))),
        }
    }
    Ok(draft)
}

fn prefix(draft: &mut Draft, call: &Call, from: &str) -> Result<(), String> {
    known(
        call,
        &["pattern", "decision", "justification", "match", "not_match"],
    )?;
    let Some(Node::List(pattern)) = call.get("pattern") else {
        return Err("`pattern` is not a list of words".to_owned());
    };
    let is_empty = |node: &Node| matches!(node, Node::List(words) if words.is_empty());
    if pattern.is_empty() || pattern.iter().any(is_empty) {
        return Err("`pattern` has a list without words".to_owned());
    }
    let effect = match text(call, "decision")? {
        None | Some("allow") => Effect::Allow,
        Some("prompt") => Effect::Ask,
        Some("forbidden") => Effect::Deny,
        Some(other) => return Err(format!("`{other}` is no decision")),
    };
    let before = draft.rules.len();
    for words in expanded(pattern, draft, effect, from)? {
        commands::prefix(draft, effect, &words, from);
    }
    if let Some(why) = text(call, "justification")? {
        for rule in draft.rules.iter_mut().skip(before) {
            rule.reason = Some(why.to_owned());
        }
    }
    Ok(())
}

/// Every choice of words, one list for each.
fn expanded<'a>(
    pattern: &'a [Node],
    draft: &mut Draft,
    effect: Effect,
    from: &str,
) -> Result<Vec<Vec<&'a str>>, String> {
    let mut all: Vec<Vec<&str>> = vec![Vec::new()];
    for node in pattern {
        let choices: Vec<&str> = match node {
            Node::Text(word) => vec![word],
            Node::List(words) => words.iter().map(Node::text).collect::<Option<_>>().ok_or(
                "a choice in `pattern` is a list of words, and has no choices in it".to_owned(),
            )?,
            Node::Other => return Err("`pattern` has something in it that is no word".to_owned()),
        };
        if all.len() * choices.len() > MOST {
            if effect == Effect::Allow {
                draft.loss(from, "it allows nothing now: it has too many choices");
                return Ok(Vec::new());
            }
            draft.loss(from, "it restricts more now: it has too many choices");
            break;
        }
        let longer = |words: &Vec<&'a str>| {
            let with = |choice: &&'a str| words.iter().chain([choice]).copied().collect();
            choices.iter().map(with).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    Ok(all)
}

fn network(draft: &mut Draft, call: &Call, from: &str) -> Result<(), String> {
    known(call, &["host", "protocol", "decision", "justification"])?;
    let host = text(call, "host")?.ok_or("`host` is missing")?;
    let protocol = text(call, "protocol")?.unwrap_or("https");
    let effect = match text(call, "decision")? {
        None | Some("allow") => Effect::Allow,
        Some("prompt") => Effect::Ask,
        Some("deny" | "forbidden") => Effect::Deny,
        Some(other) => return Err(format!("`{other}` is no decision")),
    };
    match (effect, protocol) {
        (Effect::Allow, "https") => draft.rule(effect, Section::Fetch, host, from),
        (Effect::Allow, _) => draft.loss(from, "it allows nothing now: only https is allowed"),
        (effect, _) => {
            let host = host.strip_prefix("*.").unwrap_or(host);
            draft.rule(effect, Section::Fetch, host, from);
            draft.rule(effect, Section::Fetch, &format!("*.{host}"), from);
        }
    }
    Ok(())
}

fn known(call: &Call, keys: &[&str]) -> Result<(), String> {
    match call.keys().find(|key| !keys.contains(key)) {
        Some(key) => Err(format!("`{}` has no `{key}`", call.name)),
        None => Ok(()),
    }
}

fn text<'a>(call: &'a Call, key: &str) -> Result<Option<&'a str>, String> {
    match call.get(key) {
        None => Ok(None),
        Some(Node::Text(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{key}` is not text")),
    }
}
