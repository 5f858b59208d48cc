//! All grants, and how the ones that answer an ask are found.

use std::{
    collections::{BTreeMap, HashMap},
    hash::BuildHasher as _,
    sync::Arc,
};

use foldhash::fast::RandomState;
use smallvec::SmallVec;

use super::{
    super::{Grant, GrantDecision, GrantId, GrantQuery, hash},
    live::Live,
};
use crate::{Args, Origin, ToolId};

/// All grants, in the order in which they were given.
///
/// A grant is found by a hash of what it was given for. Grants of one tool may have been given for
/// different sets of keys, and for a session or for longer: an ask is looked up once for each such
/// shape that occurs.
#[derive(Default)]
pub(super) struct Table {
    next: u64,
    grants: BTreeMap<GrantId, Arc<Live>>,
    buckets: HashMap<u64, SmallVec<[Arc<Live>; 1]>, RandomState>,
    shapes: HashMap<ToolId, Vec<(Shape, usize)>, RandomState>,
    /// How many grants there may be before those that ended are looked for.
    sweep_at: usize,
    state: RandomState,
}

/// What a grant was given for: the whole payload or some keys of it, one session or all.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shape {
    one_session: bool,
    keys: Option<Box<[Box<str>]>>,
}

impl Shape {
    fn of(grant: &Grant) -> Self {
        let keys = || {
            grant
                .payload
                .as_map()
                .keys()
                .map(|key| key.as_str().into())
                .collect()
        };
        Self {
            one_session: grant.scope.one_session,
            keys: (!grant.exact).then(keys),
        }
    }
}

impl Table {
    const FIRST_SWEEP: usize = 1_024;

    pub(super) fn len(&self) -> usize {
        self.grants.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Live>> {
        self.grants.values()
    }

    pub(super) fn add(&mut self, mut grant: Grant) -> GrantId {
        self.sweep();
        self.next += 1;
        grant.id = GrantId(self.next);
        // Whoever names a session means that one, whatever else they say.
        grant.scope.one_session |= grant.scope.session.is_some();
        let same = |live: &Live| {
            let no_stays =
                live.decision() == GrantDecision::Deny && grant.decision == GrantDecision::Allow;
            !no_stays && is_the_same(live.inner(), &grant)
        };
        let bucket = self.bucket(self.hash_of(&grant)).iter();
        let before: SmallVec<[_; 1]> = bucket.filter(|live| same(live)).cloned().collect();
        for live in &before {
            self.forget(live);
        }
        self.insert(Arc::new(Live::new(grant)))
    }

    /// Forgets what ended, now and then: adding costs little, and what ended does not pile up.
    fn sweep(&mut self) {
        if self.grants.len() >= self.sweep_at.max(Self::FIRST_SWEEP) {
            self.remove(|live| !live.holds());
            self.sweep_at = self.grants.len() * 2;
        }
    }

    pub(super) fn remove_one(&mut self, id: GrantId) -> bool {
        let live = self.grants.get(&id).cloned();
        live.map(|live| self.forget(&live)).is_some()
    }

    pub(super) fn remove(&mut self, which: impl Fn(&Live) -> bool) -> usize {
        let gone: Vec<_> = self
            .grants
            .values()
            .filter(|live| which(live))
            .cloned()
            .collect();
        for live in &gone {
            self.forget(live);
        }
        gone.len()
    }

    /// Reports every grant that answers the ask.
    pub(super) fn find(&self, query: &GrantQuery<'_>, mut report: impl FnMut(&Live)) {
        let (tool, subject) = (query.tool, query.subject);
        self.about(tool, subject, query.origin, query.payload, |live| {
            if live.answers(query) {
                report(live);
            }
        });
    }

    /// Reports every grant about the operation under that name, whoever asked, and some others.
    pub(super) fn about(
        &self,
        tool: &ToolId,
        subject: Option<&str>,
        origin: &Origin,
        payload: &Args,
        mut report: impl FnMut(&Live),
    ) {
        let shapes = self.shapes.get(tool).map_or(&[][..], |shapes| shapes);
        for (shape, _) in shapes {
            let Some(payload) = self.payload_hash(shape.keys.as_deref(), payload) else {
                continue;
            };
            let named = (tool, subject);
            let hash = self.hash(named, origin, shape.one_session, payload);
            self.bucket(hash).iter().for_each(|live| report(live));
        }
    }

    fn insert(&mut self, live: Arc<Live>) -> GrantId {
        let (id, shape) = (live.id(), Shape::of(live.inner()));
        self.buckets
            .entry(self.hash_of(live.inner()))
            .or_default()
            .push(Arc::clone(&live));
        let shapes = self.shapes.entry(live.inner().tool.clone()).or_default();
        match shapes.iter_mut().find(|(known, _)| *known == shape) {
            Some((_, count)) => *count += 1,
            None => shapes.push((shape, 1)),
        }
        self.grants.insert(id, live);
        id
    }

    fn forget(&mut self, live: &Arc<Live>) {
        self.grants.remove(&live.id());
        let hash = self.hash_of(live.inner());
        if let Some(bucket) = self.buckets.get_mut(&hash) {
            bucket.retain(|other| other.id() != live.id());
            if bucket.is_empty() {
                self.buckets.remove(&hash);
            }
        }
        let shape = Shape::of(live.inner());
        if let Some(shapes) = self.shapes.get_mut(&live.inner().tool) {
            shapes
                .iter_mut()
                .filter(|(known, _)| *known == shape)
                .for_each(|(_, n)| *n -= 1);
            shapes.retain(|(_, count)| *count > 0);
            if shapes.is_empty() {
                self.shapes.remove(&live.inner().tool);
            }
        }
    }

    fn bucket(&self, hash: u64) -> &[Arc<Live>] {
        self.buckets.get(&hash).map_or(&[], |bucket| bucket)
    }

    fn hash_of(&self, grant: &Grant) -> u64 {
        let payload = hash::object(&self.state, grant.payload.as_map().iter());
        let scope = &grant.scope;
        let place = [&scope.principal, &scope.project, &scope.session].map(|part| part.as_deref());
        let named = (&grant.tool, grant.subject.as_deref());
        self.state
            .hash_one((named, place, scope.one_session, payload))
    }

    fn hash(
        &self,
        named: (&ToolId, Option<&str>),
        origin: &Origin,
        one_session: bool,
        payload: u64,
    ) -> u64 {
        let session = origin.session().filter(|_| one_session);
        let place = [origin.principal(), origin.project(), session];
        self.state.hash_one((named, place, one_session, payload))
    }

    /// The hash of the payload, or of the keys that the shape names; none if one is missing.
    fn payload_hash(&self, keys: Option<&[Box<str>]>, payload: &Args) -> Option<u64> {
        let map = payload.as_map();
        let Some(keys) = keys else {
            return Some(hash::object(&self.state, map.iter()));
        };
        let named = |key: &str| keys.iter().any(|named| &**named == key);
        let present = map.keys().filter(|key| named(key)).count() == keys.len();
        present.then(|| hash::object(&self.state, map.iter().filter(|(key, _)| named(key))))
    }
}

/// Whether two grants answer the same ask for the same operation in the same scope.
fn is_the_same(a: &Grant, b: &Grant) -> bool {
    a.tool == b.tool
        && a.subject == b.subject
        && a.payload == b.payload
        && a.exact == b.exact
        && a.layer == b.layer
        && a.rule == b.rule
        && a.named == b.named
        && a.scope == b.scope
}
