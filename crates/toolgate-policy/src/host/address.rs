//! Hosts that are not on the internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::pattern::Host;

/// Names that are only known in one network, or that mean this machine.
const PRIVATE_SUFFIXES: &[&str] = &[
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "corp",
    "home",
    "lan",
    "home.arpa",
    "in-addr.arpa",
    "ip6.arpa",
];

/// Whether a host is this machine, its network, or nobody.
pub(super) fn is_private(host: &Host) -> bool {
    match host {
        Host::Name(name) => is_private_name(name),
        Host::Address(IpAddr::V4(address)) => is_private_v4(*address),
        Host::Address(IpAddr::V6(address)) => is_private_v6(*address),
    }
}

fn is_private_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    !name.contains('.')
        || PRIVATE_SUFFIXES.iter().any(|suffix| {
            let rest = name.strip_suffix(suffix);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        })
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        // This network, private ones, this machine, what is given out again, multicast, reserved.
        [0 | 10 | 127 | 224.., ..] => true,
        // Shared by a provider's customers.
        [100, second, ..] => second & 0xc0 == 64,
        // Link-local, where clouds keep their secrets.
        [169, second, ..] => second == 254,
        [172, second, ..] => second & 0xf0 == 16,
        // Protocol assignments, documentation, relays, private.
        [192, second, third, _] => {
            matches!((second, third), (0, 0 | 2) | (88, 99)) || second == 168
        }
        // Benchmarks, documentation.
        [198, second, third, _] => second & 0xfe == 18 || (second, third) == (51, 100),
        [203, second, third, _] => (second, third) == (0, 113),
        // A cloud's host, in spite of its number.
        octets => octets == [168, 63, 129, 16],
    }
}

/// Only what is given out to the public is public. Addresses that carry another one are not.
fn is_private_v6(address: Ipv6Addr) -> bool {
    let [first, second, ..] = address.segments();
    let public = first & 0xe000 == 0x2000;
    let special = match first {
        0x2001 => second < 0x200 || second == 0xdb8,
        0x2002 => true,
        0x3fff => second < 0x1000,
        _ => false,
    };
    !public || special
}

/// The address that another one carries.
pub(super) fn carried(address: IpAddr) -> Option<Ipv4Addr> {
    let IpAddr::V6(address) = address else {
        return None;
    };
    let four = |high: u16, low: u16| Ipv4Addr::from(u32::from(high) << 16 | u32::from(low));
    match address.segments() {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low]
        | [0x64, 0xff9b, .., high, low]
        | [0x2002, high, low, ..] => Some(four(high, low)),
        [0x2001, 0, .., high, low] => Some(four(!high, !low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Host {
        match text.parse() {
            Ok(address) => Host::Address(address),
            Err(_) => Host::Name(text.into()),
        }
    }

    #[test]
    fn private_hosts_are_known() {
        let private = [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "100.100.100.200",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::8.8.8.8",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00::1",
            "ff02::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2001::1",
            "3fff::1",
            "100::1",
            "localhost",
            "a.localhost",
            "printer.local",
            "x.internal",
            "metadata.google.internal",
            "router",
            "localhost.",
            "a.home.arpa",
        ];
        for text in private {
            assert!(is_private(&host(text)), "{text}");
        }
    }

    #[test]
    fn public_hosts_are_public() {
        let public = [
            "8.8.8.8",
            "1.1.1.1",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.1.0.1",
            "198.20.0.1",
            "203.0.114.1",
            "223.255.255.255",
            "2606:4700::1",
            "2a00::1",
            "2001:4860::1",
            "docs.rs",
            "internal.example",
            "mylocal.com",
            "xlocal.dev",
        ];
        for text in public {
            assert!(!is_private(&host(text)), "{text}");
        }
    }

    #[test]
    fn carried_addresses_are_found() {
        let metadata = Some(Ipv4Addr::new(169, 254, 169, 254));
        for text in [
            "::ffff:169.254.169.254",
            "::169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::",
            "2001:0:1:2:3:4:5601:5601",
        ] {
            assert_eq!(carried(text.parse().unwrap()), metadata, "{text}");
        }
        assert_eq!(carried("2606:4700::1".parse().unwrap()), None);
    }
}
