//! The strict reading of a URL: what every program agrees about, or nothing.

use std::{borrow::Cow, net::Ipv4Addr};

use url::Url;

use super::pattern::{Host, is_name};

/// The longest URL that is judged, in bytes.
const LONGEST: usize = 8192;

/// What every program finds in a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Strict {
    /// In small letters.
    pub(super) scheme: String,
    pub(super) host: Host,
    /// `None` if it is the usual one of the scheme.
    pub(super) port: Option<u16>,
}

/// Why programs may disagree about a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Odd {
    TooLong,
    Character,
    NoScheme,
    UserInfo,
    Host,
    Port,
    Ambiguous,
}

impl Odd {
    /// The built-in rule that says so.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::TooLong => "host.too-long",
            Self::Character => "host.odd-character",
            Self::NoScheme => "host.odd-url",
            Self::UserInfo => "host.odd-user-info",
            Self::Host => "host.odd-host",
            Self::Port => "host.odd-port",
            Self::Ambiguous => "host.ambiguous",
        }
    }

    /// The reason in words.
    pub(super) fn why(self) -> &'static str {
        match self {
            Self::TooLong => "the URL is longer than anybody reads",
            Self::Character => {
                "the URL has a space, a backslash or a character that is not plain ASCII"
            }
            Self::NoScheme => "the URL has no scheme, or no host",
            Self::UserInfo => "the URL has a user name or a password in it",
            Self::Host => "the host is not written in the usual way",
            Self::Port => "the port is not written in the usual way",
            Self::Ambiguous => "two ways to read the URL find different hosts",
        }
    }
}

/// Reads a URL strictly.
///
/// # Errors
///
/// Says what stands against it.
pub(super) fn read(text: &str) -> Result<Strict, Odd> {
    if text.len() > LONGEST {
        return Err(Odd::TooLong);
    }
    if !text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'\\')
    {
        return Err(Odd::Character);
    }
    let (scheme, rest) = text.split_once("://").ok_or(Odd::NoScheme)?;
    if !is_scheme(scheme) {
        return Err(Odd::NoScheme);
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    // Some programs look for a `@` as far as the first slash.
    if rest
        .split('/')
        .next()
        .is_some_and(|start| start.contains('@'))
    {
        return Err(Odd::UserInfo);
    }
    let (host, port) = split(authority)?;
    let strict = Strict {
        scheme: scheme.to_ascii_lowercase(),
        host: self::host(host)?,
        port: port.map(self::port).transpose()?,
    };
    confirm(text, strict)
}

fn is_scheme(scheme: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.bytes().all(is_part)
}

fn split(authority: &str) -> Result<(&str, Option<&str>), Odd> {
    let Some(end) = authority.find(']') else {
        return Ok(match authority.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (authority, None),
        });
    };
    let (host, rest) = authority.split_at(end + 1);
    match rest.strip_prefix(':') {
        Some(port) => Ok((host, Some(port))),
        None if rest.is_empty() => Ok((host, None)),
        None => Err(Odd::Host),
    }
}

fn host(text: &str) -> Result<Host, Odd> {
    if text.is_empty() {
        return Err(Odd::NoScheme);
    }
    if let Ok(address) = text.parse::<Ipv4Addr>() {
        return Ok(Host::Address(address.into()));
    }
    if let Some(inner) = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
    {
        let address = inner.parse().map_err(|_| Odd::Host)?;
        return Ok(Host::Address(std::net::IpAddr::V6(address)));
    }
    match is_name(text) {
        true => Ok(Host::Name(lower(text).into())),
        false => Err(Odd::Host),
    }
}

fn lower(text: &str) -> Cow<'_, str> {
    match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(text.to_ascii_lowercase()),
        false => Cow::Borrowed(text),
    }
}

fn port(text: &str) -> Result<u16, Odd> {
    let usual = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| usual).ok_or(Odd::Port)
}

