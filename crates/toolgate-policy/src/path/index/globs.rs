//! From a name to the patterns with stars that it matches.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hasher},
};

use foldhash::fast::{FixedState, RandomState};
use smallvec::SmallVec;

use super::Places;
use crate::glob::Glob;

/// Patterns with stars, by what they begin and end with.
///
/// Those with ends of equal lengths are one shape. For every shape there is, a name is cut once and
/// looked up by its two ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Globs {
    shapes: Vec<Shape>,
}

#[derive(Clone, Debug)]
struct Shape {
    prefix: usize,
    suffix: usize,
    /// By the hash of both ends. What is found this way is compared in full.
    by_ends: HashMap<u64, SmallVec<[(Glob, u32); 1]>, RandomState>,
}

impl Globs {
    /// What is there for an equal pattern, or else `new`, which is put there.
    pub(super) fn insert(&mut self, glob: &Glob, new: u32) -> u32 {
        let candidates = self
            .shape(glob.prefix.len(), glob.suffix.len())
            .by_ends
            .entry(hash(&glob.prefix, &glob.suffix))
            .or_default();
        if let Some((_, at)) = candidates.iter().find(|(other, _)| other == glob) {
            return *at;
        }
        candidates.push((glob.clone(), new));
        new
    }

    fn shape(&mut self, prefix: usize, suffix: usize) -> &mut Shape {
        let same = |shape: &Shape| (shape.prefix, shape.suffix) == (prefix, suffix);
        let at = self.shapes.iter().position(same).unwrap_or_else(|| {
            self.shapes.push(Shape {
                prefix,
                suffix,
                by_ends: HashMap::default(),
            });
            self.shapes.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the line above says where it is")]
        &mut self.shapes[at]
    }

    pub(super) fn matching(&self, name: &str, next: &mut Places) {
        for shape in &self.shapes {
            for (glob, at) in shape.candidates(name).into_iter().flatten() {
                if glob.matches(name) {
                    next.push(*at);
                }
            }
        }
    }

    pub(super) fn first(&self) -> Option<u32> {
        let all = self.shapes.iter().flat_map(|shape| shape.by_ends.values());
        all.flat_map(|found| found.iter().map(|(_, at)| *at)).min()
    }
}

impl Shape {
    fn candidates(&self, name: &str) -> Option<&SmallVec<[(Glob, u32); 1]>> {
        let prefix = name.get(..self.prefix)?;
        let suffix = name.get(name.len().checked_sub(self.suffix)?..)?;
        self.by_ends.get(&hash(prefix, suffix))
    }
}

fn hash(prefix: &str, suffix: &str) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    // That another pair of ends may hash the same does not matter.
    hasher.write(prefix.as_bytes());
    hasher.write(suffix.as_bytes());
    hasher.finish()
}
