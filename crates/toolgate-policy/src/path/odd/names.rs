//! Names that some system or shell takes for something else.

/// What is odd about one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OddName {
    /// Stands for somebody's home directory.
    Home,
    /// Looks like the short form of another name.
    Short,
    /// Names a stream of a file.
    Stream,
    /// Is a device on Windows, whatever its ending.
    Device,
    /// Two dots with something that some server leaves away.
    Dots,
}

pub(super) fn odd(name: &str) -> Option<OddName> {
    if name.starts_with('~') {
        return Some(OddName::Home);
    }
    if name.contains("::") || name.contains(":$") {
        return Some(OddName::Stream);
    }
    is_short(name).then_some(OddName::Short)
}

/// What is odd about a name that may have nothing suspicious in it.
pub(super) fn odd_in_plain(name: &str) -> Option<OddName> {
    match name.as_bytes() {
        [b'.', b'.', rest @ ..]
            if !rest.is_empty() && !rest.iter().any(u8::is_ascii_alphanumeric) =>
        {
            rest.is_ascii().then_some(OddName::Dots)
        }
        _ => is_device(name).then_some(OddName::Device),
    }
}

/// `NUL`, `con.txt`, `COM1`.
fn is_device(name: &str) -> bool {
    if !name.starts_with(['c', 'p', 'a', 'n', 'l', 'C', 'P', 'A', 'N', 'L']) {
        return false;
    }
    let stem = name
        .split(['.', ':'])
        .next()
        .unwrap_or(name)
        .trim_end_matches(' ');
    let (word, number) = stem.split_at_checked(3).unwrap_or((stem, ""));
    let is = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    match number.as_bytes() {
        [] => is(&["con", "prn", "aux", "nul"]),
        [b'0'..=b'9'] => is(&["com", "lpt"]),
        // Small raised digits count as well.
        _ if matches!(number, "¹" | "²" | "³") => is(&["com", "lpt"]),
        _ => ["conin$", "conout$", "clock$"]
            .iter()
            .any(|known| known.eq_ignore_ascii_case(stem)),
    }
}

/// Whether a name ends in what Windows leaves away.
pub(in super::super) fn ends_oddly(name: &str) -> bool {
    matches!(name.as_bytes().last(), Some(b'.' | b' ')) && !matches!(name, "." | "..")
}

/// `PROGRA~1`, `SETTIN~1.JSO`: at most eight characters, the last of them a tilde and a number.
fn is_short(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let digits = stem.len() - stem.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let before = stem.get(..stem.len() - digits).unwrap_or("");
    stem.len() <= 8 && digits > 0 && before.ends_with('~')
}

/// `C:` at the front.
pub(super) fn has_drive(path: &str) -> bool {
    let mut bytes = path.bytes();
    bytes
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && bytes.next() == Some(b':')
}

/// `file:` or `anything://` at the front.
pub(super) fn is_url(path: &str) -> bool {
    let Some((scheme, rest)) = path.split_once(':') else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    !scheme.is_empty()
        && scheme.chars().all(is_name)
        && (rest.starts_with("//") || scheme.eq_ignore_ascii_case("file"))
}

/// A percent sign and digits for a character that nobody has to write that way, or that is
/// dangerous if somebody reads it.
pub(super) fn has_needless_escape(path: &str) -> bool {
    let mut parts = path.split('%').skip(1).peekable();
    while let Some(part) = parts.next() {
        let next = parts.peek().copied().unwrap_or("");
        if is_needless(part.as_bytes(), next.as_bytes()) {
            return true;
        }
    }
    false
}

/// Whether that holds for what follows on one percent sign, and on the next.
fn is_needless(part: &[u8], next: &[u8]) -> bool {
    let byte = |part: &[u8]| match part {
        [high, low, ..] => escaped(&[b'%', *high, *low]),
        _ => None,
    };
    match (byte(part), byte(next)) {
        // Longer than it has to be: that is how a slash hides from a careful reader.
        (Some(0xe0), Some(0x80..0xa0))
        | (Some(0xf0), Some(0x80..0x90))
        | (Some(0xc0 | 0xc1 | 0xf5..), _) => true,
        (Some(byte), _) => {
            byte.is_ascii_alphanumeric() || byte.is_ascii_control() || b"-._~/\\%:".contains(&byte)
        }
        (None, _) => {
            matches!(part, [b'u' | b'U', digits @ ..] if digits.len() >= 4
                && digits.iter().take(4).all(u8::is_ascii_hexdigit))
        }
    }
}

/// The byte that `%XX` stands for.
pub(crate) fn escaped(three: &[u8]) -> Option<u8> {
    let &[b'%', high, low] = three else {
        return None;
    };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Variables, commands, wildcards and choices.
pub(super) fn is_replaced_by_a_shell(path: &str) -> bool {
    path.contains(['`', '*', '?'])
        || path.split('$').skip(1).any(is_variable)
        || has_percent_variable(path)
        || has_choice(path)
}

/// Names of variables that are there in small letters as well, in some shell.
const SMALL_VARIABLES: &[&str] = &[
    "home",
    "pwd",
    "oldpwd",
    "user",
    "tmpdir",
    "userprofile",
    "appdata",
    "psscriptroot",
];

/// Whether what follows on a dollar sign is the name of a variable. Small letters are not, because
/// some frameworks name files so.
fn is_variable(rest: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if name.is_empty() {
        return rest.starts_with(['{', '(']);
    }
    let small = name.to_ascii_lowercase();
    let begins = !name.starts_with(|c: char| c.is_ascii_digit());
    (begins && !name.contains(|c: char| c.is_ascii_lowercase()))
        || SMALL_VARIABLES.contains(&&*small)
        || (small == "env" && rest.starts_with(':'))
}

/// `%NAME%`, unless the name is two digits of an encoded character.
fn has_percent_variable(path: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_()".contains(c);
    let mut parts = path.split('%').skip(1).peekable();
    while let Some(part) = parts.next() {
        let starts = part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let is_digits = part.len() == 2 && part.chars().all(|c| c.is_ascii_hexdigit());
        if parts.peek().is_some() && starts && !is_digits && part.chars().all(is_name) {
            return true;
        }
    }
    false
}

/// `{a,b}` or `{a..b}`.
fn has_choice(path: &str) -> bool {
    path.split('{').skip(1).any(|rest| {
        let inner = rest.split('}').next().unwrap_or("");
        rest.contains('}') && (inner.contains(',') || inner.contains(".."))
    })
}
