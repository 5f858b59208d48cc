//! The state of a deferred question, which the client carries back and forth.
//!
//! It is authenticated, so that nobody but this gateway can make one. It is bound to the call and to
//! the question, ends after a time, and counts once.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use hmac::{Hmac, KeyInit as _, Mac as _};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;
use toolgate::{ApprovalRequest, Args, ToolId};

/// What every state of a gateway begins with.
const MARK: &str = "toolgate-1.";

/// How many states may be out at a time. Beyond that nothing is deferred.
const MOST_OPEN: usize = 4_096;

/// Makes states, and takes each of them back once.
pub(crate) struct States {
    key: [u8; 32],
    made: Instant,
    life: Duration,
    /// Those that are out, by their number, with when they end.
    open: Mutex<BTreeMap<u64, u64>>,
}

/// A state as it travels, authenticated.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Carried {
    /// Which one it is.
    number: u64,
    nonce: [u8; 16],
    /// When it ends, on a clock that nobody can set.
    ends: u64,
    /// Which call it is for, and what was asked about it.
    call: [u8; 32],
    asked: [u8; 32],
    /// What the client had carried for the server.
    inner: Inner,
}

/// What the client carries for the server, which gets it when the call goes on.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inner {
    pub(crate) state: Option<Box<RawValue>>,
    pub(crate) responses: Option<Box<RawValue>>,
}

/// What an answer was given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked([u8; 32]);

impl States {
    pub(crate) fn new(life: Duration) -> Result<Self, getrandom::Error> {
        let mut key = [0; 32];
        getrandom::fill(&mut key)?;
        Ok(Self {
            key,
            made: Instant::now(),
            life,
            open: Mutex::default(),
        })
    }

    /// Whether a text claims to be a state of a gateway.
    pub(crate) fn is_meant(text: &str) -> bool {
        text.starts_with(MARK)
    }

    /// Makes a state for a question about a call. None if too many are out.
    pub(crate) fn make(
        &self,
        call: [u8; 32],
        request: &ApprovalRequest,
        inner: Inner,
    ) -> Option<String> {
        let mut nonce = [0; 16];
        getrandom::fill(&mut nonce).ok()?;
        let now = self.now();
        let ends = now + u64::try_from(self.life.as_millis()).ok()?;
        let number = {
            let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
            open.retain(|_, ends| *ends > now);
            if open.len() >= MOST_OPEN {
                return None;
            }
            let number = u64::from_be_bytes(*nonce.first_chunk()?);
            open.insert(number, ends);
            number
        };
        let asked = asked(request).0;
        let carried = Carried {
            number,
            nonce,
            ends,
            call,
            asked,
            inner,
        };
        let body = serde_json::to_string(&carried).ok()?;
        let seal = self.mac(body.as_bytes())?.finalize().into_bytes();
        Some(format!("{MARK}{}.{body}", hex(&seal)))
    }

    /// Takes a state back: what was asked, if it is genuine, for this call, in time, and was not
    /// taken before.
    pub(crate) fn take(&self, text: &str, call: [u8; 32]) -> Option<(Asked, Inner)> {
        let (seal, body) = text.strip_prefix(MARK)?.split_once('.')?;
        let mac = self.mac(body.as_bytes())?;
        mac.verify_slice(&unhex(seal)?).ok()?;
        let carried: Carried = serde_json::from_str(body).ok()?;
        if carried.call != call || carried.ends <= self.now() {
            return None;
        }
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.remove(&carried.number)?;
        Some((Asked(carried.asked), carried.inner))
    }

    fn mac(&self, body: &[u8]) -> Option<Hmac<Sha256>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).ok()?;
        mac.update(body);
        Some(mac)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.made.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// What a call is known by: session, tool with its definition, and arguments.
pub(crate) fn call(session: &str, tool: &ToolId, args: &Args) -> [u8; 32] {
    let mut hasher = Sha256::new_with_prefix(b"toolgate deferred call 1\0");
    for part in [Some(session), tool.server(), Some(tool.name())] {
        let part = part.unwrap_or_default().as_bytes();
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    if let Some(definition) = tool.definition() {
        hasher.update(definition.as_bytes());
    }
    hasher.update(args.digest().as_bytes());
    hasher.finalize().into()
}

/// What a question asks: by which rules, about which arguments.
pub(crate) fn asked(request: &ApprovalRequest) -> Asked {
    let mut hasher = Sha256::new_with_prefix(b"toolgate deferred question 1\0");
    hasher.update(request.args.digest().as_bytes());
    hasher.update(serde_json::to_vec(&request.asks).unwrap_or_default());
    Asked(hasher.finalize().into())
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let digit = |byte: &u8| {
        char::from(*byte)
            .to_digit(16)
            .and_then(|it| u8::try_from(it).ok())
    };
    let byte = |[high, low]: &[u8; 2]| Some(digit(high)? * 16 + digit(low)?);
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

impl std::fmt::Debug for States {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("States").finish_non_exhaustive()
    }
}
