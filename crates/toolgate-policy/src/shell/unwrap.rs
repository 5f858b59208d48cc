//! Finds the commands that a command runs.

use std::borrow::Cow;

use super::{
    line::{Kind, Word},
    wrapper::{Form, Found, Wrapper, Wrappers},
};

/// A command that another command runs.
#[derive(Debug)]
pub(super) enum Inner<'w, 'a> {
    /// These words of it, and further ones if `open`.
    Words { words: &'w [Word<'a>], open: bool },
    /// Words that were read out of a single one.
    Owned(Vec<Word<'w>>),
    /// A text that a shell reads.
    Text(String),
    /// Some of these words, from any of them on.
    Loose(&'w [Word<'a>]),
    /// Nobody can say.
    Unknown,
}

/// The name by which a program is known: without its directory and the ending that one system adds,
/// in small letters.
pub(super) fn base_name(program: &str) -> Cow<'_, str> {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
    if program.bytes().all(plain) {
        return Cow::Borrowed(program);
    }
    let base = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let mut base = base.trim().to_ascii_lowercase();
    let ending = [".exe", ".cmd", ".bat", ".com"]
        .iter()
        .find(|end| base.ends_with(**end));
    base.truncate(base.len() - ending.map_or(0, |end| end.len()));
    Cow::Owned(base)
}

/// Hands out every command that is run by the one with these words.
pub(super) fn unwrap<'w, 'a>(
    wrappers: &Wrappers,
    name: &str,
    words: &'w [Word<'a>],
    out: &mut dyn FnMut(Inner<'w, 'a>),
) {
    if let Some(wrapper) = wrappers.get(name) {
        by(wrapper, words, out);
    }
}

fn by<'w, 'a>(wrapper: &Wrapper, words: &'w [Word<'a>], out: &mut dyn FnMut(Inner<'w, 'a>)) {
    match wrapper.form {
        Form::Shell => return shell(words, out),
        Form::Find => return find(words, out),
        Form::Fd => return fd(words, out),
        Form::Hidden => {
            out(Inner::Unknown);
            return out(Inner::Loose(words.get(1..).unwrap_or_default()));
        }
        Form::Loose => return out(Inner::Loose(words.get(1..).unwrap_or_default())),
        _ => {}
    }
    if matches!(wrapper.form, Form::WordsOrLoose) {
        out(Inner::Loose(words.get(1..).unwrap_or_default()));
    }
    let found = wrapper.find(words);
    let rest = found.at.and_then(|at| words.get(at..)).unwrap_or_default();
    if let Form::Sub(subs) = wrapper.form {
        let sub = rest
            .first()
            .and_then(|word| subs.iter().find(|(name, _)| word.text == *name));
        if let Some((_, wrapper)) = sub {
            by(wrapper, rest, out);
        }
        return;
    }
    match wrapper.form {
        Form::Lines(names) => lines(names, &found, out),
        Form::Given(letters, long) if is_given(&found, letters, long) => out(Inner::Unknown),
        Form::Given(..) => {}
        _ if found.uncertain => {
            out(Inner::Unknown);
            out(Inner::Loose(words.get(1..).unwrap_or_default()));
            behind(wrapper.form, &found, rest, out);
        }
        _ => behind(wrapper.form, &found, rest, out),
    }
}

/// Whether one of these options is, by letter or by its long name.
fn is_given(found: &Found<'_>, letters: &str, long: &str) -> bool {
    found.options.iter().any(|(name, _)| match name.len() {
        1 => letters.contains(name),
        _ => long.split(' ').any(|long| long == *name),
    })
}

/// The values of options, each of which is a line.
fn lines<'w, 'a>(names: &str, found: &Found<'w>, out: &mut dyn FnMut(Inner<'w, 'a>)) {
    for (name, value) in &found.options {
        if names.split(' ').any(|line| line == *name) {
            out(value.map_or(Inner::Unknown, |value| Inner::Text(value.to_owned())));
        }
    }
}

fn behind<'w, 'a>(
    form: Form,
    found: &Found<'w>,
    rest: &'w [Word<'a>],
    out: &mut dyn FnMut(Inner<'w, 'a>),
) {
    match form {
        Form::Unless(letters) if is_given(found, letters, "") => {}
        Form::Option(letter, long) => option(letter, long, found, rest, out),
        Form::Env => env(found, rest, out),
        _ if rest.is_empty() => {}
        Form::Text => out(text(rest)),
        Form::Dashes => {
            let dashes = rest.iter().position(|word| word.text == "--");
            out(Inner::Words {
                words: dashes.and_then(|at| rest.get(at + 1..)).unwrap_or(rest),
                open: false,
            });
        }
        form => out(Inner::Words {
            words: rest,
            open: matches!(form, Form::MoreWords),
        }),
    }
}

