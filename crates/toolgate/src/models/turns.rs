//! One question at a time in each session.

use std::sync::Arc;

use loom::{future::block_on, thread};

use super::{model, poll_once};
use crate::Turns;

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

#[test]
fn a_turn_that_comes_to_somebody_who_leaves_goes_on() {
    model(|| {
        let turns = Turns::new();
        let (first, _) = block_on(turns.take(Some("s"))).unwrap();
        let mut leaving = turns.take(Some("s"));
        assert!(poll_once(&mut leaving).is_pending());
        let waiting = turns.clone();
        let mut last = waiting.take(Some("s"));
        assert!(poll_once(&mut last).is_pending());
        let passing = thread::spawn(move || drop(first));
        drop(leaving);
        let (turn, waited) = block_on(last).unwrap();
        assert!(waited);
        passing.join().unwrap();
        drop(turn);
        assert!(turns.is_idle());
    });
}
