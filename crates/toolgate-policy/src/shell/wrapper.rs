//! Programs that run other programs: where in their words the other command begins.

mod table;

use foldhash::HashMap;
use foldhash::HashMapExt as _;

use super::line::{Kind, Word};

/// What is known of a program that runs another one.
#[derive(Debug)]
pub(super) struct Wrapper {
    pub(super) names: &'static [&'static str],
    /// Letters of options without a value.
    pub(super) flags: &'static str,
    /// Letters of options with one.
    pub(super) values: &'static str,
    /// Long options, those with a value ending in `=`.
    pub(super) long: &'static str,
    /// How many operands stand in front of the command; the most there can be if it is never one.
    pub(super) skip: usize,
    /// Whether `NAME=value` may stand in front of it.
    pub(super) assignments: bool,
    pub(super) form: Form,
    /// Whether it can be stripped from what is allowed: it changes nothing about what is run.
    pub(super) transparent: bool,
}

/// How the other command is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// As the remaining words.
    Words,
    /// As the remaining words, with further ones that are read when it runs.
    MoreWords,
    /// As the remaining words, which are joined and read by a shell.
    Text,
    /// As the value of this option, read by a shell; without it, as the remaining words.
    Option(char, &'static str),
    /// As nothing if one of these letters is given, and else as the remaining words.
    Unless(&'static str),
    /// As the values of these options, read by a shell; without them there is none.
    Lines(&'static str),
    /// In ways that cannot be seen, if one of these letters or long options is given.
    Given(&'static str, &'static str),
    /// As the words behind `--`; without it, as the remaining words.
    Dashes,
    /// A shell: `-c` text, a script, or whatever comes in.
    Shell,
    /// Behind `-exec` and its like.
    Find,
    /// Behind `-x` and its like.
    Fd,
    /// `env`, which also takes a whole command as one option.
    Env,
    /// Behind some of its sub-commands.
    Sub(&'static [(&'static str, &'static Wrapper)]),
    /// As some of the words, which begin nobody knows where.
    Loose,
    /// As the remaining words, or as some others, where options are known in part.
    WordsOrLoose,
    /// In ways that cannot be seen.
    Hidden,
}

/// All of them, by name.
#[derive(Debug)]
pub(super) struct Wrappers(HashMap<&'static str, &'static Wrapper>);

impl Wrappers {
    pub(super) fn new() -> Self {
        let mut map = HashMap::new();
        for wrapper in table::wrappers() {
            map.extend(wrapper.names.iter().map(|name| (*name, wrapper)));
        }
        Self(map)
    }

    pub(super) fn get(&self, program: &str) -> Option<&'static Wrapper> {
        self.0.get(program).copied()
    }
}

/// Where the words of a wrapper's own end.
#[derive(Debug, Default)]
pub(super) struct Found<'w> {
    /// The first word behind them.
    pub(super) at: Option<usize>,
    /// Options with their values, by letter or long name.
    pub(super) options: Vec<(&'w str, Option<&'w str>)>,
    /// What stands in front of the command as `NAME=value`.
    pub(super) assignments: Vec<&'w str>,
    /// Whether there was an option that is not known, or a word that is not.
    pub(super) uncertain: bool,
}

impl Wrapper {
    /// The words of a sub-command, its name first, where there are any.
    pub(super) fn sub<'w, 'a>(&self, words: &'w [Word<'a>]) -> Option<&'w [Word<'a>]> {
        match self.form {
            Form::Sub(_) => self.find(words).at.and_then(|at| words.get(at..)),
            _ => None,
        }
    }

    /// Goes past the wrapper's own words, the first being its name.
    pub(super) fn find<'w>(&self, words: &'w [Word<'_>]) -> Found<'w> {
        let mut found = Found::default();
        let (mut at, mut skip, mut ended) = (1, self.skip, false);
        while let Some(word) = words.get(at) {
            let text: &'w str = &word.text;
            if word.kind == Kind::Opaque {
                found.uncertain = true;
                return found;
            }
            if !ended && text == "--" {
                ended = true;
            } else if !ended && text.len() > 1 && text.starts_with('-') {
                at += self.option(text, words.get(at + 1), &mut found);
            } else if self.assignments && text.contains('=') {
                found.assignments.push(text);
            } else if skip > 0 {
                skip -= 1;
            } else {
                found.at = Some(at);
                return found;
            }
            at += 1;
        }
        found
    }

    /// Reads an option. Returns 1 if the next word is its value, and else 0.
    fn option<'w>(
        &self,
        text: &'w str,
        next: Option<&'w Word<'_>>,
        found: &mut Found<'w>,
    ) -> usize {
        let next = next.map(|word| &*word.text);
        if let Some(long) = text.strip_prefix("--") {
            return self.long(long, next, found);
        }
        for (index, letter) in text.char_indices().skip(1) {
            let name = text
                .get(index..index + letter.len_utf8())
                .unwrap_or_default();
            let rest = text.get(index + letter.len_utf8()..).unwrap_or_default();
            if self.values.contains(letter) {
                let attached = (!rest.is_empty()).then_some(rest);
                found.options.push((name, attached.or(next)));
                return usize::from(attached.is_none());
            }
            found.uncertain |= !self.flags.contains(letter);
            found.options.push((name, None));
        }
        0
    }

    fn long<'w>(&self, text: &'w str, next: Option<&'w str>, found: &mut Found<'w>) -> usize {
        let (name, value) = text
            .split_once('=')
            .map_or((text, None), |(n, v)| (n, Some(v)));
        let known = self
            .long
            .split(' ')
            .find(|known| known.trim_end_matches('=') == name);
        let cut = || self.long.split(' ').find(|known| known.starts_with(name));
        let Some(known) = known.or_else(cut) else {
            found.uncertain = true;
            return 0;
        };
        let takes = known.ends_with('=') && value.is_none();
        found.options.push((
            known.trim_end_matches('='),
            value.or(next.filter(|_| takes)),
        ));
        usize::from(takes)
    }
}
