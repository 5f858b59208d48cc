//! Goes through the words of a program that carries commands.

use super::super::line::{Kind, Word};
use super::table::{Carrier, How};

/// What was met besides values.
#[derive(Default)]
pub(super) struct Seen<'w, 'a> {
    pub(super) first: Option<&'w Word<'a>>,
    /// How many operands there were.
    pub(super) count: usize,
    /// Whether an option brought what the first operand would be.
    pub(super) program: bool,
    /// Whether there was any option that matters, or one that only informs.
    pub(super) options: bool,
}

pub(super) fn scan<'w, 'a>(
    carrier: &Carrier,
    words: &'w [Word<'a>],
    seen: &mut Seen<'w, 'a>,
    found: &mut dyn FnMut(How, Option<&str>),
) {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = &*word.text;
        let next = words.get(at + 1);
        at += 1;
        if word.kind == Kind::Opaque {
            found(How::Hides, None);
            continue;
        }
        let is_option = text.len() > 1 && text.starts_with(['-', '+']);
        if is_option {
            seen.options |= carrier.informs.split(' ').any(|name| name == text);
            let mut used = carrier.values.split(' ').any(|name| name == text);
            for (names, how) in carrier.options {
                if let Some((value, takes)) = matched(names, text, next) {
                    (seen.options, seen.program) = (true, true);
                    used |= takes;
                    found(*how, value);
                }
            }
            at += usize::from(used);
            continue;
        }
        for (prefix, how) in carrier.operands {
            // Nothing need not be compared: it lies nowhere, and some processors take their time there.
            if prefix.is_empty() || text.starts_with(prefix) {
                found(
                    *how,
                    word.is_literal()
                        .then(|| text.get(prefix.len()..).unwrap_or_default()),
                );
            }
        }
        seen.count += usize::from(text != "-");
        if seen.first.is_none() {
            seen.first = Some(word);
        }
        if carrier.posix {
            return;
        }
    }
}

/// The value of an option, if the word is one of these, and whether it is the next word.
fn matched<'w>(
    names: &str,
    text: &'w str,
    next: Option<&'w Word<'_>>,
) -> Option<(Option<&'w str>, bool)> {
    let next = next
        .filter(|word| word.is_literal())
        .map(|word| &*word.text);
    names.split(' ').find_map(|name| {
        if name == text {
            return Some((next, true));
        }
        if let Some(letter) = name.strip_prefix('-').filter(|rest| rest.len() == 1) {
            let cluster = text
                .strip_prefix('-')
                .filter(|rest| !rest.starts_with('-'))?;
            let (before, value) = cluster.split_once(letter)?;
            let plain = before.bytes().all(|b| b.is_ascii_alphanumeric());
            let found = match value {
                "" => (next, true),
                value => (Some(value), false),
            };
            return plain.then_some(found);
        }
        if name == "+" {
            return text.strip_prefix('+').map(|value| (Some(value), false));
        }
        let (typed, value) = text
            .split_once('=')
            .map_or((text, None), |(n, v)| (n, Some(v)));
        let is_cut = typed.len() > 3 && typed.starts_with("--") && name.starts_with(typed);
        let is_name = typed == name || is_cut || typed.strip_prefix('-') == Some(name);
        is_name.then_some((value.or(next), value.is_none()))
    })
}
