//! What a value or an operand is, and whether it is harmless.

use super::{awk, jq, sed};

/// What a value or an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text that is no path.
    Text,
    /// The same, even if it looks like an option in a word of its own.
    Any,
    /// A path, or something that may be one.
    File,
    /// A path inside of the current directory, for programs that run or load what they are given.
    Inside,
    /// A format of `printf`.
    Format,
    /// Text that does not look like an option: another program reads it.
    Plain,
    /// Only what the rule spells out.
    Literal,
    /// One of these, divided by `|`; a `*` at the end of one stands for any text.
    Choice(&'static str),
    /// A file name without a host in front of it.
    Archive,
    /// A name or a version, such as a crate or a triple: no path and no file.
    Name,
    /// A package by name and version, such as `@scope/name@1.0`.
    Package,
    /// Digits.
    Number,
    /// The name of a goal of `make`: no assignment.
    Goal,
    /// What `chmod` sets: no set-user-id, no set-group-id.
    Mode,
    /// `OWNER/NAME`, without a host.
    Slug,
    Sed,
    Awk,
    Jq,
    /// An `http` or `https` address.
    Url,
    /// What `curl -w` prints.
    WriteOut,
    /// The name of a remote repository.
    Remote,
    /// The address of a remote repository.
    Repository,
    /// What is fetched or pushed.
    Ref,
    /// Revisions or paths inside of a repository.
    Revision,
    /// The name of a module that is run, with a table of its own.
    Module,
    /// A line that a shell runs.
    Line,
    /// The words of a command follow.
    Inner,
}

const KINDS: &[(&str, Kind)] = &[
    ("TEXT", Kind::Text),
    ("ANY", Kind::Any),
    ("FILE", Kind::File),
    ("INSIDE", Kind::Inside),
    ("PLAIN", Kind::Plain),
    ("LITERAL", Kind::Literal),
    ("ARCHIVE", Kind::Archive),
    ("NAME", Kind::Name),
    ("PACKAGE", Kind::Package),
    ("NUMBER", Kind::Number),
    ("GOAL", Kind::Goal),
    ("MODE", Kind::Mode),
    ("SLUG", Kind::Slug),
    ("SED", Kind::Sed),
    ("AWK", Kind::Awk),
    ("JQ", Kind::Jq),
    ("URL", Kind::Url),
    ("WRITEOUT", Kind::WriteOut),
    ("REMOTE", Kind::Remote),
    ("REPOSITORY", Kind::Repository),
    ("REF", Kind::Ref),
    ("FORMAT", Kind::Format),
    ("REVISION", Kind::Revision),
    ("MODULE", Kind::Module),
    ("LINE", Kind::Line),
    ("INNER", Kind::Inner),
];

impl Kind {
    /// Reads a kind as tables write it.
    pub(super) fn parse(word: &'static str) -> Option<Self> {
        if let Some(choices) = word.strip_prefix('{') {
            return choices.strip_suffix('}').map(Self::Choice);
        }
        let found = KINDS.iter().find(|(name, _)| *name == word)?;
        Some(found.1)
    }

    /// Whether it may be a path.
    pub(super) fn is_path(self) -> bool {
        matches!(
            self,
            Self::File
                | Self::Plain
                | Self::Choice(_)
                | Self::Literal
                | Self::Archive
                | Self::Inside
                | Self::Revision
        )
    }

