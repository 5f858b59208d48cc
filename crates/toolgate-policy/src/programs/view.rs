//! The words of a command for rules that deny or ask, and for the check of paths.

use std::borrow::Cow;

use super::Program;
use super::kind::Kind;
use super::table::Command;
use super::walk::{Item, Name, Walk};

/// The words of a command behind the program's name, options and operands apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Split<'a> {
    /// Sub-commands among them, by their full names.
    pub(crate) operands: Vec<OperandWord<'a>>,
    pub(crate) options: Vec<OptionWord<'a>>,
    /// An option that no table knows stands in front of a sub-command, or of what was taken for
    /// one: which options there are behind it, nobody can say.
    pub(crate) uncertain: bool,
}

/// One operand, or a sub-command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OperandWord<'a> {
    pub(crate) text: &'a str,
    /// It stands behind an option that no table knows, and may be its value.
    pub(crate) may_be_value: bool,
}

/// One option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OptionWord<'a> {
    /// With its dashes; the same for all spellings of an option that a table knows.
    pub(crate) canonical: Cow<'a, str>,
    pub(crate) value: Option<&'a str>,
}

pub(super) fn split<'a>(program: &Program, words: &[&'a str]) -> Split<'a> {
    let mut split = Split::default();
    let mut unknown = None;
    for item in walk(program, words) {
        split.uncertain |= is_led_astray(&item, unknown);
        let may_be_value = |at: usize| unknown.is_some_and(|option: Unknown| option.at + 1 == at);
        match item {
            Item::Command { command, at } if command.name != "--" => {
                let typed = words.get(at).copied().unwrap_or_default();
                let name = if command.name.is_empty() {
                    typed
                } else {
                    command.name
                };
                split.operands.push(OperandWord {
                    text: name,
                    may_be_value: may_be_value(at),
                });
            }
            Item::Operand { at, word, .. } => split.operands.push(OperandWord {
                text: word,
                may_be_value: may_be_value(at),
            }),
            Item::Number(word) => split.options.push(OptionWord {
                canonical: Cow::Borrowed(word),
                value: None,
            }),
            Item::Option {
                opt, name, value, ..
            } => split.options.push(OptionWord {
                canonical: opt.map_or_else(|| typed(name), |opt| Cow::Borrowed(opt.canonical())),
                value: value.map(|value| value.text),
            }),
            Item::Command { .. } | Item::End => {}
        }
        unknown = Unknown::new(&item).or(unknown);
    }
    split
}

/// An option that no table knows, without a value in the same word.
#[derive(Clone, Copy)]
struct Unknown {
    at: usize,
    /// Whether whoever reads it has sub-commands.
    leads: bool,
}

impl Unknown {
    fn new(item: &Item<'_, '_>) -> Option<Self> {
        let Item::Option {
            at,
            command,
            opt: None,
            value: None,
            ..
        } = *item
        else {
            return None;
        };
        let leads = !command.subs.is_empty() || !command.modules.is_empty();
        Some(Self { at, leads })
    }
}

/// Whether an item was taken for a sub-command, or for the lack of one, and is perhaps a value.
fn is_led_astray(item: &Item<'_, '_>, unknown: Option<Unknown>) -> bool {
    let (Item::Command { at, .. } | Item::Operand { at, .. }) = item else {
        return false;
    };
    unknown.is_some_and(|option| option.leads && option.at + 1 == *at)
}

fn typed(name: Name<'_>) -> Cow<'_, str> {
    match name {
        Name::Word(word) => Cow::Borrowed(word),
        Name::Letter(letter) => Cow::Owned(format!("-{letter}")),
    }
}

pub(super) fn paths<'a>(program: &Program, words: &[&'a str]) -> Vec<&'a str> {
    let instead = walk(program, words).any(|item| match item {
        Item::Option {
            opt: Some(opt),
            command,
            ..
        } => opt.is_one_of(&command.instead),
        _ => false,
    });
    walk(program, words)
        .filter_map(|item| match item {
            Item::Operand {
                word, command, nth, ..
            } => may_be_path(command, nth, instead).then(|| value_of(command, nth, word)),
            Item::Option {
                at,
                opt: None,
                name,
                value,
                ..
            } => value.map_or_else(|| trailing(name, words.get(at)?), |value| Some(value.text)),
            Item::Option {
                opt: Some(opt),
                value,
                ..
            } => value.map(|value| value.text).filter(|_| is_file(opt.kind)),
            _ => None,
        })
        .collect()
}

fn is_file(kind: Kind) -> bool {
    kind.is_path() && !matches!(kind, Kind::Choice(_))
}

fn may_be_path(command: &Command, nth: usize, instead: bool) -> bool {
    let kind = command.operands.kind(nth);
    (instead && nth == 0) || kind.is_none_or(|(kind, _)| kind.is_path())
}

