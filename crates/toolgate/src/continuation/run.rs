//! One run of an agent, and what it was permitted so far.

use std::{fmt, sync::Arc};

use crate::{
    BlockedKind, Origin,
    sync::{Mutex, lock},
};

/// One run of an agent: the iterations between one order and its end.
///
/// A run holds by how much its limit was extended. Clones are the same run; another run in the
/// same session begins with the limit as it is configured. Nothing is kept of a run that is over.
///
/// # Example
///
/// ```
/// use toolgate::{Origin, Run};
///
/// let run = Run::new(Origin::new().with_session("s-1").with_agent("root"));
/// let first = run.iteration(0);
/// assert_eq!(first.number(), 0);
/// assert_eq!(first.run().origin().session(), Some("s-1"));
/// ```
#[derive(Clone, Default)]
pub struct Run(Arc<Inner>);

#[derive(Default)]
struct Inner {
    origin: Origin,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By how much each layer was extended: there is one, or very few.
    extended: Vec<(u64, u64)>,
    ended: Option<BlockedKind>,
}

impl Run {
    /// Begins a run.
    #[must_use]
    pub fn new(origin: Origin) -> Self {
        Self(Arc::new(Inner {
            origin,
            state: Mutex::default(),
        }))
    }

    /// Where the run comes from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// One iteration of the run. The first has the number zero.
    pub fn iteration(&self, number: u64) -> Iteration {
        Iteration {
            number,
            run: self.clone(),
        }
    }

    /// By how much the layer known by `number` was extended.
    pub(super) fn extended(&self, number: u64) -> u64 {
        let state = lock(&self.0.state);
        let own = state.extended.iter().find(|(layer, _)| *layer == number);
        own.map_or(0, |(_, by)| *by)
    }

    pub(super) fn extend(&self, number: u64, by: u64) {
        let mut state = lock(&self.0.state);
        match state
            .extended
            .iter_mut()
            .find(|(layer, _)| *layer == number)
        {
            Some((_, so_far)) => *so_far = so_far.saturating_add(by),
            None => state.extended.push((number, by)),
        }
    }

    /// In which way the run was ended, if it was.
    pub(super) fn ended(&self) -> Option<BlockedKind> {
        lock(&self.0.state).ended
    }

    fn end(&self, kind: BlockedKind) -> BlockedKind {
        *lock(&self.0.state).ended.get_or_insert(kind)
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run")
            .field("origin", self.origin())
            .finish_non_exhaustive()
    }
}

/// One iteration of a [`Run`].
#[derive(Clone, Debug)]
#[must_use = "an iteration does nothing until a service takes it"]
pub struct Iteration {
    number: u64,
    run: Run,
}

impl Iteration {
    /// How many iterations there were before this one.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The run that it belongs to.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Where the run comes from.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        self.run.origin()
    }
}

/// A question whether the run may go on. If it is given up, the run is over.
pub(super) struct Asking {
    run: Run,
    settled: bool,
}

impl Asking {
    pub(super) fn begin(run: &Run) -> Self {
        Self {
            run: run.clone(),
            settled: false,
        }
    }

    pub(super) fn go_on(mut self) {
        self.settled = true;
    }

    /// Ends the run. Says in which way it ended, which may be how another question ended before.
    pub(super) fn end(mut self, kind: BlockedKind) -> BlockedKind {
        self.settled = true;
        self.run.end(kind)
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        if !self.settled {
            self.run.end(BlockedKind::Withdrawn);
        }
    }
}