/// Words that are joined by spaces before a shell reads them.
fn text<'w, 'a>(words: &[Word<'_>]) -> Inner<'w, 'a> {
    if words.iter().all(Word::is_literal) {
        let words: Vec<&str> = words.iter().map(|word| &*word.text).collect();
        Inner::Text(words.join(" "))
    } else {
        Inner::Unknown
    }
}

fn option<'w, 'a>(
    letter: char,
    long: &str,
    found: &Found<'w>,
    rest: &'w [Word<'a>],
    out: &mut dyn FnMut(Inner<'w, 'a>),
) {
    let mut letter_name = [0; 4];
    let letter = &*letter.encode_utf8(&mut letter_name);
    let mut texts = found
        .options
        .iter()
        .filter(|(name, _)| *name == letter || *name == long)
        .peekable();
    if texts.peek().is_none() && !rest.is_empty() {
        out(Inner::Words {
            words: rest,
            open: false,
        });
    }
    for (_, value) in texts {
        out(value.map_or(Inner::Unknown, |value| Inner::Text(value.to_owned())));
    }
}

/// `env -S 'command with words'` takes its words apart by rules of its own.
fn env<'w, 'a>(found: &Found<'w>, rest: &'w [Word<'a>], out: &mut dyn FnMut(Inner<'w, 'a>)) {
    let split = found
        .options
        .iter()
        .find(|(name, _)| matches!(*name, "S" | "split-string"));
    let Some((_, value)) = split else {
        if !rest.is_empty() {
            out(Inner::Words {
                words: rest,
                open: false,
            });
        }
        return;
    };
    let value = value.unwrap_or_default();
    let plain = |b: u8| b.is_ascii_alphanumeric() || b" _./-=:,+@%".contains(&b);
    if !value.bytes().all(plain) {
        out(Inner::Unknown);
    }
    let mut words = vec![Word::literal("env")];
    words.extend(
        value
            .split_ascii_whitespace()
            .map(|word| Word::literal(word.trim_matches(['\'', '"']))),
    );
    words.extend(rest.iter().map(|word| {
        Word {
            text: (&*word.text).into(),
            ..*word
        }
        .clone()
    }));
    out(Inner::Owned(words));
}

/// A shell runs the text behind `-c`, or a script, or what it is given to read.
fn shell<'w, 'a>(words: &'w [Word<'a>], out: &mut dyn FnMut(Inner<'w, 'a>)) {
    let (mut at, mut command, mut reads) = (1, false, false);
    while let Some(word) = words.get(at) {
        let text = &*word.text;
        match word.kind {
            Kind::Opaque => return out(Inner::Unknown),
            _ if matches!(text, "--version" | "--help") => return,
            _ if text == "--" || text == "-" => {
                at += 1;
                break;
            }
            _ if matches!(text, "--rcfile" | "--init-file" | "-o" | "+o" | "-O" | "+O") => at += 1,
            _ if text.starts_with("--") => {}
            _ if text.len() > 1 && text.starts_with(['-', '+']) => {
                command |= text.contains('c') && text.starts_with('-');
                reads |= text.contains('s');
                at += usize::from(text.ends_with(['o', 'O']));
            }
            _ => break,
        }
        at += 1;
    }
    let rest = words.get(at..).unwrap_or_default();
    match rest.first() {
        Some(word) if command && word.is_literal() => {
            out(Inner::Text(word.text.clone().into_owned()));
        }
        Some(_) if !command && !reads => out(Inner::Words {
            words: rest,
            open: false,
        }),
        _ => out(Inner::Unknown),
    }
}

/// `find … -exec command … ;`, as often as there are any.
fn find<'w, 'a>(words: &'w [Word<'a>], out: &mut dyn FnMut(Inner<'w, 'a>)) {
    let mut rest = words;
    let runs = |word: &Word<'_>| matches!(&*word.text, "-exec" | "-execdir" | "-ok" | "-okdir");
    while let Some(at) = rest.iter().position(runs) {
        rest = rest.get(at + 1..).unwrap_or_default();
        let end = rest
            .iter()
            .position(|word| matches!(&*word.text, ";" | "+"))
            .unwrap_or(rest.len());
        out(Inner::Words {
            words: rest.get(..end).unwrap_or_default(),
            open: true,
        });
        rest = rest.get(end..).unwrap_or_default();
    }
}

/// `fd … -x command …`.
fn fd<'w, 'a>(words: &'w [Word<'a>], out: &mut dyn FnMut(Inner<'w, 'a>)) {
    let long = |text: &str| {
        text.len() > 3
            && ["--exec", "--exec-batch"]
                .iter()
                .any(|name| name.starts_with(text))
    };
    let short =
        |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains(['x', 'X']);
    let at = words
        .iter()
        .position(|word| long(&word.text) || short(&word.text));
    let Some(rest) = at.and_then(|at| words.get(at + 1..)) else {
        return;
    };
    out(Inner::Words {
        words: rest,
        open: true,
    });
}
