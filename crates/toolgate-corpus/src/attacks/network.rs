//! Where a fetch leads: names lead to addresses, and answers lead to other URLs.
//!
//! Whoever fetches finds that out, after the call was let through, and has to ask again before it
//! goes on. So a redirect is a call of its own. An address is judged by a policy that allows exactly
//! that one: what is not on the internet is then still asked about.

use serde::Deserialize;
use serde_json::json;
use toolgate::{Args, Effect, ToolCall};
use toolgate_policy::Format;

use super::{
    policy,
    world::{Ended, NewCall, World},
};

/// What a name leads to, one after the other.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Resolved {
    host: String,
    #[serde(default, alias = "first", alias = "from", alias = "ips")]
    ip: Addresses,
    #[serde(default, alias = "second", alias = "to")]
    then: Addresses,
}

/// One address, or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Addresses {
    One(String),
    Several(Vec<String>),
}

/// Where fetches lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    redirects: Vec<String>,
    names: Vec<Resolved>,
}

impl Network {
    /// Has every answer lead there.
    pub(super) fn redirect(&mut self, to: &Addresses) {
        self.redirects.extend(to.list().iter().cloned());
    }

    /// Has a name lead somewhere.
    pub(super) fn resolve(&mut self, resolved: &Resolved) {
        self.names.push(resolved.clone());
    }

    /// The addresses that the host of a URL leads to.
    fn addresses(&self, url: &str) -> Vec<String> {
        let Some(rest) = url.split_once("://").map(|(_, rest)| rest) else {
            return Vec::new();
        };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let host = rest.get(..end).unwrap_or_default();
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        let is_of = |name: &&Resolved| name.host.eq_ignore_ascii_case(host);
        let names = self.names.iter().filter(is_of);
        names.flat_map(Resolved::addresses).collect()
    }
}

impl Resolved {
    fn addresses(&self) -> Vec<String> {
        [self.ip.list(), self.then.list()].concat()
    }
}

impl Addresses {
    fn list(&self) -> &[String] {
        match self {
            Self::One(address) => std::slice::from_ref(address),
            Self::Several(addresses) => addresses,
        }
    }
}

impl Default for Addresses {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

impl World {
    /// Does what whoever fetches does with a call that was let through: asks for each address and
    /// each redirect, and stops at the first that is not let through. Says where it stopped.
    pub(super) fn follow(&mut self, fetch: usize) -> usize {
        let mut at = fetch;
        let redirects = self.network.redirects.clone();
        for next in redirects.into_iter().map(Some).chain([None]) {
            let Some(url) = self.fetched(at) else {
                return at;
            };
            for address in self.network.addresses(&url) {
                let connecting = self.connect(&address);
                if self.fetched(connecting).is_none() {
                    return connecting;
                }
            }
            let Some(next) = next else {
                return at;
            };
            let args = Args::new().with("url", next);
            at = self.call(NewCall::new("redirected", "fetch", Some(args)));
            self.settle();
        }
        at
    }

    /// The URL of a fetch that was let through.
    fn fetched(&self, index: usize) -> Option<String> {
        let call = self.calls.get(index)?;
        let ran = call.ended == Some(Ended::Ran) && call.tool.name() == "fetch";
        let url = call.args.as_ref()?.get("url")?.as_str()?;
        ran.then(|| url.to_owned())
    }

    /// Asks whether an address may be connected to, if exactly that one is allowed.
    fn connect(&mut self, address: &str) -> usize {
        let host = match address.contains(':') {
            true => format!("[{address}]"),
            false => address.to_owned(),
        };
        let text = json!({"fetch": {"allow": [host], "schemes": ["https"]}}).to_string();
        let only = policy::load(&text, Format::Json, &self.scene.settings());
        let args = Args::new().with("url", format!("https://{host}/"));
        let call = ToolCall::new("fetch", args.clone());
        let allowed = only.is_ok_and(|only| only.effect(&call) == Effect::Allow);
        let ended = match allowed {
            true => Ended::Ran,
            false => Ended::Failed,
        };
        self.take_down(&NewCall::new("connecting", "fetch", Some(args)), ended)
    }
}