/// Has a second reader find the same.
fn confirm(text: &str, mut strict: Strict) -> Result<Strict, Odd> {
    let url = Url::parse(text).map_err(|_| Odd::Ambiguous)?;
    let host = match url.host() {
        Some(url::Host::Domain(name)) => Host::Name(name.into()),
        Some(url::Host::Ipv4(address)) => Host::Address(address.into()),
        Some(url::Host::Ipv6(address)) => Host::Address(address.into()),
        None => return Err(Odd::Ambiguous),
    };
    let usual = url.port_or_known_default();
    let port = strict.port.or(usual);
    let same = host == strict.host && url.scheme() == strict.scheme && port == usual;
    if !same || !url.username().is_empty() || url.password().is_some() {
        return Err(Odd::Ambiguous);
    }
    // The lenient reader leaves the usual port away.
    strict.port = url.port();
    Ok(strict)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_urls_are_read() {
        let read = |text| read(text).unwrap();
        let plain = read("https://docs.rs/search?q=tower&x=1#top");
        assert_eq!(
            (&*plain.scheme, &plain.host, plain.port),
            ("https", &Host::Name("docs.rs".into()), None)
        );
        assert_eq!(read("https://docs.rs:443/x").port, None);
        assert_eq!(read("https://docs.rs:8443/x").port, Some(8443));
        assert_eq!(read("HTTPS://Docs.RS").host, Host::Name("docs.rs".into()));
        assert_eq!(read("https://docs.rs/@scope/a:b?u=a@b#%20").port, None);
        assert_eq!(read("https://[::1]:8/x").port, Some(8));
        assert_eq!(
            read("https://10.0.0.1").host,
            Host::Address([10, 0, 0, 1].into())
        );
    }

    #[test]
    fn anything_odd_is_not() {
        let cases = [
            ("", Odd::NoScheme),
            ("docs.rs/x", Odd::NoScheme),
            ("//docs.rs", Odd::NoScheme),
            ("https:docs.rs", Odd::NoScheme),
            ("https:///docs.rs", Odd::NoScheme),
            ("data:text/html,x", Odd::NoScheme),
            ("javascript:x", Odd::NoScheme),
            ("https://a@docs.rs/", Odd::UserInfo),
            ("https://docs.rs:443@evil.example/", Odd::UserInfo),
            ("https://docs.rs#@evil.example/", Odd::UserInfo),
            ("https://docs.rs?@evil.example/", Odd::UserInfo),
            ("https://evil.example\\@docs.rs/", Odd::Character),
            ("https://docs.rs\t.evil.example/", Odd::Character),
            (" https://docs.rs/", Odd::Character),
            ("https://docs.rs/\u{e9}", Odd::Character),
            ("https://docs\u{3002}rs/", Odd::Character),
            ("https://docs.rs%00.evil.example/", Odd::Host),
            ("https://docs.rs./", Odd::Host),
            ("https://docs..rs/", Odd::Host),
            ("https://0x7f.1/", Odd::Host),
            ("https://2130706433/", Odd::Host),
            ("https://0177.0.0.1/", Odd::Host),
            ("https://127.1/", Odd::Host),
            ("https://[::1]x/", Odd::Host),
            ("https://[fe80::1%25eth0]/", Odd::Host),
            ("https://docs.rs:/", Odd::Port),
            ("https://docs.rs:0443/", Odd::Port),
            ("https://docs.rs:99999/", Odd::Port),
            ("https://docs.rs:443:80/", Odd::Port),
            ("https://xn--a/", Odd::Ambiguous),
            ("foo://Docs.RS/", Odd::Ambiguous),
        ];
        for (text, odd) in cases {
            assert_eq!(read(text), Err(odd), "{text:?}");
        }
        assert_eq!(
            read(&format!("https://docs.rs/{}", "a".repeat(LONGEST))),
            Err(Odd::TooLong)
        );
    }
}
