//! A policy that can change while it is in force.
//!
//! What was built from the files is swapped as a whole, so that a call sees the old policy or the
//! new one and never half of each. Files that cannot be loaded leave the old policy in force.

mod event;
mod stamp;
mod watch;

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use arc_swap::ArcSwap;

pub use self::event::{OnChange, ReloadEvent, ReloadStatus, Reloaded, Watching};
use crate::{
    Layers, Loader,
    diagnostic::{Diagnostic, Diagnostics, Sources},
    place::Place,
};

/// Makes what is in force out of what was read.
type Build<T> = dyn Fn(&Layers) -> Result<T, Diagnostics> + Send + Sync;

/// A handle on something built from policy files, which can be built again when they change.
///
/// Clones share it. Watching ends when the last of them is dropped.
///
/// # Example
///
/// ```no_run
/// use toolgate_policy::{Loader, OnChange, Reloading};
///
/// # fn main() -> Result<(), toolgate_policy::Diagnostics> {
/// let loader = Loader::new().user("/home/me/.config/toolgate/policy.toml");
/// let policy = Reloading::load(loader, |layers| Ok(layers.iter().count()))?;
/// policy.watch(OnChange::Reload, |event| eprintln!("{event}"));
/// assert_eq!(*policy.current(), 1);
/// # Ok(())
/// # }
/// ```
pub struct Reloading<T> {
    shared: Arc<Shared<T>>,
}

struct Shared<T> {
    loader: Loader,
    build: Box<Build<T>>,
    current: ArcSwap<T>,
    /// Held while files are loaded, so that an older reading never replaces a newer one.
    state: Mutex<State>,
}

struct State {
    /// What the current value was built from.
    layers: Layers,
    status: ReloadStatus,
    watcher: Option<watch::Handle>,
}

impl<T: Send + Sync + 'static> Reloading<T> {
    /// Loads the files and builds from them what will be in force.
    ///
    /// # Errors
    ///
    /// Says what is wrong with the files, or what `build` says.
    pub fn load(
        loader: Loader,
        build: impl Fn(&Layers) -> Result<T, Diagnostics> + Send + Sync + 'static,
    ) -> Result<Self, Diagnostics> {
        let layers = loader.load()?;
        let current = build(&layers)?;
        let state = State {
            layers,
            status: ReloadStatus::new(),
            watcher: None,
        };
        let shared = Shared {
            loader,
            build: Box::new(build),
            current: ArcSwap::from_pointee(current),
            state: Mutex::new(state),
        };
        Ok(Self {
            shared: Arc::new(shared),
        })
    }

    /// What is in force now. It stays as it is for whoever holds it.
    pub fn current(&self) -> Arc<T> {
        self.shared.current.load_full()
    }

    /// How the last attempts to reload went.
    pub fn status(&self) -> ReloadStatus {
        self.shared.state().status.clone()
    }

    /// Loads the files again, and puts what they say into force.
    ///
    /// # Errors
    ///
    /// Says why that cannot be. What was in force stays so.
    pub fn reload(&self) -> Result<Reloaded, Arc<Diagnostics>> {
        self.shared.reload()
    }

    /// Looks after the files from now on, in a thread of its own.
    ///
    /// With [`OnChange::Report`] a change is only reported, and [`reload`](Self::reload) puts it
    /// into force once somebody has agreed to it: an agent that can write the policy must not be
    /// able to change what it may do.
    ///
    /// Watching a second time replaces the first.
    pub fn watch(
        &self,
        on_change: OnChange,
        report: impl Fn(&ReloadEvent) + Send + Sync + 'static,
    ) {
        let handle = watch::start(&self.shared, on_change, Box::new(report));
        let mut state = self.shared.state();
        state.status.watching = handle.watching;
        state.watcher = Some(handle);
    }
}

impl<T> Shared<T> {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn reload(&self) -> Result<Reloaded, Arc<Diagnostics>> {
        let mut state = self.state();
        state.status.attempts += 1;
        let outcome = self.replace(&mut state).map_err(Arc::new);
        state.status.pending = false;
        state.status.failed = outcome.as_ref().err().cloned();
        match &outcome {
            Ok(Reloaded::Changed) => tracing::info!("the policy was reloaded"),
            Ok(Reloaded::Unchanged) => {}
            Err(_) => tracing::error!("the policy could not be reloaded; the old one holds"),
        }
        outcome
    }

    fn replace(&self, state: &mut State) -> Result<Reloaded, Diagnostics> {
        let layers = self.changed(state)?;
        let Some(layers) = layers else {
            return Ok(Reloaded::Unchanged);
        };
        let built = catch_unwind(AssertUnwindSafe(|| (self.build)(&layers)));
        let built = built.unwrap_or_else(|_| Err(problem("building the policy panicked")))?;
        self.current.store(Arc::new(built));
        state.layers = layers;
        state.status.generation += 1;
        Ok(Reloaded::Changed)
    }

    /// What the files say now, if it is something else.
    fn changed(&self, state: &State) -> Result<Option<Layers>, Diagnostics> {
        let layers = self.loader.load()?;
        if let Some(gone) = layers.missing(&state.layers) {
            // Whoever starts anew may do without it; what is in force is not loosened by a deletion.
            return Err(problem(&format!("the policy {gone} was there and is gone")));
        }
        Ok((!layers.is_same(&state.layers)).then_some(layers))
    }

    /// Notices a change without putting it into force.
    fn look(&self) -> Result<bool, Arc<Diagnostics>> {
        let mut state = self.state();
        state.status.attempts += 1;
        let changed = self.changed(&state).map_err(Arc::new);
        state.status.pending = matches!(changed, Ok(Some(_)));
        state.status.failed = changed.as_ref().err().cloned();
        changed.map(|layers| layers.is_some())
    }
}

fn problem(message: &str) -> Diagnostics {
    let place = Place {
        file: "".into(),
        line: 0,
        column: 0,
        length: 0,
    };
    let problem = Diagnostic::error("reload", place, message);
    Diagnostics::one(Sources::default(), problem)
}

impl<T> Clone for Reloading<T> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T> fmt::Debug for Reloading<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reloading")
            .field("loader", &self.shared.loader)
            .field("status", &self.shared.state().status)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
