//! Other paths that an odd one may be read as.
//!
//! They are compared with what restricts, and with nothing else: a rule that denies a file denies
//! it under every name that some program may understand.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::{lexical, odd};

/// How often an encoded path is decoded.
const DECODINGS: usize = 3;

/// Other readings, normalised.
pub(super) type Readings = SmallVec<[String; 2]>;

/// What `path` may be read as, beside what it says.
pub(super) fn of(path: &str, base: &str, home: Option<&str>) -> Readings {
    let mut readings = Readings::new();
    if !may_be_misread(path) {
        return readings;
    }
    let decoded = decode(path);
    // A program in C stops at a zero, and so do some at the end of a line.
    if let Some(end) = decoded.find(['\0', '\n', '\r']) {
        readings.push(reading(decoded.get(..end).unwrap_or(""), base, home));
    }
    readings.push(reading(&decoded, base, home));
    readings
}

fn may_be_misread(path: &str) -> bool {
    let is_odd = |name: &str| odd::ends_oddly(name) || name.ends_with("proc");
    !path.bytes().all(is_plain) || lexical::names(path).any(is_odd)
}

/// Whether a byte means the same to everybody, wherever it stands.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/._-+@#=,".contains(&byte)
}

fn reading(path: &str, base: &str, home: Option<&str>) -> String {
    let path = odd::plain(path).replace('\\', "/");
    let path = without_scheme(path.trim());
    let path = with_home(without_drive(path), home);
    let mut out = lexical::normalize(base, "");
    if path.starts_with('/') {
        out.clear();
    }
    for name in lexical::names(&path) {
        lexical::push(&mut out, without_ending(name));
    }
    without_process(&out, base).unwrap_or(out)
}

/// Decodes `%XX` until there is nothing left to decode, within reason.
fn decode(path: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(path);
    for _ in 0..DECODINGS {
        let Some(next) = decode_once(&text) else {
            break;
        };
        text = Cow::Owned(next);
    }
    text
}

fn decode_once(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut changed = false;
    while let [first, rest @ ..] = bytes {
        let decoded = bytes.get(..3).and_then(odd::escaped);
        changed |= decoded.is_some();
        out.push(decoded.unwrap_or(*first));
        bytes = decoded.and(bytes.get(3..)).unwrap_or(rest);
    }
    changed.then(|| String::from_utf8_lossy(&out).into_owned())
}

/// `file://host/path` is `/path`.
fn without_scheme(path: &str) -> &str {
    let Some(rest) = path
        .get(..5)
        .filter(|scheme| scheme.eq_ignore_ascii_case("file:"))
        .and_then(|_| path.get(5..))
    else {
        return path;
    };
    match rest.strip_prefix("//") {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or(""),
        None => rest,
    }
}

/// `//?/C:/path` and `C:/path` are `/path`, and `C:path` is `path`.
fn without_drive(path: &str) -> &str {
    let path = path
        .strip_prefix("//?/")
        .or_else(|| path.strip_prefix("//./"))
        .unwrap_or(path);
    let unrooted = path.strip_prefix('/').unwrap_or(path);
    match unrooted.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => unrooted.get(2..).unwrap_or(""),
        _ => path,
    }
}

/// Ways to write the home directory.
const HOMES: &[&str] = &[
    "~",
    "$HOME",
    "${HOME}",
    "%HOME%",
    "%USERPROFILE%",
    "$env:USERPROFILE",
    "$env:HOME",
];

fn with_home<'a>(path: &'a str, home: Option<&str>) -> Cow<'a, str> {
    let found = HOMES.iter().find_map(|name| {
        let head = path.get(..name.len())?;
        let rest = path.get(name.len()..)?;
        let ends = rest.is_empty() || rest.starts_with('/');
        (ends && head.eq_ignore_ascii_case(name)).then_some(rest)
    });
    match (found, home) {
        (Some(rest), Some(home)) => Cow::Owned(format!("{home}{rest}")),
        _ => Cow::Borrowed(path),
    }
}

/// A name without a stream, and without what Windows leaves away at its end.
fn without_ending(name: &str) -> &str {
    if matches!(name, "." | "..") {
        return name;
    }
    let name = name.split(':').next().unwrap_or(name);
    name.trim_end_matches(['.', ' '])
}

/// `/proc/self/root/x` is `/x`, and `/proc/self/cwd/x` is in the working directory.
fn without_process(path: &str, base: &str) -> Option<String> {
    let rest = path.strip_prefix("/proc/")?;
    let mut names = rest.splitn(3, '/');
    let (_, link, rest) = (names.next()?, names.next()?, names.next().unwrap_or(""));
    match link {
        "root" => Some(lexical::normalize("", rest)),
        "cwd" => Some(lexical::normalize(base, rest)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_paths_are_read_as_others() {
        let cases = [
            ("..\\w\\.env", "/w/.env"),
            ("%2e%2e/w/%2eenv", "/w/.env"),
            ("%252eenv", "/w/.env"),
            ("file:///w/.env", "/w/.env"),
            ("FILE://localhost/w/.env", "/w/.env"),
            ("\\\\?\\C:\\w\\.env", "/w/.env"),
            ("C:.env", "/w/.env"),
            (".env::$DATA", "/w/.env"),
            (".env. .", "/w/.env"),
            (" .env ", "/w/.env"),
            (".env\0.txt", "/w/.env"),
            (".env\u{200b}", "/w/.env"),
            ("\u{ff0e}env", "/w/.env"),
            ("secrets\u{2215}key", "/w/secrets/key"),
            ("~/.ssh", "/home/u/.ssh"),
            ("${HOME}/.ssh", "/home/u/.ssh"),
            ("%userprofile%\\.ssh", "/home/u/.ssh"),
            ("/proc/self/root/w/.env#~", "/w/.env#~"),
        ];
        for (path, expected) in cases {
            let readings = of(path, "/w", Some("/home/u"));
            assert!(
                readings.iter().any(|reading| reading == expected),
                "{path:?}: {readings:?}"
            );
        }
    }

    #[test]
    fn plain_paths_have_one_reading() {
        assert!(of("src/../lib.rs", "/w", None).is_empty());
    }
}