/// Where a word is `name=value`, only the value is a path.
fn value_of<'a>(command: &Command, nth: usize, word: &'a str) -> &'a str {
    match (command.operands.kind(nth), word.split_once('=')) {
        (Some((Kind::Choice(_), _)), Some((_, value))) => value,
        _ => word,
    }
}

/// What an option that no table knows may have behind its letter.
fn trailing<'a>(name: Name<'_>, word: &'a str) -> Option<&'a str> {
    let from = match name {
        Name::Letter(letter @ ('/' | '.' | '~')) => word.find(letter),
        Name::Letter(_) => None,
        Name::Word(_) => word.find('/'),
    };
    word.get(from?..)
}

pub(super) fn walk<'t, 'a, 'w>(
    program: &'t Program,
    words: &'w [&'a str],
) -> Walk<'t, 'a, impl Fn(usize) -> Option<&'a str> + 'w>
where
    'a: 'w,
{
    Walk::new(program, |at| words.get(at).copied())
}

#[cfg(test)]
mod tests {
    use crate::programs::Programs;

    fn words(line: &str) -> Vec<&str> {
        line.split(' ').collect()
    }

    fn split(line: &str) -> String {
        let words = words(line);
        let program = Programs::builtin().get(words[0]).unwrap();
        let split = program.split(&words);
        let option = |option: &super::OptionWord<'_>| match option.value {
            Some(value) => format!("{}={value}", option.canonical),
            None => option.canonical.to_string(),
        };
        let options: Vec<String> = split.options.iter().map(option).collect();
        let operand = |operand: &super::OperandWord<'_>| match operand.may_be_value {
            true => format!("{}?", operand.text),
            false => operand.text.to_owned(),
        };
        let operands: Vec<String> = split.operands.iter().map(operand).collect();
        let uncertain = if split.uncertain { " | uncertain" } else { "" };
        format!("{} | {}{uncertain}", operands.join(" "), options.join(" "))
    }

    #[test]
    fn spellings_of_an_option_become_one() {
        assert_eq!(split("rm -rf x"), "x | -r -f");
        assert_eq!(split("rm x --force --recursive"), "x | -f -r");
        assert_eq!(split("rm -R --forc x"), "x | -r -f");
        assert_eq!(split("sort --outp=x -uo y f"), "f | -o=x -u -o=y");
        assert_eq!(split("git -C . push -f origin"), "push origin | -C=. -f");
        assert_eq!(split("git --git-dir x push"), "push | --git-dir=x");
        assert_eq!(split("cargo t -p core"), "test | -p=core");
        assert_eq!(split("rm -rz -- -f"), "-f | -r -z");
        assert_eq!(split("head -20 f"), "f | -20");
        assert_eq!(split("tar xf a.tar -C /"), " | -x -f=a.tar -C=/");
        assert_eq!(split("go test --run X ./..."), "test ./... | -run=X");
    }

    #[test]
    fn the_word_behind_an_unknown_option_may_be_its_value() {
        assert_eq!(split("rm --frob x y"), "x? y | --frob");
        assert_eq!(split("rm --frob=x y"), "y | --frob=x");
        assert_eq!(split("rm -rz x"), "x? | -r -z");
        assert_eq!(split("rm -zr x"), "x? | -z -r");
        assert_eq!(split("git --frob x push"), "x? push | --frob | uncertain");
        assert_eq!(split("git --frob push"), "push? | --frob | uncertain");
        assert_eq!(split("git push --frob x"), "push x? | --frob");
    }

    #[test]
    fn paths_are_found_wherever_they_stand() {
        let paths = |line: &'static str| {
            let words = words(line);
            Programs::builtin().get(words[0]).unwrap().paths(&words)
        };
        assert_eq!(paths("cat a /etc/hosts"), ["a", "/etc/hosts"]);
        assert_eq!(paths("cat -- /etc/passwd"), ["/etc/passwd"]);
        assert_eq!(paths("grep -r /key/ /etc"), ["/etc"]);
        assert_eq!(paths("grep /etc/shadow -e x"), ["/etc/shadow"]);
        assert_eq!(paths("grep -f /etc/shadow x"), ["/etc/shadow", "x"]);
        assert_eq!(paths("sed -n /foo/p f"), ["f"]);
        assert_eq!(paths("ls --frob=/etc"), ["/etc"]);
        assert_eq!(paths("ls -y/etc"), ["/etc"]);
        assert_eq!(paths("dd if=/etc/shadow bs=1"), ["/etc/shadow", "1"]);
        assert_eq!(paths("curl -o /dev/null https://a"), [""; 0]);
        assert_eq!(paths("git frob /etc/x"), ["frob", "/etc/x"]);
    }
}