    /// Whether a `*` of a rule may stand for this text. The error says what is wrong with it.
    pub(super) fn check(self, text: &str) -> Result<(), &'static str> {
        match self {
            Self::Text | Self::Any | Self::File => Ok(()),
            Self::Literal => Err("a word that the rule has to spell out"),
            Self::Module | Self::Line | Self::Inner => Err("a command inside of the command"),
            Self::Sed => sed::check(text),
            Self::Awk => awk::check(text),
            Self::Jq => jq::check(text),
            _ if self.accepts(text) => Ok(()),
            _ => Err(self.complaint()),
        }
    }

    fn accepts(self, text: &str) -> bool {
        match self {
            Self::Plain => !text.starts_with(['-', '+', '@']),
            Self::Choice(choices) => is_choice(choices, text),
            Self::Archive => !text.contains(':'),
            Self::Name => is_name(text),
            Self::Package => is_package(text),
            Self::Number => text
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b'.'),
            Self::Goal => !text.contains('='),
            Self::Mode => is_mode(text),
            Self::Slug => is_slug(text),
            Self::Url => is_url(text),
            Self::Format => !counts(text),
            Self::WriteOut => !text.starts_with('@') && !text.contains("%output"),
            Self::Remote => is_remote(text),
            Self::Repository => is_repository(text),
            Self::Ref => !text.starts_with(['+', ':', '-']) && !text.contains("::"),
            Self::Inside | Self::Revision => is_inside(text),
            _ => false,
        }
    }

    fn complaint(self) -> &'static str {
        match self {
            Self::Plain => "an option for another program",
            Self::Choice(_) => "a value that is not known to be harmless",
            Self::Archive => "an archive that may be on another host",
            Self::Name | Self::Slug | Self::Package => "a value that is no plain name",
            Self::Mode => "a mode that is not known to be harmless",
            Self::Number => "a value that is no number",
            Self::Goal => "an assignment",
            Self::Url => "an address that is not plain http or https",
            Self::Format => "a format that sets a variable",
            Self::WriteOut => "a format that reads or writes a file",
            Self::Remote | Self::Repository => "a repository that is no plain remote",
            Self::Ref => "a reference that is forced or deleted",
            _ => "a path that is not inside of the directory",
        }
    }
}

fn is_choice(choices: &str, text: &str) -> bool {
    choices
        .split('|')
        .any(|choice| match choice.strip_suffix('*') {
            Some(prefix) => text.starts_with(prefix),
            None => choice == text,
        })
}

fn is_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.@:=+,".contains(&byte);
    text.bytes().all(fits) && !text.starts_with(['-', '.', '@']) && !has_extension(text)
}

fn is_package(text: &str) -> bool {
    match text.strip_prefix('@') {
        Some(scoped) => scoped
            .split_once('/')
            .is_some_and(|(scope, name)| is_name(scope) && is_name(name)),
        None => is_name(text) && !text.contains(':'),
    }
}

/// Whether it is the name of a file that describes a compilation target or the like.
fn has_extension(text: &str) -> bool {
    let extension = text.rsplit_once('.').map(|(_, extension)| extension);
    matches!(extension, Some("json" | "toml"))
}

fn is_inside(text: &str) -> bool {
    !text.starts_with(['/', '~', '\\']) && text.split('/').all(|part| part != "..")
}

/// Whether a format of `printf` has a `%n`, which puts a number into the variable that is named.
fn counts(format: &str) -> bool {
    let mut rest = format;
    while let Some((_, behind)) = rest.split_once('%') {
        let conversion =
            behind.trim_start_matches(|c: char| c.is_ascii_digit() || "#-+ '*.$hlLjzt".contains(c));
        if conversion.starts_with('n') {
            return true;
        }
        rest = behind.strip_prefix('%').unwrap_or(behind);
    }
    false
}

fn is_mode(text: &str) -> bool {
    let octal = text.trim_start_matches('0');
    let is_octal = octal.len() < 4 && octal.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    let is_symbolic = || text.bytes().all(|sign| b"ugoarwxX+-=,".contains(&sign));
    !text.is_empty() && (is_octal || is_symbolic())
}

fn is_slug(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let part = |part: &str| !part.starts_with(['-', '.']) && part.bytes().all(fits);
    text.split_once('/')
        .is_some_and(|(owner, name)| part(owner) && part(name))
}

fn is_url(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    scheme.is_some_and(|scheme| {
        scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
    })
}

fn is_remote(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    text.bytes().all(fits) && text.starts_with(|first: char| first.is_ascii_alphanumeric())
}

fn is_repository(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./~:@".contains(&byte);
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("ssh://"))
        .or_else(|| text.strip_prefix("git@"));
    host.is_some_and(|host| host.starts_with(|first: char| first.is_ascii_alphanumeric()))
        && text.bytes().all(fits)
        && !text.contains("::")
        && !text.contains("@-")
}
