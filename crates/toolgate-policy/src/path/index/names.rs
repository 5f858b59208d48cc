//! From a name to what follows it.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// How many names are compared one by one before a table pays.
const FEW: usize = 4;

/// A map from names that stays small while it has few.
#[derive(Clone, Debug)]
pub(super) enum Names {
    Few(Vec<(Box<str>, u32)>),
    Many(HashMap<Box<str>, u32, RandomState>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Names {
    pub(super) fn get(&self, name: &str) -> Option<u32> {
        match self {
            Self::Few(few) => few
                .iter()
                .find(|(key, _)| **key == *name)
                .map(|(_, at)| *at),
            Self::Many(many) => many.get(name).copied(),
        }
    }

    /// What is there for the name, or else `new`, which is put there.
    pub(super) fn insert(&mut self, name: &str, new: u32) -> u32 {
        if let Some(at) = self.get(name) {
            return at;
        }
        match self {
            Self::Few(few) if few.len() < FEW => few.push((name.into(), new)),
            Self::Few(few) => {
                let mut many: HashMap<_, _, _> = few.drain(..).collect();
                many.insert(name.into(), new);
                *self = Self::Many(many);
            }
            Self::Many(many) => {
                many.insert(name.into(), new);
            }
        }
        new
    }

    pub(super) fn first(&self) -> Option<u32> {
        match self {
            Self::Few(few) => few.first().map(|(_, at)| *at),
            // Not just any: what is suggested must not change from run to run.
            Self::Many(many) => many.values().min().copied(),
        }
    }
}
