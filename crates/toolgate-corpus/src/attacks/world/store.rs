//! A memory on a disk that can be full, torn or of another version.

use std::sync::{Arc, Mutex};

use toolgate::{Answering, Found, Grant, GrantQuery, GrantStore, Grants, StoreError};

use crate::bench::lock;

/// A memory that is written to disk after every answer. Clones are the same memory.
#[derive(Clone)]
pub(in crate::attacks) struct Store(Arc<Mutex<State>>);

struct State {
    grants: Grants,
    file: String,
    unreadable: bool,
    full: bool,
}

impl Store {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(State {
            grants: Grants::new(),
            file: String::new(),
            unreadable: false,
            full: false,
        })))
    }

    /// What is remembered.
    pub(in crate::attacks) fn grants(&self) -> Grants {
        lock(&self.0).grants.clone()
    }

    /// Can take nothing more.
    pub(in crate::attacks) fn fill(&self) {
        lock(&self.0).full = true;
    }

    /// Was put there by somebody else, so whoever runs the agent does not read it.
    pub(in crate::attacks) fn belong_to_somebody_else(&self) {
        lock(&self.0).unreadable = true;
    }

    /// Cannot be read any more.
    pub(in crate::attacks) fn corrupt(&self) {
        let mut state = lock(&self.0);
        state.unreadable = true;
        state.file.insert(0, '\u{0}');
    }

    /// Was written by another version, and is read again.
    pub(in crate::attacks) fn rewrite_as(&self, version: u64) {
        {
            let mut state = lock(&self.0);
            let written = format!("\"version\": {version}");
            state.file = state.file.replacen("\"version\": 1", &written, 1);
        }
        self.load();
    }

    /// Was being written when everything stopped.
    pub(in crate::attacks) fn tear(&self) {
        let mut state = lock(&self.0);
        let half = state.file.len() / 2;
        state.file.truncate(half);
    }

    /// Writes what is remembered, as far as it outlives a process.
    pub(in crate::attacks) fn save(&self) {
        let mut state = lock(&self.0);
        if let Ok(text) = state.grants.export() {
            state.file = text;
        }
    }

    /// Begins anew with what is on disk; with nothing, if that cannot be read.
    pub(super) fn load(&self) {
        let mut state = lock(&self.0);
        state.grants = Grants::new();
        state.unreadable = false;
        // A file that cannot be read holds no grants. That is what is looked at here.
        let _ = state.grants.import(&state.file);
    }
}

impl GrantStore for Store {
    fn lookup(&self, query: &GrantQuery<'_>) -> Answering<Result<Found, StoreError>> {
        let state = lock(&self.0);
        if state.unreadable {
            return Answering::Now(Err(StoreError::new("cannot be read")));
        }
        GrantStore::lookup(&state.grants, query)
    }

    fn record(&self, grants: Vec<Grant>) -> Answering<Result<(), StoreError>> {
        let recorded = {
            let state = lock(&self.0);
            if state.full {
                return Answering::Now(Err(StoreError::new("no space left")));
            }
            state.grants.record(grants)
        };
        self.save();
        recorded
    }
}
