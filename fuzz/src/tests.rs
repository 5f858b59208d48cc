//! Every property, on the recorded attacks and on every input that was found.

use std::{fs, panic, path::Path};

use crate::{TARGETS, seeds};

fn failing(target: &str, input: &[u8]) -> bool {
    let check = TARGETS.iter().find(|(name, _)| *name == target).unwrap().1;
    panic::catch_unwind(|| check(input)).is_err()
}

#[test]
fn the_recorded_attacks_pass() {
    let attacks = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/corpus/attacks.jsonl");
    let seeds = seeds::from_attacks(&fs::read_to_string(attacks).unwrap());
    assert!(seeds.len() > 1000, "{}", seeds.len());
    let failed = seeds
        .iter()
        .filter(|(target, input)| failing(target, input));
    let failed: Vec<_> = failed
        .map(|(target, input)| (target, String::from_utf8_lossy(input)))
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn every_target_has_seeds() {
    let seeds = seeds::from_attacks("");
    for (target, _) in TARGETS {
        let attacked = ["args", "options", "shell"].contains(&target);
        assert!(
            attacked || seeds.iter().any(|(of, _)| *of == target),
            "{target}"
        );
    }
}

/// `found/TARGET/` has what the fuzzer found before it was mended.
#[test]
fn what_was_found_stays_mended() {
    let mut count = 0;
    for (target, _) in TARGETS {
        let found = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("found")
            .join(target);
        for file in fs::read_dir(found).into_iter().flatten() {
            let path = file.unwrap().path();
            assert!(!failing(target, &fs::read(&path).unwrap()), "{path:?}");
            count += 1;
        }
    }
    println!("{count} inputs");
}
