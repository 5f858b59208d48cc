//! What may stand in front of an allowed program.

use super::{
    ShellRules,
    front::assigned,
    line::Word,
    wrapper::{Form, Wrapper},
};

/// How many wrappers are stripped, one after the other.
const MOST: usize = 4;

impl ShellRules {
    /// The words behind transparent wrappers, and whether the wrappers' own words are plain.
    pub(super) fn strip<'w, 'a>(&self, words: &'w [Word<'a>]) -> (bool, &'w [Word<'a>]) {
        let mut rest = words;
        for _ in 0..MOST {
            let Some(first) = rest.first().filter(|word| word.is_literal()) else {
                break;
            };
            let Some(wrapper) = self.transparent.get(&*first.text) else {
                break;
            };
            let found = wrapper.find(rest);
            let Some(inner) = found.at.and_then(|at| rest.get(at..)) else {
                return (false, rest);
            };
            let own = rest.len() - inner.len();
            let plain = !found.uncertain
                && rest.iter().take(own).all(is_plain)
                && found
                    .options
                    .iter()
                    .all(|(name, _)| may_be_given(wrapper, name))
                && found.assignments.iter().all(|text| self.may_be_set(text));
            if !plain {
                return (false, rest);
            }
            rest = inner;
        }
        (true, rest)
    }

    fn may_be_set(&self, text: &str) -> bool {
        assigned(text).is_some_and(|(name, appends)| !appends && self.env_allow.contains(name))
    }
}

/// Which options change nothing about what is run or where output goes. `time` may be the keyword,
/// which knows only one.
fn may_be_given(wrapper: &Wrapper, name: &str) -> bool {
    let is_time = wrapper.names.contains(&"time");
    match (wrapper.form, name) {
        (Form::Words, "p") => is_time,
        (Form::Words, "f" | "fork" | "pid" | "P" | "pgid" | "u" | "uid") => false,
        (Form::Words, _) => !is_time,
        _ => false,
    }
}

/// Durations, numbers, names of signals and of options; and words that a file cannot be told by.
fn is_plain(word: &Word<'_>) -> bool {
    word.is_literal()
        && word
            .text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b".-+=_".contains(&b))
}
