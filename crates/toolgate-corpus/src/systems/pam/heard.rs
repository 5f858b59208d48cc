//! Who was heard, in which order.

use std::sync::Mutex;

use crate::bench::lock;

/// Takes down which policies are heard in the first round.
#[derive(Debug, Default)]
pub(super) struct Heard(Mutex<Rounds>);

/// The rounds so far.
#[derive(Debug, Default)]
struct Rounds {
    number: u32,
    first: Vec<(usize, String)>,
}

impl Heard {
    /// Says that a round begins.
    pub(super) fn begin(&self) {
        lock(&self.0).number += 1;
    }

    /// Takes down a policy, unless it was heard already.
    pub(super) fn hear(&self, policy: usize, name: &str) {
        let mut rounds = lock(&self.0);
        let known = rounds.first.iter().any(|(number, _)| *number == policy);
        if rounds.number <= 1 && !known {
            rounds.first.push((policy, name.to_owned()));
        }
    }

    /// Who was heard in the first round.
    pub(super) fn first_round(&self) -> Vec<String> {
        let rounds = lock(&self.0);
        rounds.first.iter().map(|(_, name)| name.clone()).collect()
    }
}
