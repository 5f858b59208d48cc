//! Tools of servers, whose names others glue together.

use toolgate::Effect;

use super::draft::{Draft, Section};

/// Adds a rule over `SERVER__TOOL`, `SERVER__*` or `SERVER`.
///
/// If it can be read in several ways, a rule that restricts is meant in all of them, and one that
/// allows in none.
pub(super) fn glued(draft: &mut Draft, effect: Effect, glued: &str, from: &str) {
    if glued.trim_matches(['*', '_']).is_empty() {
        return match effect {
            Effect::Allow => draft.loss(from, "it allowed every server; now it allows nothing"),
            effect => draft.rule(effect, Section::Tools, "mcp:*/*", from),
        };
    }
    let patterns = readings(glued);
    match (effect, &*patterns) {
        (Effect::Allow, [pattern]) if glued.find('*').is_none_or(|at| at + 1 == glued.len()) => {
            draft.rule(effect, Section::Tools, pattern, from);
        }
        (Effect::Allow, _) => {
            draft.loss(
                from,
                "it allows nothing now: it does not say which server is meant",
            );
        }
        (effect, patterns) => {
            for pattern in patterns {
                draft.rule(effect, Section::Tools, pattern, from);
            }
            // A star may stand for the end of the server's name and the beginning of the tool's.
            for (at, _) in glued.match_indices('*') {
                let (server, tool) = glued.split_at(at);
                let pattern = format!("mcp:{server}*/{tool}");
                draft.rule(effect, Section::Tools, &pattern, from);
            }
            // A server of that whole name may be meant, with all of its tools.
            if !glued.contains('*') {
                let whole = format!("mcp:{glued}/*");
                draft.rule(effect, Section::Tools, &whole, from);
            }
        }
    }
}

/// Restricts `SERVER_TOOL`, in which nobody can tell where the server's name ends, and in which `_`
/// may stand for any other character.
pub(super) fn joined(draft: &mut Draft, effect: Effect, joined: &str, from: &str) {
    let any = |part: &str| part.replace(['_', '?'], "*");
    for (at, c) in joined.char_indices() {
        let (server, tool) = joined.split_at(at);
        let (server, tool) = match c {
            '_' => (any(server), any(&tool[1..])),
            // A star may stand for the end of the one and the beginning of the other.
            '*' => (format!("{}*", any(server)), any(tool)),
            _ => continue,
        };
        if !server.is_empty() && !tool.is_empty() {
            let pattern = format!("mcp:{server}/{tool}");
            draft.rule(effect, Section::Tools, &pattern, from);
        }
    }
}

fn readings(glued: &str) -> Vec<String> {
    let split = |(at, _): (usize, &str)| {
        let (server, tool) = (&glued[..at], &glued[at + 2..]);
        let whole = !server.is_empty() && !tool.is_empty();
        whole.then(|| format!("mcp:{server}/{tool}"))
    };
    let mut found: Vec<_> = overlapping(glued).filter_map(split).collect();
    if found.is_empty() {
        found.push(format!("mcp:{}/*", glued.trim_end_matches('_')));
    }
    found
}

/// Every place where two underscores follow each other.
fn overlapping(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let places = (0..text.len()).filter(|at| text.is_char_boundary(*at));
    places.filter_map(|at| Some((at, text[at..].strip_prefix("__")?)))
}
