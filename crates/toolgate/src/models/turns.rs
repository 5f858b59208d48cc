//! One question at a time in each session.

use std::sync::Arc;

use loom::{future::block_on, thread};

use super::{model, poll_once};
use crate::{Turns, prompt::Turn};

#[test]
fn a_turn_is_had_by_one_and_passed_on() {
    model(|| {
        let turns = Turns::new();
        let inside = Arc::new(crate::sync::AtomicBool::new(false));
        let (other, flag) = (turns.clone(), Arc::clone(&inside));
        let enter = |turns: Turns, inside: Arc<crate::sync::AtomicBool>| {
            let (turn, _) = block_on(turns.take(Some("s"))).unwrap();
            assert!(
                !inside.swap(true, crate::sync::Ordering::SeqCst),
                "one at a time"
            );
            inside.store(false, crate::sync::Ordering::SeqCst);
            drop(turn);
        };
        let second = thread::spawn(move || enter(other, flag));
        enter(turns.clone(), inside);
        second.join().unwrap();
        assert!(turns.is_idle());
    });
}

/// A place in the queue.
fn wait(turns: &Turns) -> impl Future<Output = Option<(Turn, bool)>> + Unpin + use<> {
    let mut waiting = turns.take(Some("s"));
    assert!(poll_once(&mut waiting).is_pending());
    waiting
}

/// Somebody passes a turn on while all who wait leave but the last. One leaves alone; of three the
/// last but one makes room for those who are left.
fn the_turn_comes_to_whoever_is_left(leaving: usize) {
    model(move || {
        let turns = Turns::new();
        let (first, _) = block_on(turns.take(Some("s"))).unwrap();
        let leaving: Vec<_> = (0..leaving).map(|_| wait(&turns)).collect();
        let last = wait(&turns);
        let passing = thread::spawn(move || drop(first));
        drop(leaving);
        let (turn, waited) = block_on(last).unwrap();
        assert!(waited);
        passing.join().unwrap();
        drop(turn);
        assert!(turns.is_idle());
    });
}

#[test]
fn a_turn_that_comes_to_somebody_who_leaves_goes_on() {
    the_turn_comes_to_whoever_is_left(1);
}

#[test]
fn whoever_still_waits_is_kept_when_many_leave() {
    the_turn_comes_to_whoever_is_left(2);
}

#[test]
fn the_turn_is_not_lost_if_the_last_leaves() {
    model(|| {
        let turns = Turns::new();
        let (first, _) = block_on(turns.take(Some("s"))).unwrap();
        let leaving = wait(&turns);
        let passing = thread::spawn(move || drop(first));
        drop(leaving);
        passing.join().unwrap();
        assert!(turns.is_idle(), "nobody has the turn");
    });
}

#[test]
fn a_turn_that_is_released_twice_passes_on_once() {
    model(|| {
        let turns = Turns::new();
        let (first, _) = block_on(turns.take(Some("s"))).unwrap();
        let first = Arc::new(first);
        let (mut second, mut third) = (wait(&turns), wait(&turns));
        let clone = Arc::clone(&first);
        let releasing = thread::spawn(move || clone.release());
        first.release();
        releasing.join().unwrap();
        let called = poll_once(&mut second);
        assert!(called.is_ready());
        assert!(poll_once(&mut third).is_pending(), "one at a time");
    });
}
