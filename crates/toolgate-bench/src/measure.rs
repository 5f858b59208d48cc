//! Times, in one process, interleaved, the best of several rounds: whatever else runs on the machine
//! only adds.

use std::time::{Duration, Instant};

use crate::cases::Case;

/// How long one case is measured in one round, unless one run takes longer.
const SHARE: Duration = Duration::from_millis(4);

const ROUNDS: usize = 7;

/// Nanoseconds for each call, by the name of the case.
#[derive(Debug, Default)]
pub(crate) struct Times(Vec<(String, f64)>);

impl Times {
    /// Measures cases, each in turn, over and over.
    pub(crate) fn of(mut cases: Vec<Case>) -> Self {
        let mut best = vec![f64::INFINITY; cases.len()];
        for _ in 0..ROUNDS {
            for (case, best) in cases.iter_mut().zip(&mut best) {
                *best = best.min(share(case));
            }
        }
        Self(cases.into_iter().map(|case| case.name).zip(best).collect())
    }

    pub(crate) fn add(&mut self, name: impl Into<String>, ns: f64) {
        self.0.push((name.into(), ns));
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn get(&self, name: &str) -> f64 {
        let found = self.0.iter().find(|(known, _)| known == name);
        found
            .unwrap_or_else(|| panic!("`{name}` was not measured"))
            .1
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// The same, if it was measured.
    pub(crate) fn find(&self, name: &str) -> Option<f64> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, ns)| *ns)
    }
}

fn share(case: &mut Case) -> f64 {
    let mut best = f64::INFINITY;
    let began = Instant::now();
    loop {
        let mut run = (case.prepare)();
        let ns = once(&mut run) / case.calls as f64;
        best = best.min(ns);
        if began.elapsed() > SHARE {
            return best;
        }
    }
}

/// How many nanoseconds something takes.
pub(crate) fn once(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_nanos() as f64
}

/// How many bytes this process has in memory.
pub(crate) fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes * 1024.0)
}
