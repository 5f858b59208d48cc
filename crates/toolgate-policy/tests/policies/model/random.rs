//! Random policies and calls over a small world.

mod calls;
mod policies;

use serde_json::Value;

use self::policies::policy;
pub(super) use self::{
    calls::Call,
    policies::{restrict, shuffle},
};

/// A random number generator that any seed suits (`SplitMix64`).
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    /// True once in `in_all` times.
    pub(super) fn once_in(&mut self, in_all: u64) -> bool {
        self.below(in_all) == 0
    }

    pub(super) fn pick<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[usize::try_from(self.below(list.len() as u64)).unwrap()]
    }

    fn some(&mut self, list: &[&str], most: u64) -> Vec<String> {
        let count = self.below(most + 1);
        (0..count).map(|_| self.pick(list).to_owned()).collect()
    }
}
/// Whose policy it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    Managed,
    User,
    Trusted,
    Untrusted,
}

/// Policies that hold together, and where.
#[derive(Clone, Debug)]
pub(super) struct World {
    pub(super) layers: Vec<(Whose, Value)>,
    pub(super) environment: Option<&'static str>,
}

impl World {
    pub(super) fn random(random: &mut Random) -> Self {
        let mut layers = Vec::new();
        for whose in [
            Whose::Managed,
            Whose::User,
            Whose::Trusted,
            Whose::Untrusted,
        ] {
            if random.once_in(3) {
                layers.push((whose, policy(random)));
            }
        }
        if layers.is_empty() {
            layers.push((Whose::User, policy(random)));
        }
        let environment = *random.pick(&[&None, &Some("ci"), &Some("lab")]);
        Self {
            layers,
            environment,
        }
    }
}
