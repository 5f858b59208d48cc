//! Every host that some program may find in a text.
//!
//! These are compared with what restricts, and with nothing else.

use std::net::IpAddr;

use smallvec::SmallVec;

use super::{address::carried, pattern::Host};

/// The longest text that is taken for a host, in bytes. Real ones have at most 253.
const LONGEST: usize = 1024;

/// Hosts, some of them perhaps more than once.
pub(super) type Hosts = SmallVec<[Host; 2]>;

/// What is meant by a host that was read strictly: itself, and the address that it carries.
pub(super) fn meant(host: &Host) -> Hosts {
    let mut hosts = Hosts::new();
    push(host.clone(), &mut hosts);
    hosts
}

/// Every host that some program may find.
pub(super) fn hosts(text: &str) -> Hosts {
    let mut hosts = Hosts::new();
    let url = url::Url::parse(text);
    if let Some(host) = url.as_ref().ok().and_then(|url| url.host_str()) {
        read(host, &mut hosts);
    }
    let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let after_scheme = text.split_once(':').map_or("", |(_, rest)| rest);
    for start in [text, after_scheme] {
        let start = start.trim_start_matches(['/', '\\']);
        let authority = start.split(['/', '?', '#']).next().unwrap_or("");
        // Before, between and after what separates a user from a host: readers disagree.
        for part in authority.split(['@', '\\']) {
            read(part, &mut hosts);
            read(without_port(part), &mut hosts);
        }
    }
    hosts
}

fn without_port(part: &str) -> &str {
    match part.find(']') {
        Some(end) => part.get(..=end).unwrap_or(part),
        None => part.split(':').next().unwrap_or(part),
    }
}

/// Adds what a text may be read as that stands where a host does.
fn read(text: &str, hosts: &mut Hosts) {
    if text.is_empty() || text.len() > LONGEST {
        return;
    }
    match url::Host::parse(text) {
        Ok(url::Host::Domain(name)) => push(Host::Name(name.into()), hosts),
        Ok(url::Host::Ipv4(address)) => push(Host::Address(address.into()), hosts),
        Ok(url::Host::Ipv6(address)) => push(Host::Address(address.into()), hosts),
        Err(_) => read_by_force(text, hosts),
    }
}

/// Cuts a text off at the first character that no host has, and leaves such characters out.
fn read_by_force(text: &str, hosts: &mut Hosts) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let text = text.to_ascii_lowercase();
    let cut = text.split(|c| !is_part(c)).next().unwrap_or("");
    push(Host::Name(cut.into()), hosts);
    let left: String = text.chars().filter(|c| is_part(*c)).collect();
    push(Host::Name(left.into()), hosts);
}

fn push(host: Host, hosts: &mut Hosts) {
    match host {
        Host::Name(name) => match name.trim_end_matches('.') {
            "" => {}
            rooted => hosts.push(Host::Name(rooted.into())),
        },
        Host::Address(address) => {
            hosts.push(Host::Address(address));
            hosts.extend(carried(address).map(|four| Host::Address(IpAddr::V4(four))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plausible_host_is_found() {
        let texts = [
            "https://evil.example/",
            "https://EVIL.example./x",
            "https://docs.rs@evil.example/",
            "https://docs.rs:443@evil.example:8/",
            "https://evil.example\\@docs.rs/",
            "https://evil.example@docs.rs/",
            "https:///evil.example",
            "https:evil.example/x",
            "https:\\\\evil.example\\x",
            "//evil.example/x",
            "evil.example/x",
            "evil.example:443",
            "  https://evil.example",
            "https://evil.example\0.docs.rs/",
            "https://evil\t.example/",
            "https://evil%2Eexample/",
            "https://evil\u{3002}example/",
            "https://\u{ff45}vil.example/",
            "ftp://evil.example/",
            "foo://evil.example/",
        ];
        for text in texts {
            let found = hosts(text);
            assert!(
                found.contains(&Host::Name("evil.example".into())),
                "{text:?}: {found:?}"
            );
        }
    }

    #[test]
    fn addresses_are_found_in_every_spelling() {
        let texts = [
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://[::ffff:127.0.0.1]/",
            "https://127.0.0.1./",
            "127.0.0.1:80",
            "https://[::127.0.0.1]:8/",
            "https://\u{2460}27.0.0.1/",
        ];
        for text in texts {
            let found = hosts(text);
            assert!(
                found.contains(&Host::Address([127, 0, 0, 1].into())),
                "{text:?}: {found:?}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn anything_can_be_read(text in proptest::prelude::any::<String>()) {
            hosts(&text);
        }
    }
}
