//! Restoring the terminal before a signal ends the program.
//!
//! Signals belong to the whole program, and so does this: from the first question on, a thread
//! waits for those that end it. It restores every terminal that something is asked on, and then
//! does what would have happened without it. If the program has handled a signal itself by then,
//! that is nothing: the program will drop what it asks, or not, as it likes.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    iterator::Signals,
    low_level::emulate_default_handler,
};

use crate::{
    screen::{Row, Style},
    tty::Tty,
};

const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// The terminals on which something is asked.
static ASKING: Mutex<Vec<Weak<Tty>>> = Mutex::new(Vec::new());
static THREAD: OnceLock<()> = OnceLock::new();

/// Restores this terminal if a signal ends the program while something is asked on it.
pub(crate) fn restore(tty: &Arc<Tty>) {
    let mut asking = asking();
    asking.retain(|tty| tty.strong_count() > 0);
    asking.push(Arc::downgrade(tty));
    drop(asking);
    THREAD.get_or_init(start);
}

fn asking() -> MutexGuard<'static, Vec<Weak<Tty>>> {
    ASKING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Without the thread, a signal ends the program as it always did.
fn start() {
    let handled = handled();
    let Ok(mut signals) = Signals::new(ENDING) else {
        return;
    };
    let wait = move || {
        for signal in signals.forever() {
            received(signal, handled);
        }
    };
    let _ = std::thread::Builder::new()
        .name("toolgate-signals".to_owned())
        .spawn(wait);
}

fn received(signal: i32, handled: u64) {
    let asking: Vec<_> = asking().iter().filter_map(Weak::upgrade).collect();
    // Whoever interrupts an editor means the editor.
    let interrupts = signal == SIGINT || signal == SIGQUIT;
    if interrupts && asking.iter().any(|tty| tty.is_editing()) {
        return;
    }
    if handled >> (signal - 1) & 1 == 1 {
        return;
    }
    let word = Row::of(
        Style::Bad,
        "toolgate: ended by a signal, nothing was approved",
    );
    for tty in &asking {
        tty.end(&word);
    }
    let _ = emulate_default_handler(signal);
}

/// The signals that the program handles itself, one bit for each. Where the system does not say,
/// none.
fn handled() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0)
}
