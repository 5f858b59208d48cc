//! What can be turned while calls are in flight: the mode, and rules.

use loom::{future::block_on, thread};

use super::model;
use crate::{Mode, ModeSwitch, ToolRules};

#[test]
fn a_switch_to_strict_is_never_missed() {
    model(|| {
        let switch = ModeSwitch::new(Mode::Interactive);
        let other = switch.clone();
        let switching = thread::spawn(move || other.set(Mode::Strict));
        block_on(switch.turned_strict());
        assert_eq!(switch.get(), Mode::Strict);
        switching.join().unwrap();
    });
}

#[test]
fn a_call_sees_one_mode_or_the_other() {
    model(|| {
        let switch = ModeSwitch::new(Mode::ApproveAll);
        let other = switch.clone();
        let switching = thread::spawn(move || other.set(Mode::Strict));
        let (first, second) = (switch.get(), switch.get());
        assert!(matches!(first, Mode::ApproveAll | Mode::Strict));
        assert!(
            first == second || second == Mode::Strict,
            "it does not go back"
        );
        switching.join().unwrap();
    });
}

#[test]
fn an_override_is_seen_by_whoever_comes_after_it() {
    model(|| {
        let rules = ToolRules::default();
        let other = rules.clone();
        let setting = thread::spawn(move || other.require_for("t"));
        let _ = rules.of(&"t".into()).decision();
        setting.join().unwrap();
        assert!(rules.of(&"t".into()).decision().is_some());
        rules.clear_override("t");
        assert!(rules.of(&"t".into()).decision().is_none());
    });
}
