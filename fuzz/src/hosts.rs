//! Addresses on the network.
//!
//! 1. Whatever is allowed names an allowed host by an allowed scheme, at the usual port and without
//!    a user, as the `url` crate reads it and as a plain split of the text does.
//! 2. A host that is denied is denied however its name is written.
//! 3. A secret does not leave, be it percent-encoded.
//! 4. Further rules that deny or ask never let more through.

use std::sync::LazyLock;

use serde_json::json;
use toolgate::Effect;
use toolgate_policy::FilePolicy;
use url::Url;

use crate::kit;

const SECRET: &str = "hunter2-and-a-half";

const POLICY: &str = r#"
secrets = ["hunter2-and-a-half"]
[fetch]
allow = ["docs.rs", "*.rust-lang.org"]
ask = ["ask.rust-lang.org"]
deny = ["evil.example", "*.evil.example", "*.internal"]
schemes = ["https"]
"#;

const FURTHER: &str = r#"
[fetch]
ask = ["doc.rust-lang.org"]
deny = ["*.docs.rs", "docs.rs"]
"#;

static BASE: LazyLock<FilePolicy> = LazyLock::new(|| kit::policy(POLICY));
static STRICTER: LazyLock<FilePolicy> = LazyLock::new(|| kit::with(POLICY, FURTHER));

/// Checks an address.
pub fn check(text: &str) {
    let call = kit::call("fetch", json!({ "url": text }));
    let effect = kit::effect(&BASE, &call);
    assert!(
        kit::effect(&STRICTER, &call) >= effect,
        "a further rule let it through"
    );
    assert_eq!(BASE.explain(&call).effect, effect, "explained otherwise");
    let url = Url::parse(text);
    if effect == Effect::Allow {
        assert!(
            url.as_ref().is_ok_and(is_fine),
            "allowed and read otherwise"
        );
        assert!(is_plainly_fine(text), "allowed and split otherwise");
    }
    let host = url.as_ref().ok().and_then(Url::host_str);
    if host.is_some_and(is_denied) && text.len() < 8192 {
        assert_eq!(effect, Effect::Deny, "the host is denied");
    }
    if text.contains(SECRET) || decoded(text).contains(SECRET) {
        assert_eq!(effect, Effect::Deny, "a secret leaves");
    }
}

fn is_allowed(host: &str) -> bool {
    host == "docs.rs" || (host.ends_with(".rust-lang.org") && host != "ask.rust-lang.org")
}

fn is_denied(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    let below = |name: &str| {
        host.strip_suffix(name)
            .is_some_and(|rest| rest.ends_with('.'))
    };
    host == "evil.example" || below("evil.example") || below("internal")
}

fn is_fine(url: &Url) -> bool {
    let named = url.host_str().is_some_and(is_allowed);
    let alone = url.username().is_empty() && url.password().is_none();
    named && alone && url.scheme() == "https" && url.port().is_none()
}

fn is_plainly_fine(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let Some(rest) = text.strip_prefix("https://") else {
        return false;
    };
    let authority = rest
        .split(['/', '?', '#', '\\', '@'])
        .next()
        .unwrap_or_default();
    is_allowed(authority.strip_suffix(":443").unwrap_or(authority))
}

/// The text with everything percent-decoded once.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let digits = others
            .get(..2)
            .and_then(|two| std::str::from_utf8(two).ok());
        let is_hex = |two: &&str| two.bytes().all(|b| b.is_ascii_hexdigit());
        let byte = digits
            .filter(is_hex)
            .and_then(|two| u8::from_str_radix(two, 16).ok());
        let encoded = byte.filter(|_| *first == b'%');
        bytes.push(encoded.unwrap_or(*first));
        rest = match encoded {
            Some(_) => others.get(2..).unwrap_or_default(),
            None => others,
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
