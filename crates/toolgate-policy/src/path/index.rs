//! All patterns of one kind, in one tree, so that a path is looked up and not compared.
//!
//! The tree has a node for every beginning of a pattern. A path is followed through it component by
//! component, along names (found by hash), names with stars (found by their ends), and `**`. What it
//! costs depends on the path, and not on how many patterns there are.

mod globs;
mod names;

use smallvec::SmallVec;

use self::{globs::Globs, names::Names};
use super::{
    lexical,
    pattern::{Pattern, Segment},
};
use crate::finding::{Outcome, RuleIndex};

/// What a pattern stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Entry {
    /// A rule of the policy.
    Rule(Outcome, RuleIndex),
    /// A file of the built-in list, by its place there.
    Protected(u16),
    /// A file of this library's own.
    Own,
}

/// What lies below a path, as far as patterns say so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Below {
    /// A rule speaks of something below, by the names of all directories on the way.
    pub(super) rule: bool,
    /// A rule speaks of something that may be anywhere below.
    pub(super) rule_somewhere: bool,
    /// A file of this library's own is there.
    pub(super) own: bool,
}

impl Below {
    fn of(entries: &[Entry]) -> Self {
        Self {
            rule: entries.iter().any(|entry| matches!(entry, Entry::Rule(..))),
            rule_somewhere: false,
            own: entries.contains(&Entry::Own),
        }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.rule |= other.rule;
        self.rule_somewhere |= other.rule_somewhere;
        self.own |= other.own;
    }

    /// The same, seen from above a `**`.
    fn somewhere(self) -> Self {
        Self {
            rule: false,
            rule_somewhere: self.rule || self.rule_somewhere,
            own: self.own,
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Node {
    names: Names,
    globs: Globs,
    /// What follows any one name, written `*`.
    star: Option<u32>,
    /// What follows any number of names, written `**`.
    any: Option<u32>,
    /// What matches if the path ends here.
    here: SmallVec<[Entry; 1]>,
    /// What matches if the path comes through here.
    deep: SmallVec<[Entry; 1]>,
    below: Below,
}

/// Patterns, and what they stand for.
#[derive(Clone, Debug)]
pub(super) struct Index {
    nodes: Vec<Node>,
    /// The parent of each node, and whether a `**` leads from there.
    parents: Vec<(u32, bool)>,
}

impl Default for Index {
    fn default() -> Self {
        Self {
            nodes: vec![Node::default()],
            parents: vec![(0, false)],
        }
    }
}

type Places = SmallVec<[u32; 8]>;

impl Index {
    pub(super) fn insert(&mut self, pattern: &Pattern, entry: Entry) {
        let mut at = 0;
        for segment in &pattern.segments {
            at = self.child(at, segment);
        }
        let Some(node) = self.nodes.get_mut(at as usize) else {
            return;
        };
        let entries = if pattern.deep {
            &mut node.deep
        } else {
            &mut node.here
        };
        entries.push(entry);
    }

    fn child(&mut self, at: u32, segment: &Segment) -> u32 {
        let new = u32::try_from(self.nodes.len()).unwrap_or(u32::MAX);
        let Some(node) = self.nodes.get_mut(at as usize) else {
            return at;
        };
        let (child, through_any) = match segment {
            Segment::Name(name) => (node.names.insert(name, new), false),
            Segment::Glob(glob) if glob.is_any() => (*node.star.get_or_insert(new), false),
            Segment::Glob(glob) => (node.globs.insert(glob, new), false),
            Segment::Any => (*node.any.get_or_insert(new), true),
        };
        if child == new {
            self.nodes.push(Node::default());
            self.parents.push((at, through_any));
        }
        child
    }

    /// Has to be called after the last pattern was put in.
    pub(super) fn finish(&mut self) {
        for at in (1..self.nodes.len()).rev() {
            let Some((node, &(parent, through_any))) = self.nodes.get(at).zip(self.parents.get(at))
            else {
                continue;
            };
            let mut below = node.below;
            below.add(Below::of(&node.here));
            below.add(Below::of(&node.deep));
            let below = if through_any {
                below.somewhere()
            } else {
                below
            };
            if let Some(parent) = self.nodes.get_mut(parent as usize) {
                parent.below.add(below);
            }
        }
        self.parents = Vec::new();
    }

    /// Whether a rule of the policy is among the entries.
    pub(super) fn has_rules(&self) -> bool {
        let root = self.node(0);
        root.is_some_and(|root| root.below.rule || root.below.rule_somewhere)
    }

    /// Calls `found` for every pattern that matches a normalised path, perhaps more than once.
    pub(super) fn walk(&self, path: &str, mut found: impl FnMut(Entry)) -> Below {
        let mut at = Places::from_slice(&[0]);
        // Whoever came through a `**` may continue from there at every component.
        let mut anywhere = Places::new();
        self.arrive(&at, &mut anywhere, &mut found);
        let mut next = Places::new();
        for name in lexical::components(path) {
            next.clear();
            for node in at.iter().chain(&anywhere).filter_map(|at| self.node(*at)) {
                node.step(name, &mut next);
            }
            std::mem::swap(&mut at, &mut next);
            self.arrive(&at, &mut anywhere, &mut found);
            if at.is_empty() && anywhere.is_empty() {
                break;
            }
        }
        self.leave(&at, &anywhere, &mut found)
    }

    fn arrive(&self, at: &Places, anywhere: &mut Places, found: &mut impl FnMut(Entry)) {
        for node in at.iter().filter_map(|at| self.node(*at)) {
            node.deep.iter().copied().for_each(&mut *found);
            // Kept in order, so that nobody is there twice and nobody is looked for in vain.
            if let Some(any) = node.any
                && let Err(place) = anywhere.binary_search(&any)
            {
                anywhere.insert(place, any);
            }
        }
    }

    fn leave(&self, at: &Places, anywhere: &Places, found: &mut impl FnMut(Entry)) -> Below {
        let mut below = Below::default();
        for node in at.iter().filter_map(|at| self.node(*at)) {
            node.here.iter().copied().for_each(&mut *found);
            below.add(node.below);
        }
        for node in anywhere.iter().filter_map(|at| self.node(*at)) {
            below.add(node.below.somewhere());
        }
        below
    }

    /// A pattern that begins as the path does, and for how many components it does.
    pub(super) fn nearest(&self, path: &str) -> Option<(Entry, usize)> {
        let mut at = 0;
        let mut depth = 0;
        for name in lexical::components(path) {
            let Some(next) = self.node(at).and_then(|node| node.names.get(name)) else {
                break;
            };
            at = next;
            depth += 1;
        }
        let mut node = self.node(at)?;
        loop {
            if let Some(entry) = node.deep.first().or(node.here.first()) {
                return Some((*entry, depth));
            }
            node = self.node(node.some_child()?)?;
        }
    }

    fn node(&self, at: u32) -> Option<&Node> {
        self.nodes.get(at as usize)
    }
}

impl Node {
    fn step(&self, name: &str, next: &mut Places) {
        if let Some(at) = self.names.get(name) {
            next.push(at);
        }
        if let Some(at) = self.star {
            next.push(at);
        }
        self.globs.matching(name, next);
    }

    fn some_child(&self) -> Option<u32> {
        self.any
            .or(self.star)
            .or_else(|| self.names.first())
            .or_else(|| self.globs.first())
    }
}

#[cfg(test)]
mod tests;
