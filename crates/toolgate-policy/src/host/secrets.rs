//! Values that must not leave.
//!
//! A secret is looked for as it is, backwards, and in the usual encodings: percent signs, hex,
//! base32 and base64. Upper and lower case are not told apart, because names of hosts are not. What
//! is encrypted, compressed or sent in pieces is not found: this catches accidents and the obvious.

mod encodings;

use std::{borrow::Cow, fmt};

use aho_corasick::AhoCorasick;

use crate::{Located, path::Remark};

/// The shortest secret, in bytes. Shorter ones would be found everywhere.
const SHORTEST: usize = 6;

/// How often an encoded text is decoded.
const DECODINGS: usize = 3;

/// Values that must not leave, compiled.
#[derive(Clone)]
pub(crate) struct Secrets {
    /// `None` if there are none.
    spellings: Option<AhoCorasick>,
}

impl Secrets {
    /// Compiles secrets into one search for all of them.
    ///
    /// # Errors
    ///
    /// Returns the places of those that are too short to be looked for.
    pub(crate) fn compile(secrets: &[Located<String>]) -> Result<Self, Vec<Remark>> {
        let short = secrets
            .iter()
            .filter(|secret| secret.value.len() < SHORTEST);
        let problems: Vec<Remark> = short
            .map(|secret| {
                let why = format!("a secret has to have at least {SHORTEST} characters");
                (secret.place.clone(), why)
            })
            .collect();
        if !problems.is_empty() {
            return Err(problems);
        }
        let Some(first) = secrets.first() else {
            return Ok(Self { spellings: None });
        };
        let all = secrets
            .iter()
            .flat_map(|secret| encodings::spellings(&secret.value));
        let spellings = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(all)
            .map_err(|_| vec![(first.place.clone(), "there are too many secrets".into())])?;
        Ok(Self {
            spellings: Some(spellings),
        })
    }

    /// Whether a secret is in a text.
    pub(crate) fn leak(&self, text: &str) -> bool {
        let Some(spellings) = &self.spellings else {
            return false;
        };
        let mut text = Cow::Borrowed(text.as_bytes());
        for _ in 0..DECODINGS {
            if spellings.is_match(&*text) {
                return true;
            }
            let Some(decoded) = encodings::decoded(&text) else {
                return false;
            };
            text = Cow::Owned(decoded);
        }
        spellings.is_match(&*text)
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::fixture::located;

    fn secrets() -> Secrets {
        let all = ["sk-live-51Habcdef", "AKIAIOSFODNN7EXAMPLE"];
        Secrets::compile(&all.map(|text| located(text.to_owned()))).unwrap()
    }

    #[test]
    fn a_secret_is_found_in_every_usual_encoding() {
        let leaks = [
            "x sk-live-51Habcdef y",
            "https://docs.python.org/?k=c2stbGl2ZS01MUhhYmNkZWY=",
            "eHNrLWxpdmUtNTFIYWJjZGVm",
            "eHhzay1saXZlLTUxSGFiY2RlZnl5",
            "__5BS0lBSU9TRk9ETk43RVhBTVBMRQ==",
            "736b2d6c6976652d353148616263646566",
            "736B2D6C6976652D353148616263646566",
            "%73%6b-live-51Habcdef",
            "%2573k-live-51Habcdef",
            "fedcbaH15-evil-ks",
            "akiaiosfodnn7example.evil.example",
            "IFFUSQKJJ5JUMT2EJZHDORKYIFGVATCFOE",
            "PJAUWSKBJFHVGRSPIRHE4N2FLBAU2UCMIVYQ",
            "PJ5ECS2JIFEU6U2GJ5CE4TRXIVMECTKQJRCXC",
            "PJ5HUQKLJFAUST2TIZHUITSOG5CVQQKNKBGEK4I",
            "PJ5HU6SBJNEUCSKPKNDE6RCOJY3UKWCBJVIEYRLR",
            "f9t76qpddhkncp9d6kokgob2cdi6apg=",
        ];
        for text in leaks {
            assert!(secrets().leak(text), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_taken_for_secrets() {
        for text in [
            "",
            "https://docs.python.org/3/",
            "sk-live",
            "c2stbGl2ZS0",
            "%",
            "%zz",
            "AKIAIOSFODNN7EXAMPL",
        ] {
            assert!(!secrets().leak(text), "{text}");
        }
        assert!(!Secrets::compile(&[]).unwrap().leak("anything"));
    }

    #[test]
    fn short_secrets_are_refused_and_none_is_shown() {
        assert_eq!(
            Secrets::compile(&[located("abc".into()), located(String::new())])
                .unwrap_err()
                .len(),
            2
        );
        assert_eq!(format!("{:?}", secrets()), "Secrets { .. }");
    }

    proptest::proptest! {
        #[test]
        fn anything_can_be_searched(text in proptest::prelude::any::<String>()) {
            secrets().leak(&text);
        }
    }
}
