//! Looks after files in one thread, until nobody is interested any more.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Weak,
        mpsc::{Receiver, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use notify::{
    EventKind, RecommendedWatcher, RecursiveMode, Watcher,
    event::{AccessKind, AccessMode},
};

use super::{OnChange, ReloadEvent, Reloaded, Shared, Watching, stamp::Stamp};
use crate::Diagnostics;

/// How often files are looked at, whatever the system says.
const POLL: Duration = Duration::from_secs(2);
/// How long files have to be left alone before they are read.
const QUIET: Duration = Duration::from_millis(50);
/// How long that is waited for at most.
const PATIENCE: Duration = Duration::from_millis(500);

pub(super) type Report = Box<dyn Fn(&ReloadEvent) + Send + Sync>;

/// Ends the thread when it is dropped.
pub(super) struct Handle {
    pub(super) watching: Watching,
    /// The thread ends when this is gone.
    alive: Option<Arc<()>>,
    wake: SyncSender<()>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.alive = None;
        // If there is no room, the thread is about to wake up anyway.
        let _ = self.wake.try_send(());
    }
}

/// Starts a thread that looks after the files of `shared`.
pub(super) fn start<T: Send + Sync + 'static>(
    shared: &Arc<Shared<T>>,
    on_change: OnChange,
    report: Report,
) -> Handle {
    // One place is enough: news upon news is no news.
    let (wake, news) = sync_channel(1);
    let paths: Vec<_> = shared.loader.paths().map(Path::to_owned).collect();
    let watcher = notified(&paths, &wake);
    let mut watching = match watcher {
        Some(_) => Watching::Notified,
        None => Watching::Polling,
    };
    let alive = Arc::new(());
    let task = Task {
        shared: Arc::downgrade(shared),
        alive: Arc::downgrade(&alive),
        on_change,
        report,
        // Nothing has been seen yet: what changed before watching began is a change too.
        seen: None,
        paths,
        told: None,
    };
    let thread = thread::Builder::new().name("toolgate-policy".to_owned());
    let started = thread.spawn(move || {
        // The watcher lives as long as the thread does.
        let _watcher = watcher;
        task.run(&news);
    });
    if started.is_err() {
        tracing::error!("policy files are not watched: no thread could be started");
        watching = Watching::No;
    }
    Handle {
        watching,
        alive: Some(alive),
        wake,
    }
}

/// Has the system say when something changes in the directories of the files. Watching the files
/// themselves would lose them when an editor puts another file in their place.
fn notified(paths: &[PathBuf], wake: &SyncSender<()>) -> Option<RecommendedWatcher> {
    let wake = wake.clone();
    let tell = move |event: notify::Result<notify::Event>| {
        if !event.is_ok_and(|event| is_only_read(event.kind)) {
            // If there is no room, the thread is about to wake up anyway.
            let _ = wake.try_send(());
        }
    };
    let mut watcher = notify::recommended_watcher(tell).ok()?;
    for path in paths {
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        watcher.watch(directory, RecursiveMode::NonRecursive).ok()?;
    }
    Some(watcher)
}

/// Whether somebody merely opened or read a file. We do so ourselves, and must not wake up from it.
fn is_only_read(event: EventKind) -> bool {
    let written = EventKind::Access(AccessKind::Close(AccessMode::Write));
    event.is_access() && event != written
}

struct Task<T> {
    shared: Weak<Shared<T>>,
    alive: Weak<()>,
    on_change: OnChange,
    report: Report,
    paths: Vec<PathBuf>,
    /// What the files looked like when they were last read.
    seen: Option<Stamp>,
    /// What was said last, so that it is not said again.
    told: Option<String>,
}

impl<T> Task<T> {
    fn run(mut self, news: &Receiver<()>) {
        while self.is_wanted() {
            let now = Stamp::of(&self.paths);
            if self.seen.as_ref() != Some(&now) {
                self.seen = Some(now);
                self.act();
            }
            if news.recv_timeout(POLL).is_ok() && self.is_wanted() {
                wait_for_quiet(news);
                // The system said so, whatever the files look like.
                self.seen = None;
            }
        }
    }

    fn is_wanted(&self) -> bool {
        self.alive.strong_count() > 0
    }

    /// Does what is to be done about a change, if there is one.
    fn act(&mut self) {
        let Some(shared) = self.shared.upgrade() else {
            return;
        };
        let event = match self.on_change {
            OnChange::Reload => match shared.reload() {
                Ok(Reloaded::Changed) => Some(ReloadEvent::Reloaded),
                Ok(Reloaded::Unchanged) => None,
                Err(why) => Some(ReloadEvent::Failed(why)),
            },
            OnChange::Report => match shared.look() {
                Ok(true) => Some(ReloadEvent::Pending),
                Ok(false) => None,
                Err(why) => Some(ReloadEvent::Failed(why)),
            },
        };
        // Whoever is told may drop the last handle, or ask for the status.
        drop(shared);
        self.tell(event);
    }

    fn tell(&mut self, event: Option<ReloadEvent>) {
        let text = match &event {
            Some(ReloadEvent::Failed(why)) => Some(Diagnostics::to_string(why)),
            Some(ReloadEvent::Pending) => Some("pending".to_owned()),
            Some(ReloadEvent::Reloaded) | None => None,
        };
        let again = text.is_some() && text == self.told;
        self.told = text;
        if let Some(event) = event.filter(|_| !again) {
            (self.report)(&event);
        }
    }
}

/// Waits until nothing has happened for a while, but not for ever.
fn wait_for_quiet(news: &Receiver<()>) {
    let start = Instant::now();
    while start.elapsed() < PATIENCE && news.recv_timeout(QUIET).is_ok() {}
}
