//! How a secret may be written.

/// An encoding that writes a few bits as one character.
struct Encoding {
    bits: usize,
    alphabet: &'static [u8],
}

const ENCODINGS: &[Encoding] = &[
    Encoding {
        bits: 4,
        alphabet: b"0123456789abcdef",
    },
    Encoding {
        bits: 5,
        alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    },
    Encoding {
        bits: 5,
        alphabet: b"0123456789ABCDEFGHIJKLMNOPQRSTUV",
    },
    Encoding {
        bits: 6,
        alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    },
    Encoding {
        bits: 6,
        alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    },
];

/// Every spelling of a secret that is looked for.
pub(super) fn spellings(secret: &str) -> Vec<Vec<u8>> {
    let mut all = vec![
        secret.as_bytes().to_vec(),
        secret.chars().rev().collect::<String>().into_bytes(),
    ];
    for encoding in ENCODINGS {
        // What comes before the secret moves it within a character.
        for skipped in 0..encoding.bits {
            all.extend(encoding.encode(secret.as_bytes(), skipped));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

impl Encoding {
    /// The characters that depend on nothing but the secret, if its first `skipped` bits belong to a
    /// character that depends on what is before. `None` if that cannot be.
    fn encode(&self, secret: &[u8], skipped: usize) -> Option<Vec<u8>> {
        // Whole bytes are before the secret: not every number of bits can be left over.
        let possible = (0..self.bits).any(|bytes| (bytes * 8 + skipped).is_multiple_of(self.bits));
        if !possible {
            return None;
        }
        let characters = (secret.len() * 8 - skipped) / self.bits;
        (0..characters)
            .map(|at| self.character(secret, skipped + at * self.bits))
            .collect()
    }

    fn character(&self, secret: &[u8], from: usize) -> Option<u8> {
        let mut value = 0;
        for bit in from..from + self.bits {
            let byte = secret.get(bit / 8)?;
            value = value << 1 | usize::from(byte >> (7 - bit % 8) & 1);
        }
        self.alphabet.get(value).copied()
    }
}

/// The text with `%XX` decoded; `None` if there is none in it.
pub(super) fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        let byte = rest.get(..3).and_then(crate::path::escaped);
        out.push(byte.unwrap_or(*first));
        rest = byte.and(rest.get(3..)).unwrap_or(after);
    }
    (out.len() < text.len()).then_some(out)
}
