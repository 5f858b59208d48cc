//! Code that is given as a word.

use super::super::unwrap::Inner;

/// Hands out the lines that code runs as plain text; beside them it may run anything.
pub(super) fn code<'w, 'a>(code: &str, out: &mut dyn FnMut(Inner<'w, 'a>)) {
    let mut rest = code;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let (before, quoted) = rest.split_at(at);
        let quote = quoted.chars().next().unwrap_or('"');
        let inside = quoted.get(1..).unwrap_or_default();
        let Some((text, after)) = inside.split_once(quote) else {
            break;
        };
        if quote == '`' || is_run(before) {
            out(Inner::Text(text.to_owned()));
        }
        rest = after;
    }
    // `e` of sed has its line without quotes.
    if let Some((_, line)) = code.split_once("e ") {
        out(Inner::Text(line.to_owned()));
    }
    out(Inner::Unknown);
}

/// Whether what stands in front of a text runs it.
fn is_run(before: &str) -> bool {
    const CALLS: [&str; 8] = [
        "system", "exec", "popen", "spawn", "run", "call", "execute", "output",
    ];
    let name = before.trim_end_matches(['(', '[', ' ', '{']);
    let start = name.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let name = name.get(start.map_or(0, |at| at + 1)..).unwrap_or_default();
    let name = name.to_ascii_lowercase();
    CALLS.iter().any(|call| name.contains(call))
}
