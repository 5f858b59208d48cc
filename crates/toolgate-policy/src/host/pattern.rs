//! Patterns over hosts, as they are written in a policy.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::Url;

/// A host, in the one spelling that is compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Host {
    /// Small letters, no dot at the end.
    Name(Box<str>),
    Address(IpAddr),
}

/// A pattern over hosts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum HostPattern {
    /// This one.
    Exact(Host),
    /// Every one below this name, and not the name itself.
    Below(Box<str>),
    /// Every one.
    Any,
}

impl HostPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// Says in words what is wrong with it, and what may be meant.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self::Any);
        }
        if let Some(address) = address(text) {
            return Ok(Self::Exact(Host::Address(address)));
        }
        let name = text.strip_prefix("*.").unwrap_or(text);
        if !is_name(name) || name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(problem(text));
        }
        Ok(match name == text {
            true => Self::Exact(Host::Name(name.into())),
            false => Self::Below(name.into()),
        })
    }

    pub(super) fn matches(&self, host: &Host) -> bool {
        match (self, host) {
            (Self::Any, _) => true,
            (Self::Exact(exact), host) => exact == host,
            (Self::Below(suffix), Host::Name(name)) => name
                .strip_suffix(&**suffix)
                .is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
            (Self::Below(_), Host::Address(_)) => false,
        }
    }

    /// Whether so much matches that it can hardly be meant.
    pub(super) fn is_boundless(&self) -> bool {
        match self {
            Self::Any => true,
            Self::Below(suffix) => !suffix.contains('.'),
            Self::Exact(_) => false,
        }
    }
}

/// An address in its usual spelling, as a pattern or in a URL.
fn address(text: &str) -> Option<IpAddr> {
    if let Ok(address) = text.parse::<Ipv4Addr>() {
        return Some(address.into());
    }
    let inner = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    let address: Ipv6Addr = inner.unwrap_or(text).parse().ok()?;
    Some(address.into())
}

/// Whether a text is a name that nothing else can be meant by.
pub(super) fn is_name(text: &str) -> bool {
    let last = text.rsplit('.').next().unwrap_or(text);
    !text.is_empty() && text.len() <= 253 && text.split('.').all(is_label) && !is_number(last)
}

fn is_label(label: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=63).contains(&label.len())
        && label.bytes().all(is_part)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Whether a host that ends in this is taken for an address.
fn is_number(label: &str) -> bool {
    let hex = label
        .strip_prefix("0x")
        .or_else(|| label.strip_prefix("0X"));
    label.bytes().all(|byte| byte.is_ascii_digit())
        || hex.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn problem(text: &str) -> String {
    let url = if text.contains("://") {
        Url::parse(text)
    } else {
        Url::parse(&format!("https://{text}"))
    };
    let meant = url.ok().and_then(|url| {
        url.host_str()
            .map(|host| host.trim_end_matches('.').to_owned())
    });
    let rule = "a pattern is a host such as `docs.rs`, or `*.` and a host, in small letters";
    match meant.filter(|host| *host != text && HostPattern::parse(host).is_ok()) {
        Some(host) => format!("{rule}; did you mean `{host}`?"),
        None => rule.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suffix_needs_the_dot() {
        let matches = |pattern: &str, name: &str| {
            HostPattern::parse(pattern)
                .unwrap()
                .matches(&Host::Name(name.into()))
        };
        assert!(
            matches("*.rust-lang.org", "doc.rust-lang.org")
                && matches("*.rust-lang.org", "a.b.rust-lang.org")
        );
        assert!(
            !matches("*.rust-lang.org", "rust-lang.org")
                && !matches("*.rust-lang.org", "evilrust-lang.org")
        );
        assert!(
            matches("docs.rs", "docs.rs")
                && !matches("docs.rs", "a.docs.rs")
                && !matches("docs.rs", "docs.rs.evil.example")
        );
    }

    #[test]
    fn addresses_are_addresses() {
        for text in ["10.0.0.1", "::1", "[::1]"] {
            assert!(
                matches!(
                    HostPattern::parse(text),
                    Ok(HostPattern::Exact(Host::Address(_)))
                ),
                "{text}"
            );
        }
        for text in [
            "1.2.3",
            "0x7f.1",
            "010.0.0.1",
            "2130706433",
            "1.2.3.4.5",
            "[::1",
            "*.1.2.3.4",
        ] {
            assert!(HostPattern::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_host_is_refused_with_a_hint() {
        let hints = [
            ("https://docs.rs/x", "docs.rs"),
            ("docs.rs:443", "docs.rs"),
            ("docs.rs/x", "docs.rs"),
            ("Docs.RS", "docs.rs"),
            ("docs.rs.", "docs.rs"),
            ("u@docs.rs", "docs.rs"),
            ("b\u{fc}cher.example", "xn--bcher-kva.example"),
        ];
        for (text, meant) in hints {
            let why = HostPattern::parse(text).unwrap_err();
            assert!(
                why.ends_with(&format!("did you mean `{meant}`?")),
                "{text}: {why}"
            );
        }
        for text in [
            "", "a*.com", "docs.*", "**.com", "*docs.rs", "*.", ".com", "a..b", "a b", "-a.com",
            "a\0",
        ] {
            assert!(HostPattern::parse(text).is_err(), "{text:?}");
        }
    }
}
